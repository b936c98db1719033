"""The names of `fluid.dygraph`, under their later home."""

from __future__ import annotations

from proa.fluid.dygraph._names import NAMES
from proa.utils._shelf import shelf

__getattr__, __dir__ = shelf("paddle.base.dygraph", NAMES)
