"""Proof against the real Paddle: its documentation's examples, and a table of calls."""
