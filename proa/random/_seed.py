"""The seed of the stream."""

from __future__ import annotations

from proa.core import default_seed

# Paddle's name: the seed that the stream was started with, 0 at the start.
initial_seed = default_seed
