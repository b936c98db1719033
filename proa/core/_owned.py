"""Arrays that a Tensor can lie on without a copy, and the other way round."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._context import context
from ._place import put
from ._tensor import Tensor, new_tensor, on_host, to_tensor

#: XLA's CPU backend takes memory over that begins at a multiple of this; else it copies.
ALIGNMENT = 64


def aligned_empty(shape: Any, dtype: Any) -> np.ndarray:
    """Returns an array like `numpy.empty` does, at an address that XLA takes over as it is."""
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + size].view(dtype).reshape(shape)


def tensor_over(array: np.ndarray, place: Any = None) -> Tensor:
    """Makes a Tensor of an array that nobody else will write to; it may lie on its memory.

    Args:
        array: the values; the caller gives it away.
        place: where the Tensor lies; `None` for the current device.
    """
    # While recording it is a constant of the Program, which `to_tensor` knows how to make.
    if context.recorder is not None:
        return to_tensor(array, place=place)
    return new_tensor(put(array, place))


def host_values(t: Tensor) -> np.ndarray:
    """Returns a tensor's values as an array that shares them where it can: for reading only."""
    return on_host(t, "reading its values")
