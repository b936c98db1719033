"""The names of `fluid` itself."""

from __future__ import annotations

from typing import Any

from proa.fluid._feeder import DataFeeder
from proa.fluid.dygraph._guard import load_dygraph, save_dygraph
from proa.fluid.layers._functions import embedding, one_hot
from proa.utils._shelf import shelf

NAMES: dict[str, str | tuple[Any, str]] = {
    "BuildStrategy": "proa.static.BuildStrategy",
    "CPUPlace": "proa.CPUPlace",
    "CUDAPinnedPlace": "proa.CUDAPinnedPlace",
    "CUDAPlace": "proa.CUDAPlace",
    "CompiledProgram": "proa.static.CompiledProgram",
    "DataFeeder": (DataFeeder, "paddle.io.DataLoader"),
    "Executor": "proa.static.Executor",
    "ParamAttr": "proa.ParamAttr",
    "Program": "proa.static.Program",
    "Scope": "proa.static.Scope",
    "Tensor": "proa.Tensor",
    "Variable": "proa.static.Variable",
    "WeightNormParamAttr": "proa.static.WeightNormParamAttr",
    "append_backward": "proa.static.append_backward",
    "cpu_places": "proa.static.cpu_places",
    "create_lod_tensor": "proa.static.create_lod_tensor",
    "create_random_int_lodtensor": "proa.static.create_random_int_lodtensor",
    "cuda_places": "proa.static.cuda_places",
    "data": "proa.static.data",
    "default_main_program": "proa.static.default_main_program",
    "default_startup_program": "proa.static.default_startup_program",
    "device_guard": "proa.static.device_guard",
    "disable_dygraph": "proa.enable_static",
    "disable_static": "proa.disable_static",
    "embedding": (embedding, "paddle.nn.Embedding"),
    "enable_dygraph": "proa.disable_static",
    "enable_static": "proa.enable_static",
    "get_flags": "proa.get_flags",
    "global_scope": "proa.static.global_scope",
    "gradients": "proa.static.gradients",
    "in_dygraph_mode": "proa.in_dynamic_mode",
    "is_compiled_with_cuda": "proa.is_compiled_with_cuda",
    "load_dygraph": (load_dygraph, "paddle.load"),
    "metrics": "proa.metric",
    "name_scope": "proa.static.name_scope",
    "one_hot": (one_hot, "paddle.nn.functional.one_hot"),
    "program_guard": "proa.static.program_guard",
    "require_version": "proa.utils.require_version",
    "save_dygraph": (save_dygraph, "paddle.save"),
    "scope_guard": "proa.static.scope_guard",
    "set_flags": "proa.set_flags",
    "unique_name": "proa.utils.unique_name",
}
__getattr__, __dir__ = shelf("paddle.fluid", NAMES)
