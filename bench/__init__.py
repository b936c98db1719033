"""Measurements: ratios to a peer or to hand-written JAX in one run; never timed tests."""
