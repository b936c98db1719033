"""Sizes that are not known yet, as tensors."""

from __future__ import annotations

from typing import Any

from proa.core import Tensor, is_dimension, size_function, to_tensor
from proa.ops import reshape, sizes_tensor, stack


def size_tensor(size: Any) -> Tensor:
    """Returns an int64 tensor of a symbolic dimension, or of a list with some in it."""
    if is_dimension(size):
        return reshape(sizes_tensor([size]), [])
    if all(is_dimension(each) or isinstance(each, int) for each in size):
        return sizes_tensor(list(size))
    return stack([each if isinstance(each, Tensor) else to_tensor(each) for each in size])


size_function[0] = size_tensor
