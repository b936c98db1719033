"""Signals."""

from __future__ import annotations


def disable_signal_handler() -> None:
    """Does nothing: Proa takes over no signals that it would have to give back."""
