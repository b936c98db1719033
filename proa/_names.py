"""Names that mean something else in `proa.ops`."""

from __future__ import annotations

from proa.ops import implicit_softmax

# Gives Tensor the methods that lead to the sparse room.
from . import _sparse_methods as _sparse_methods

# `proa.nn.functional.softmax` takes the last axis by default and calls it `axis`.
softmax = implicit_softmax
