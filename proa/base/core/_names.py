"""The names of `fluid.core`, under their later home."""

from __future__ import annotations

from proa.fluid.core._names import NAMES
from proa.utils._shelf import shelf

__getattr__, __dir__ = shelf("paddle.base.core", NAMES)
