"""Softmax with the arguments of `paddle.special`."""

from __future__ import annotations

from typing import Any

from proa.core import Tensor, composite, write_out
from proa.ops import softmax as softmax_op


@composite
def softmax(
    input: Tensor, dim: int | None = None, dtype: Any = None, out: Tensor | None = None
) -> Tensor:
    """Exponentials of an axis, divided by their sum.

    Args:
        input: real tensor.
        dim: the axis; by default 0 for tensors of up to one or of three axes, else 1.
        dtype: dtype to convert to first.
        out: tensor that takes the result.

    Returns:
        Tensor of the same shape.

    Examples:
        >>> import proa
        >>> proa.special.softmax(proa.zeros([2, 2]), dim=1).tolist()
        [[0.5, 0.5], [0.5, 0.5]]
    """
    axis = dim if dim is not None else int(len(input.shape) not in (0, 1, 3))
    found = softmax_op(input, axis, dtype)
    return found if out is None else write_out(out, found)
