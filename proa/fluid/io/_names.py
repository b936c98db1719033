"""The names of `fluid.io`."""

from __future__ import annotations

from typing import Any

from proa.utils._shelf import shelf

from . import _files

_OWN = {
    "load_inference_model": "paddle.static.load_inference_model",
    "load_persistables": "paddle.static.load",
    "save_inference_model": "paddle.static.save_inference_model",
    "save_persistables": "paddle.static.save",
}
NAMES: dict[str, str | tuple[Any, str]] = {
    "DataLoader": "proa.io.DataLoader",
    "load": "proa.static.load",
    "load_params": (_files.load_persistables, "paddle.static.load"),
    "load_program_state": "proa.static.load_program_state",
    "save": "proa.static.save",
    "save_params": (_files.save_persistables, "paddle.static.save"),
    "set_program_state": "proa.static.set_program_state",
    **{name: (getattr(_files, name), instead) for name, instead in _OWN.items()},
}
__getattr__, __dir__ = shelf("paddle.fluid.io", NAMES)
