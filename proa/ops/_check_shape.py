"""The check of shapes that Paddle's functions make, open to others."""

from __future__ import annotations

from typing import Any

import numpy as np

from proa.core import InvalidTypeError, Tensor, composite, is_dimension


@composite
def check_shape(
    shape: Any,
    op_name: str,
    expected_shape_type: Any = (list, tuple, Tensor),
    expected_element_type: Any = (int, Tensor),
    expected_tensor_dtype: Any = ("int32", "int64"),
) -> None:
    """Checks that a value can be a shape: integers, or an integer tensor.

    Args:
        shape: the value.
        op_name: who asks, for the message.
        expected_shape_type: types that a shape may have.
        expected_element_type: types that an entry may have.
        expected_tensor_dtype: dtypes that a tensor may have.

    Raises:
        InvalidTypeError: it cannot.

    Examples:
        >>> import proa
        >>> proa.check_shape([2, 3], "mine")

    Differs: Paddle 3.3.1 checks static programs only.
    """
    if not isinstance(shape, expected_shape_type):
        _refuse(f"`shape` of `{op_name}` is {shape!r}", "a list, a tuple or an integer tensor")
    entries = [shape] if isinstance(shape, Tensor) else list(shape)
    for entry in entries:
        if is_dimension(entry) or isinstance(entry, np.integer):
            continue
        fits = isinstance(entry, expected_element_type) or entry is shape
        if isinstance(entry, bool) or not fits:
            _refuse(f"`shape` of `{op_name}` has an entry {entry!r}", "integers")
        if isinstance(entry, Tensor) and entry.dtype.name not in expected_tensor_dtype:
            _refuse(
                f"`shape` of `{op_name}` has the dtype {entry.dtype.name}",
                "one of " + ", ".join(expected_tensor_dtype),
            )


def _refuse(got: str, expected: str) -> None:
    raise InvalidTypeError(got[:200], expected=expected, fix="pass a list such as [2, 3]")
