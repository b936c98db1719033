"""The names of `fluid.core` and `paddle.base.core` that user code asks for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from proa import core
from proa.utils._shelf import shelf


class VarDesc:
    """Dtypes under the names of Paddle's graph format: `VarDesc.VarType.FP32`."""

    class VarType:
        """The dtypes."""

        BF16 = core.bfloat16
        BOOL = core.bool_
        COMPLEX64 = core.complex64
        COMPLEX128 = core.complex128
        FP16 = core.float16
        FP32 = core.float32
        FP64 = core.float64
        INT8 = core.int8
        INT16 = core.int16
        INT32 = core.int32
        INT64 = core.int64
        UINT8 = core.uint8


eager = SimpleNamespace(Tensor=core.Tensor)

NAMES: dict[str, str | tuple[Any, str]] = {
    "CPUPlace": "proa.CPUPlace",
    "CUDAPinnedPlace": "proa.CUDAPinnedPlace",
    "CUDAPlace": "proa.CUDAPlace",
    "DenseTensor": (core.DenseTensor, "paddle.Tensor"),
    "EnforceNotMet": (core.ProaError, "RuntimeError, ValueError, ..."),
    "LoDTensor": (core.DenseTensor, "paddle.Tensor"),
    "Place": "proa.Place",
    "VarDesc": (VarDesc, "the dtypes: paddle.float32, ..."),
    "XPUPlace": "proa.device.XPUPlace",
    "eager": (eager, "paddle.Tensor"),
    "get_cuda_device_count": "proa.device.cuda.device_count",
    "is_compiled_with_cinn": "proa.is_compiled_with_cinn",
    "is_compiled_with_cuda": "proa.is_compiled_with_cuda",
    "is_compiled_with_custom_device": "proa.is_compiled_with_custom_device",
    "is_compiled_with_dist": "proa.is_compiled_with_distribute",
    "is_compiled_with_ipu": "proa.is_compiled_with_ipu",
    "is_compiled_with_rocm": "proa.is_compiled_with_rocm",
    "is_compiled_with_xpu": "proa.is_compiled_with_xpu",
}
__getattr__, __dir__ = shelf("paddle.fluid.core", NAMES)
