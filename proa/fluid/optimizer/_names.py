"""The names of `fluid.optimizer`: each kind with and without `Optimizer` behind it."""

from __future__ import annotations

from typing import Any

from proa.utils._shelf import shelf

from . import _optimizers

_KINDS = ("Adadelta", "Adagrad", "Adam", "Adamax", "Lamb", "Momentum", "RMSProp", "SGD")
NAMES: dict[str, str | tuple[Any, str]] = {
    f"{kind}{suffix}": (getattr(_optimizers, kind), f"paddle.optimizer.{kind}")
    for kind in _KINDS
    for suffix in ("", "Optimizer")
}
__getattr__, __dir__ = shelf("paddle.fluid.optimizer", NAMES)
