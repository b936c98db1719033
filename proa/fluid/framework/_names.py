"""The names of `fluid.framework` and `paddle.base.framework` that user code asks for."""

from __future__ import annotations

from typing import Any

from proa.core import Place, as_dtype, as_place
from proa.fluid import core
from proa.utils._shelf import shelf


def current_place() -> Place:
    """Returns the place of new tensors."""
    return as_place(None)


NAMES: dict[str, str | tuple[Any, str]] = {
    "EagerParamBase": "proa.Parameter",
    "ParamBase": "proa.Parameter",
    "Parameter": "proa.Parameter",
    "Variable": "proa.Tensor",
    "_current_expected_place": (current_place, "paddle.get_device"),
    "_non_static_mode": "proa.in_dynamic_mode",
    "convert_np_dtype_to_dtype_": (as_dtype, "the names of dtypes: 'float32', ..."),
    "core": (core, "paddle.device"),
    "device_guard": "proa.device.device_guard",
    "get_flags": "proa.get_flags",
    "in_dygraph_mode": "proa.in_dynamic_mode",
    "in_dynamic_mode": "proa.in_dynamic_mode",
    "is_compiled_with_cuda": "proa.is_compiled_with_cuda",
    "require_version": "proa.utils.require_version",
    "set_flags": "proa.set_flags",
}
__getattr__, __dir__ = shelf("paddle.fluid.framework", NAMES)
