"""The names of `fluid.nets`."""

from __future__ import annotations

from typing import Any

from proa.utils._shelf import shelf

from . import _groups

_OWN = {
    "glu": "paddle.nn.functional.glu",
    "img_conv_group": "paddle.nn.Sequential",
    "sequence_conv_pool": "paddle.static.nn.sequence_conv",
    "simple_img_conv_pool": "paddle.nn.Conv2D and paddle.nn.MaxPool2D",
}
NAMES: dict[str, str | tuple[Any, str]] = {
    name: (getattr(_groups, name), instead) for name, instead in _OWN.items()
}
__getattr__, __dir__ = shelf("paddle.fluid.nets", NAMES)
