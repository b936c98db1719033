"""The names of `paddle.base` itself."""

from __future__ import annotations

from proa.fluid._names import NAMES
from proa.utils._shelf import shelf

__getattr__, __dir__ = shelf("paddle.base", {**NAMES, "io": "proa.io"})
