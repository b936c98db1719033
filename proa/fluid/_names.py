"""The names of `fluid` itself."""

from __future__ import annotations

from typing import Any

from proa.fluid.dygraph._guard import load_dygraph, save_dygraph
from proa.fluid.layers._functions import embedding, one_hot
from proa.utils._shelf import shelf

NAMES: dict[str, str | tuple[Any, str]] = {
    "CPUPlace": "proa.CPUPlace",
    "CUDAPinnedPlace": "proa.CUDAPinnedPlace",
    "CUDAPlace": "proa.CUDAPlace",
    "ParamAttr": "proa.ParamAttr",
    "Tensor": "proa.Tensor",
    "disable_dygraph": "proa.enable_static",
    "embedding": (embedding, "paddle.nn.Embedding"),
    "enable_dygraph": "proa.disable_static",
    "get_flags": "proa.get_flags",
    "in_dygraph_mode": "proa.in_dynamic_mode",
    "io": "proa.io",
    "is_compiled_with_cuda": "proa.is_compiled_with_cuda",
    "load_dygraph": (load_dygraph, "paddle.load"),
    "metrics": "proa.metric",
    "one_hot": (one_hot, "paddle.nn.functional.one_hot"),
    "require_version": "proa.utils.require_version",
    "save_dygraph": (save_dygraph, "paddle.save"),
    "set_flags": "proa.set_flags",
    "unique_name": "proa.utils.unique_name",
}
__getattr__, __dir__ = shelf("paddle.fluid", NAMES)
