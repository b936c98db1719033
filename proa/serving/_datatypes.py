"""Names of dtypes in the Open Inference Protocol, version 2."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from proa.core import InvalidArgumentError

# Source: "Tensor Data Types" of the protocol; BF16 is Triton's addition.
_DTYPES = {
    "BOOL": np.dtype(np.bool_),
    **{f"UINT{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    **{f"INT{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"FP{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
    "BF16": np.dtype(ml_dtypes.bfloat16),
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def dtype_of(datatype: object, field: str) -> np.dtype:
    """Returns the dtype that the protocol calls `datatype`.

    Raises:
        InvalidArgumentError: the protocol has no such name, or Proa no such tensor.
    """
    if not isinstance(datatype, str) or datatype not in _DTYPES:
        raise InvalidArgumentError(
            f"{field}.datatype is {datatype!r}",
            expected=f"one of {sorted(_DTYPES)}",
            fix="send the datatype that the model's metadata names",
        )
    return _DTYPES[datatype]


def datatype_of(dtype: object) -> str:
    """Returns the protocol's name of a dtype.

    Raises:
        InvalidArgumentError: the protocol has no name for it.
    """
    known = _NAMES.get(np.dtype(dtype))  # type: ignore[call-overload]
    if known is None:
        raise InvalidArgumentError(
            f"a tensor of dtype {dtype}",
            expected=f"one of {sorted(_DTYPES)} of the Open Inference Protocol",
            fix="cast it inside the model",
        )
    return known
