"""The names of `fluid.regularizer`."""

from __future__ import annotations

from typing import Any

from proa.utils._shelf import shelf

NAMES: dict[str, str | tuple[Any, str]] = {
    f"L{order}Decay{suffix}": f"proa.regularizer.L{order}Decay"
    for order in (1, 2)
    for suffix in ("", "Regularizer")
}
__getattr__, __dir__ = shelf("paddle.fluid.regularizer", NAMES)
