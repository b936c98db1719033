"""What users pass as parameters and values, read into Tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    as_dtype,
    default_dtype,
    to_tensor,
)
from proa.ops import broadcast_to, cast

_NUMBERS = (bool, int, float, np.number, np.bool_)


def shape_of(x: Any) -> tuple[Any, ...]:
    """The shape, whose entries may be symbolic while a Program is recorded."""
    return tuple(x._data.shape)


def _read(owner: str, name: str, value: Any) -> Any:
    if isinstance(value, Tensor) and not value.dtype.is_complex:
        return value if value.dtype.is_floating else cast(value, default_dtype())
    if isinstance(value, _NUMBERS):
        return value
    if isinstance(value, np.ndarray | list | tuple):
        made = to_tensor(value)
        keeps = isinstance(value, np.ndarray) and made.dtype.is_floating
        if not made.dtype.is_complex:
            return made if keeps else cast(made, default_dtype())
    raise InvalidTypeError(
        f"`{name}` of `{owner}` is {value!r} ({type(value).__name__})"[:200],
        expected="a real number, a list or array of them, or a real Tensor",
        fix="convert it first: proa.to_tensor(...)",
    )


def _common_dtype(values: list[Any]) -> Any:
    dtypes = [value.dtype.numpy for value in values if isinstance(value, Tensor)]
    if not dtypes:
        return default_dtype()
    widest = dtypes[0]
    for dtype in dtypes[1:]:
        widest = jnp.promote_types(widest, dtype)
    return as_dtype(widest)


def as_parameters(owner: str, **given: Any) -> list[Any]:
    """Tensors of one floating dtype and one shape, made from numbers, lists, arrays, Tensors.

    A NumPy array keeps its floating dtype; numbers and lists take that of the others, or the
    default one.

    Raises:
        InvalidTypeError: something that is not numeric.
        InvalidArgumentError: shapes that do not broadcast.
    """
    values = [_read(owner, name, value) for name, value in given.items()]
    wanted = _common_dtype(values)
    made = [
        (value if value.dtype == wanted else cast(value, wanted))
        if isinstance(value, Tensor)
        else to_tensor(value, dtype=wanted)
        for value in values
    ]
    shapes = [shape_of(value) for value in made]
    try:
        shape = jnp.broadcast_shapes(*shapes)
    except ValueError as error:
        found = ", ".join(
            f"`{name}` {list(shape)}" for name, shape in zip(given, shapes, strict=True)
        )
        raise InvalidArgumentError(
            f"parameters of `{owner}` with shapes {found}",
            expected="shapes that broadcast together",
            fix="add axes of length 1 with unsqueeze",
        ) from error
    return [
        value if old == shape else broadcast_to(value, shape)
        for value, old in zip(made, shapes, strict=True)
    ]


def as_value(owner: str, value: Any, dtype: Any) -> Any:
    """A point at which a density is asked for, in the dtype of the parameters.

    Raises:
        InvalidTypeError: something that is not numeric.
    """
    read = _read(owner, "value", value)
    if not isinstance(read, Tensor):
        return to_tensor(read, dtype=dtype)
    return read if dtype is None or read.dtype == dtype else cast(read, dtype)


def as_sample_shape(owner: str, shape: Any) -> tuple[Any, ...]:
    """The shape of a sample as a tuple; an integer is a shape of one axis.

    Raises:
        InvalidTypeError: no shape.
    """
    if isinstance(shape, Tensor):
        shape = shape.numpy()
    if isinstance(shape, int | np.integer):
        return (int(shape),)
    if isinstance(shape, np.ndarray):
        shape = shape.reshape(-1).tolist()
    if isinstance(shape, list | tuple) and not any(isinstance(n, str | float) for n in shape):
        return tuple(shape)
    raise InvalidTypeError(
        f"`shape` of a sample of `{owner}` is {shape!r} ({type(shape).__name__})"[:200],
        expected="a list or tuple of integers",
        fix="write sample([1000]) for a thousand samples",
    )


def require(
    owner: str, name: str, x: Any, is_bad: Callable[[Any], Any], expected: str, fix: str
) -> None:
    """Refuses parameters outside their range, where they can be read without a transfer.

    NaN passes: what looks for it is `FLAGS_check_nan_inf`.

    Raises:
        InvalidArgumentError: a parameter is out of its range.
    """
    data = x._data
    if not isinstance(data, jax.Array) or isinstance(data, Tracer):
        return
    if not data.is_fully_addressable or any(d.platform != "cpu" for d in data.devices()):
        return
    values = np.asarray(data)
    if values.dtype.kind != "f":
        values = values.astype(np.float32)
    bad = values[is_bad(values)]
    if bad.size:
        raise InvalidArgumentError(
            f"`{name}` of `{owner}` holds {float(bad.reshape(-1)[0]):g}",
            expected=expected,
            fix=fix,
        )


def require_positive(owner: str, name: str, x: Any) -> None:
    """Refuses parameters that are not positive."""
    fix = "apply softplus or exp to an unbounded parameter"
    require(owner, name, x, lambda v: v <= 0, "numbers > 0", fix)


def require_scale(owner: str, x: Any) -> None:
    """Refuses a negative scale; 0 is the limit in which all samples are equal."""
    fix = "apply softplus or exp to an unbounded parameter"
    require(owner, "scale", x, lambda v: v < 0, "numbers >= 0", fix)


def require_probabilities(owner: str, x: Any) -> None:
    """Refuses what lies outside [0, 1]."""
    fix = "apply sigmoid to logits first"
    require(owner, "probs", x, lambda v: (v < 0) | (v > 1), "probabilities in [0, 1]", fix)
