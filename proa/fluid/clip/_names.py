"""The names of `fluid.clip`."""

from __future__ import annotations

from typing import Any

from proa.utils._shelf import shelf

NAMES: dict[str, str | tuple[Any, str]] = {
    f"GradientClipBy{kind}": f"proa.nn.ClipGradBy{kind}" for kind in ("GlobalNorm", "Norm", "Value")
}
__getattr__, __dir__ = shelf("paddle.fluid.clip", NAMES)
