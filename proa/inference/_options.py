"""Options of Paddle's Config that change nothing here, cannot be had, or have one answer.

Each is a row of a table and becomes a method: one that has no effect is noted, for `summary()`;
one that cannot be honoured raises; a question has its answer. What an option means that does have
an effect is in `_config_paddle.py`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from proa.core import UnsupportedError

from ._types import PrecisionType, XpuConfig

_SCOPE = {"PrecisionType": PrecisionType}

#: Name, parameters, why it has no effect.
NOTES = (
    ("disable_glog_info", "", "nothing is logged"),
    ("disable_mkldnn", "", "XLA has CPU kernels of its own"),
    ("disable_mkldnn_fc_passes", "", "there are no passes of oneDNN"),
    ("disable_onednn", "", "XLA has CPU kernels of its own"),
    ("disable_onednn_fc_passes", "", "there are no passes of oneDNN"),
    ("enable_cinn", "", "XLA is the compiler"),
    ("enable_memory_optim", "x=True", "XLA plans buffers at compile time"),
    (
        "enable_mkldnn",
        "",
        "XLA has CPU kernels of its own; set_engine('openvino') computes by oneDNN",
    ),
    (
        "enable_onednn",
        "",
        "XLA has CPU kernels of its own; set_engine('openvino') computes by oneDNN",
    ),
    ("enable_new_executor", "x=True", "there is one way to run a Program"),
    ("enable_new_ir", "x=True", "Programs have one form"),
    ("enable_ort_optimization", "", "ONNX Runtime always optimises"),
    (
        "enable_save_optim_model",
        "save_optimized_model=False",
        "executables are kept beside the model, see set_cache()",
    ),
    ("exp_disable_tensorrt_dynamic_shape_ops", "disabled", "there is no TensorRT here"),
    ("exp_disable_tensorrt_ops", "ops", "there is no TensorRT here"),
    ("exp_disable_tensorrt_subgraph", "outputs", "there is no TensorRT here"),
    ("exp_enable_use_cutlass", "", "XLA chooses its kernels"),
    ("mark_trt_engine_outputs", "output_tensor_names=[]", "there is no TensorRT here"),
    ("set_mkldnn_op", "ops", "there are no kernels of oneDNN to choose"),
    ("set_onednn_op", "ops", "there are no kernels of oneDNN to choose"),
    ("set_optimization_level", "opt_level=2", "XLA always optimises"),
    ("set_tensorrt_optimization_level", "level", "there is no TensorRT here"),
    (
        "switch_ir_debug",
        "x=True, passes=[]",
        "predictor.explain() tells what each pass did",
    ),
    ("switch_specify_input_names", "x=True", "inputs always have names"),
    ("switch_use_feed_fetch_ops", "x=True", "Programs have no feed or fetch ops"),
    ("use_optimized_model", "x=True", "executables that fit are always used"),
)

_TENSORRT = ("TensorRT", "enable_use_gpu(..., precision_mode=PrecisionType.Half): XLA compiles")
_XPU = ("a Kunlun XPU", "disable_gpu(), enable_use_gpu(), or enable_custom_device(type) for JAX's")
_IPU = ("a Graphcore IPU", _XPU[1])
#: Name, parameters, what was asked for, what to do instead.
REFUSED = (
    ("enable_ipu", "*args, **options", *_IPU),
    ("enable_mkldnn_int8", "ops=()", "8-bit integers", "enable_mkldnn_bfloat16()"),
    ("enable_onednn_int8", "ops=()", "8-bit integers", "enable_onednn_bfloat16()"),
    ("enable_tensorrt_dla", "dla_core=0", *_TENSORRT),
    (
        "enable_tensorrt_engine",
        "workspace_size=1 << 30, max_batch_size=1, min_subgraph_size=3, "
        "precision_mode=PrecisionType.Float32, use_static=False, use_calib_mode=True, "
        "use_cuda_graph=False",
        *_TENSORRT,
    ),
    ("enable_tensorrt_explicit_quantization", "", *_TENSORRT),
    ("enable_tensorrt_inspector", "inspector_serialize=False", *_TENSORRT),
    (
        "enable_tensorrt_memory_optim",
        "engine_memory_sharing=True, sharing_identifier=0",
        *_TENSORRT,
    ),
    ("enable_tensorrt_varseqlen", "", *_TENSORRT),
    ("enable_xpu", "*args, **options", *_XPU),
    (
        "exp_enable_mixed_precision_ops",
        "ops",
        "a list of ops to compute roughly",
        "set_precision(name) for all, exp_disable_mixed_precision_ops(ops) for what stays",
    ),
    (
        "exp_sparse_conv_using_buffer",
        "kernels, strides",
        "buffers of sparse convolutions",
        "leave it out",
    ),
    (
        "exp_specify_tensorrt_subgraph_precision",
        "float32, half, bfloat16",
        *_TENSORRT,
    ),
    ("load_ipu_config", "config_path", *_IPU),
    (
        "set_bfloat16_op",
        "ops",
        "a list of ops to compute in bfloat16",
        "set_precision('bfloat16') for all, exp_disable_mixed_precision_ops(ops) for what stays",
    ),
    ("set_ipu_config", "*args, **options", *_IPU),
    ("set_ipu_custom_info", "*args, **options", *_IPU),
    ("set_xpu_config", "config", *_XPU),
    ("set_xpu_device_id", "device_id=0", *_XPU),
    ("to_native_config", "", "Paddle's NativeConfig", "Config itself"),
)

#: Name, answer.
ANSWERS: tuple[tuple[str, Callable[[], Any]], ...] = (
    ("fraction_of_gpu_memory_for_pool", lambda: 0.0),
    ("glog_info_disabled", lambda: True),
    ("mkldnn_int8_enabled", lambda: False),
    ("new_ir_enabled", lambda: True),
    ("onednn_int8_enabled", lambda: False),
    ("specify_input_name", lambda: True),
    ("tensorrt_dla_enabled", lambda: False),
    ("tensorrt_engine_enabled", lambda: False),
    ("tensorrt_explicit_quantization_enabled", lambda: False),
    ("tensorrt_inspector_enabled", lambda: False),
    ("tensorrt_optimization_level", lambda: 3),
    ("tensorrt_precision_mode", lambda: PrecisionType.Float32),
    ("tensorrt_varseqlen_enabled", lambda: False),
    ("use_feed_fetch_ops_enabled", lambda: False),
    ("use_xpu", lambda: False),
    ("xpu_config", XpuConfig),
    ("xpu_device_id", lambda: 0),
)


class UniformOptions:
    """Base of Config: the methods of the tables above."""

    #: Options that were set and have no effect, with the reason.
    _notes: dict[str, str]


def _signature(parameters: str) -> inspect.Signature:
    # The tables above are the only source of this text.
    made = eval(f"lambda self, {parameters}: None", dict(_SCOPE))
    return inspect.signature(made)


def _add(name: str, parameters: str, doc: str, body: Callable[[Any], Any]) -> None:
    signature = _signature(parameters)

    def method(self: Any, *args: Any, **options: Any) -> Any:
        signature.bind(self, *args, **options)
        return body(self)

    method.__name__, method.__qualname__, method.__doc__ = name, f"Config.{name}", doc
    method.__module__ = __name__
    method.__signature__ = signature  # type: ignore[attr-defined]
    setattr(UniformOptions, name, method)


def _note(name: str, why: str) -> Callable[[Any], None]:
    def note(config: Any) -> None:
        config._notes[name] = f"no effect: {why}"

    return note


def _refusal(name: str, asked: str, instead: str) -> Callable[[Any], None]:
    def refuse(config: Any) -> None:
        raise UnsupportedError(
            f"Config.{name}() asks for {asked}, which Proa does not have",
            expected="an option that can be honoured",
            fix=f"use {instead}",
        )

    return refuse


for _name, _parameters, _why in NOTES:
    _add(
        _name,
        _parameters,
        f"Kept for Paddle's API, without effect: {_why}. Noted in `summary()`.",
        _note(_name, _why),
    )
for _name, _parameters, _asked, _instead in REFUSED:
    _doc = f"Kept for Paddle's API; use {_instead}.\n\nRaises:\n    UnsupportedError: always."
    _add(_name, _parameters, _doc, _refusal(_name, _asked, _instead))
for _name, _answer in ANSWERS:
    _doc = f"Kept for Paddle's API: returns {_answer()!r}."
    _add(_name, "", _doc, lambda config, answer=_answer: answer())
