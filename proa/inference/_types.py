"""Paddle's enumerations of the inference room, and what it says about versions."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import ml_dtypes
import numpy as np

from proa.core import InvalidArgumentError, InvalidTypeError, UnsupportedError, as_dtype
from proa.version import full_version


class PrecisionType(IntEnum):
    """In what precision a model computes. Numbers are Paddle's."""

    Float32 = 0
    Int8 = 1
    Half = 2
    Bfloat16 = 3


class DataType(IntEnum):
    """Dtype of what a handle holds. Numbers are Paddle's."""

    FLOAT32 = 0
    INT64 = 1
    INT32 = 2
    UINT8 = 3
    INT8 = 4
    FLOAT16 = 5
    BOOL = 6
    FLOAT64 = 7
    BFLOAT16 = 8


class PlaceType(IntEnum):
    """Where memory lies. Numbers are Paddle's."""

    UNK = -1
    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM = 4


@dataclass
class XpuConfig:
    """Settings of a Kunlun XPU, kept as data: Proa has no device of this kind.

    `Config.set_xpu_config` refuses them; the fields and their defaults are Paddle's.
    """

    device_id: int = 0
    l3_ptr: Any = None
    l3_size: int = 0
    l3_autotune_size: int = 0
    context: Any = None
    context_gm_size: int = -1
    stream: Any = None
    conv_autotune_level: int = 0
    conv_autotune_file: str = ""
    conv_autotune_file_writeback: bool = False
    fc_autotune_level: int = 0
    fc_autotune_file: str = ""
    fc_autotune_file_writeback: bool = False
    gemm_compute_precision: int = 1
    transformer_softmax_optimize_level: int = 0
    transformer_encoder_adaptive_seqlen: bool = True
    quant_post_static_gelu_out_threshold: float = 10.0
    quant_post_dynamic_activation_method: int = 0
    quant_post_dynamic_weight_precision: int = 1
    quant_post_dynamic_op_types: list[str] = field(default_factory=list)


_NUMPY = {
    DataType.FLOAT32: np.float32,
    DataType.INT64: np.int64,
    DataType.INT32: np.int32,
    DataType.UINT8: np.uint8,
    DataType.INT8: np.int8,
    DataType.FLOAT16: np.float16,
    DataType.BOOL: np.bool_,
    DataType.FLOAT64: np.float64,
    DataType.BFLOAT16: ml_dtypes.bfloat16,
}
_PRECISIONS = {
    PrecisionType.Float32: "float32",
    PrecisionType.Half: "float16",
    PrecisionType.Bfloat16: "bfloat16",
}


def data_type_of(dtype: Any) -> DataType:
    """Returns Paddle's number of a dtype.

    Raises:
        UnsupportedError: a dtype that Paddle's handles do not know.
    """
    wanted = np.dtype(dtype)
    for kind, known in _NUMPY.items():
        if np.dtype(known) == wanted:
            return kind
    raise UnsupportedError(
        f"dtype {wanted} in a handle",
        expected="one of " + ", ".join(kind.name for kind in DataType),
        fix="read the array with copy_to_cpu() and look at its dtype",
    )


def get_num_bytes_of_data_type(dtype: Any) -> int:
    """Returns how many bytes one number of a DataType takes.

    Raises:
        InvalidTypeError: not a DataType.

    Examples:
        >>> from proa.inference import DataType, get_num_bytes_of_data_type
        >>> get_num_bytes_of_data_type(DataType.BFLOAT16)
        2
    """
    if not isinstance(dtype, DataType):
        raise InvalidTypeError(
            f"`dtype` is {dtype!r}", expected="a DataType", fix="write DataType.FLOAT32"
        )
    return np.dtype(_NUMPY[dtype]).itemsize


def precision_name(precision: Any) -> str:
    """Returns `float32`, `float16` or `bfloat16` of a PrecisionType or a name.

    Raises:
        UnsupportedError: 8-bit integers.
        InvalidArgumentError: something else.
    """
    if precision is PrecisionType.Int8 or str(precision).lower() == "int8":
        raise UnsupportedError(
            "precision int8 was asked for",
            expected="float32, bfloat16 or float16",
            fix="take PrecisionType.Bfloat16; there is no quantisation yet",
        )
    if isinstance(precision, PrecisionType):
        return _PRECISIONS[precision]
    try:
        name = as_dtype(precision).name
    except (TypeError, ValueError, KeyError):
        name = ""
    if name not in _PRECISIONS.values():
        raise InvalidArgumentError(
            f"`precision` is {precision!r}",
            expected="PrecisionType.Float32, .Half or .Bfloat16, or a name such as 'bfloat16'",
            fix="pass one of these",
        )
    return name


def get_version() -> str:
    """Returns Proa's version, as a text of the form that Paddle's has."""
    return f"version: {full_version}\n"


def get_trt_compile_version() -> tuple[int, int, int]:
    """Returns (0, 0, 0): Proa is not built with TensorRT; XLA compiles whole Programs."""
    return (0, 0, 0)


def get_trt_runtime_version() -> tuple[int, int, int]:
    """Returns (0, 0, 0): there is no TensorRT here."""
    return (0, 0, 0)
