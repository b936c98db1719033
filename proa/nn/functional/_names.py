"""Names that other ops have taken in `proa.ops`."""

from __future__ import annotations

from proa.ops import im2col

# `proa.unfold` is the sliding view of one axis.
unfold = im2col
