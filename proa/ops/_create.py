"""Tensors made of a shape and numbers.

In eager mode they are filled on the host: compiling a program for each new shape would cost
a thousand times more. While a Program is recorded each is an op of its own, so that shapes may
be symbolic and nothing big is captured.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    as_dtype,
    attach_method,
    composite,
    context,
    default_dtype,
    is_dimension,
    new_tensor,
    op,
    put,
    write_out,
)

from ._manipulate import variadic

if TYPE_CHECKING:
    from proa.core._types import Array, DType, Shape


def as_shape(shape: Any, name: str) -> tuple[Any, ...]:
    """Reads a shape: an integer, a list of integers and 0-d Tensors, or a 1-d Tensor.

    Raises:
        InvalidTypeError: an entry is not an integer.
        InvalidArgumentError: an entry is negative.
    """
    if isinstance(shape, Tensor | np.ndarray):
        shape = shape.tolist()
    entries = shape if isinstance(shape, list | tuple) else (shape,)
    found = []
    for entry in entries:
        if is_dimension(entry):
            found.append(entry)
            continue
        try:
            number = entry.__index__()
        except (AttributeError, TypeError) as error:
            raise InvalidTypeError(
                f"`shape` of `{name}` is {shape!r}",
                expected="integers",
                fix="pass a list such as [2, 3], or an integer Tensor",
            ) from error
        if number < 0:
            raise InvalidArgumentError(
                f"`shape` of `{name}` is {list(entries)}",
                expected="lengths >= 0",
                fix="-1 has a meaning in reshape only; write the length out",
            )
        found.append(number)
    return tuple(found)


def takes_lengths(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Lets a function of a shape take its lengths one by one: `zeros(2, 3)` as `zeros([2, 3])`."""

    @functools.wraps(function)
    def create(*args: Any, **kwargs: Any) -> Tensor:
        if len(args) > 1 and not [a for a in args if not _is_length(a)]:
            return function(args, **kwargs)
        return function(*args, **kwargs)

    return create


def _is_length(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def finish(made: Tensor, out: Tensor | None, device: Any, requires_grad: bool) -> Tensor:
    """Applies the keyword arguments that all creating functions share."""
    if device is not None:
        made._data = put(made._data, device)
    if out is not None:
        made = write_out(out, made)
    if requires_grad:
        made.stop_gradient = False
    return made


def is_recording() -> bool:
    """Whether ops are recorded now rather than run."""
    return context.recorder is not None


@op(name="full", method=None, public=False)
def _full(value: Array, shape: Shape, dtype: DType):
    return jnp.broadcast_to(value.reshape(()).astype(dtype.numpy), shape)


def _filled(name: str, shape: Any, value: Any, dtype: Any) -> Tensor:
    extents = as_shape(shape, name)
    wanted = default_dtype() if dtype is None else as_dtype(dtype)
    if np.size(value) != 1:
        raise InvalidTypeError(
            f"`fill_value` of `{name}` has shape {list(np.shape(value))}",
            expected="one number",
            fix="use broadcast_to, tile or to_tensor for several",
        )
    if isinstance(value, Tensor) or is_recording():
        return _full(value, extents, wanted)
    try:
        array = np.full(extents, value, wanted.numpy)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidTypeError(
            f"`fill_value` of `{name}` is {value!r}",
            expected=f"one number that {wanted.name} can hold",
            fix="pass a Python number or a 0-d Tensor",
        ) from error
    return new_tensor(put(array))


def _fill_dtype(value: Any, dtype: Any) -> Any:
    if dtype is not None:
        return dtype
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, complex | np.complexfloating):
        return "complex128"
    return None


@composite
def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor filled with one number.

    Args:
        shape: integers, or an integer Tensor.
        fill_value: a number or a 0-d Tensor.
        dtype: dtype; `None` gives bool or complex for such a number, else the default float.
        name: not used.
        out: tensor that takes the result.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: a negative length.
        InvalidTypeError: `fill_value` is not a number, or the shape not integers.

    Examples:
        >>> import proa
        >>> proa.full([2], 7, "int64").tolist()
        [7, 7]
    """
    made = _filled("full", shape, fill_value, _fill_dtype(fill_value, dtype))
    return finish(made, out, device, requires_grad)


@takes_lengths
@composite
def zeros(
    shape: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of zeros; see `full` for the arguments.

    Args:
        shape: integers, or an integer Tensor.
        dtype: dtype; `None` is the default float.
        name: not used.
        out: tensor that takes the result.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: a negative length.

    Examples:
        >>> import proa
        >>> proa.zeros([2, 2]).tolist()
        [[0.0, 0.0], [0.0, 0.0]]
    """
    return finish(_filled("zeros", shape, 0, dtype), out, device, requires_grad)


@takes_lengths
@composite
def ones(
    shape: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of ones; see `full` for the arguments.

    Args:
        shape: integers, or an integer Tensor.
        dtype: dtype; `None` is the default float.
        name: not used.
        out: tensor that takes the result.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: a negative length.
    """
    return finish(_filled("ones", shape, 1, dtype), out, device, requires_grad)


@takes_lengths
@composite
def empty(
    shape: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor whose values do not matter (they are zeros, so that runs repeat).

    Args:
        shape: integers, or an integer Tensor.
        dtype: dtype; `None` is the default float.
        name: not used.
        out: tensor that takes the result.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: a negative length.
    """
    return finish(_filled("empty", shape, 0, dtype), out, device, requires_grad)


@composite
def full_like(
    x: Tensor,
    fill_value: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of the shape of `x`, filled with one number.

    Args:
        x: gives the shape, and the dtype unless one is named.
        fill_value: a number or a 0-d Tensor; cast to the dtype.
        dtype: dtype of the result.
        name: not used.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for Paddle's signature.

    Examples:
        >>> import proa
        >>> proa.full_like(proa.to_tensor([1, 2]), 5).tolist()
        [5, 5]
    """
    made = _filled("full_like", x._data.shape, fill_value, x.dtype if dtype is None else dtype)
    return finish(made, None, device, requires_grad)


@composite
def zeros_like(
    x: Tensor,
    dtype: Any = None,
    name: str | None = None,
    *,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Zeros of the shape of `x`; see `full_like` for the arguments.

    Args:
        x: gives the shape, and the dtype unless one is named.
        dtype: dtype of the result.
        name: not used.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for Paddle's signature.
    """
    return full_like(x, 0, dtype, device=device, requires_grad=requires_grad)


@composite
def ones_like(
    x: Tensor,
    dtype: Any = None,
    name: str | None = None,
    *,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Ones of the shape of `x`; see `full_like` for the arguments.

    Args:
        x: gives the shape, and the dtype unless one is named.
        dtype: dtype of the result.
        name: not used.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for Paddle's signature.
    """
    return full_like(x, 1, dtype, device=device, requires_grad=requires_grad)


@composite
def empty_like(
    x: Tensor,
    dtype: Any = None,
    name: str | None = None,
    *,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of the shape of `x` whose values do not matter (they are zeros).

    Args:
        x: gives the shape, and the dtype unless one is named.
        dtype: dtype of the result.
        name: not used.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for Paddle's signature.
    """
    return full_like(x, 0, dtype, device=device, requires_grad=requires_grad)


@op(name="eye", method=None, public=False)
def _eye(num_rows: Any, num_columns: Any, dtype: DType):
    return jnp.eye(num_rows, num_columns, dtype=dtype.numpy)


@composite
def eye(
    num_rows: Any,
    num_columns: Any = None,
    dtype: Any = None,
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Ones on the main diagonal, zeros elsewhere.

    Args:
        num_rows: number of rows.
        num_columns: number of columns; `None` is as many as rows.
        dtype: dtype; `None` is the default float.
        name: not used.
        out: tensor that takes the result.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: a negative number.

    Examples:
        >>> import proa
        >>> proa.eye(2, dtype="int64").tolist()
        [[1, 0], [0, 1]]
    """
    rows, columns = as_shape([num_rows, num_rows if num_columns is None else num_columns], "eye")
    wanted = default_dtype() if dtype is None else as_dtype(dtype)
    if is_recording():
        made = _eye(rows, columns, wanted)
    else:
        made = new_tensor(put(np.eye(rows, columns, dtype=wanted.numpy)))
    return finish(made, out, device, requires_grad)


# Sequences --------------------------------------------------------------------------------------


@op(name="arange", method=None, public=False)
def _arange(start: Any, end: Any, step: Any, dtype: DType):
    return jnp.arange(start, end, step).astype(dtype.numpy)


def _plain(value: Any, name: str) -> Any:
    """A number, also out of a Tensor; its dtype decides with the others."""
    if isinstance(value, Tensor | np.ndarray):
        return value.item()
    if isinstance(value, int | float | np.number) or is_dimension(value):
        return value
    raise InvalidTypeError(
        f"an argument of `{name}` is {value!r}", expected="numbers", fix="pass numbers or Tensors"
    )


def _sequence_dtype(values: tuple[Any, ...], dtype: Any) -> Any:
    if dtype is not None:
        return as_dtype(dtype)
    tensors = [v.dtype for v in values if isinstance(v, Tensor)]
    floats = [d for d in tensors if d.is_floating]
    if floats:
        return floats[0]
    if [v for v in values if isinstance(v, float | np.floating)]:
        return default_dtype()
    return tensors[0] if len(tensors) == len(values) else as_dtype("int64")


@composite
def arange(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    name: str | None = None,
) -> Tensor:
    """Numbers from `start` up to, not including, `end` at equal steps.

    There are `ceil((end - start) / step)` of them, computed in double precision.

    Args:
        start: first number; with one argument it is the end, and 0 the start.
        end: where to stop.
        step: distance, not 0; negative counts down.
        dtype: dtype; `None` is int64, or the default float if an argument is a float.
        out: tensor that takes the result.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for Paddle's signature.
        name: not used.

    Raises:
        InvalidArgumentError: a step of 0.

    Examples:
        >>> import proa
        >>> proa.arange(2, 8, 2).tolist()
        [2, 4, 6]
    """
    if end is None:
        start, end = 0, start
    wanted = _sequence_dtype((start, end, step), dtype)
    first, last, distance = [_plain(v, "arange") for v in (start, end, step)]
    if not is_dimension(distance) and distance == 0:
        raise InvalidArgumentError(
            f"arange from {first} to {last} by a step of 0",
            expected="a step other than 0",
            fix="use full() for equal numbers",
        )
    if is_recording() or is_dimension(first) or is_dimension(last):
        made = _arange(first, last, distance, wanted)
    else:
        made = new_tensor(put(_counted(first, last, distance).astype(wanted.numpy)))
    return finish(made, out, device, requires_grad)


def _counted(first: Any, last: Any, distance: Any) -> np.ndarray:
    if all(isinstance(v, int | np.integer) for v in (first, last, distance)):
        return np.arange(first, last, distance, dtype=np.int64)
    count = max(0, math.ceil((float(last) - float(first)) / float(distance)))
    return float(first) + float(distance) * np.arange(count, dtype=np.float64)


@op(name="linspace", method=None, public=False)
def _linspace(start: Array, stop: Array, num: Any, dtype: DType):
    wide = jnp.float64 if dtype.itemsize >= 8 else jnp.float32
    return jnp.linspace(start.astype(wide), stop.astype(wide), num).astype(dtype.numpy)


@composite
def linspace(
    start: Any,
    stop: Any,
    num: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """`num` numbers at equal distances from `start` to `stop`, both included.

    Args:
        start: first number.
        stop: last number.
        num: how many, >= 1.
        dtype: dtype; `None` is float32. Integers are cut off.
        name: not used.
        out: tensor that takes the result.
        device: where it lies.
        requires_grad: whether a gradient is wanted.

    Raises:
        InvalidArgumentError: `num` is below 1.

    Examples:
        >>> import proa
        >>> proa.linspace(0, 1, 5).tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    count = _positive_count("linspace", num)
    wanted = _space_dtype((start, stop), dtype)
    if is_recording():
        made = _linspace(start, stop, count, wanted)
    else:
        numbers = np.linspace(_plain(start, "linspace"), _plain(stop, "linspace"), count)
        made = new_tensor(put(numbers.astype(wanted.numpy)))
    return finish(made, out, device, requires_grad)


def _positive_count(name: str, num: Any) -> Any:
    count = as_shape([num], name)[0]
    if not is_dimension(count) and count < 1:
        raise InvalidArgumentError(
            f"`num` of `{name}` is {count}", expected="num >= 1", fix="ask for at least one number"
        )
    return count


def _space_dtype(values: tuple[Any, ...], dtype: Any) -> Any:
    if dtype is not None:
        return as_dtype(dtype)
    floats = [v.dtype for v in values if isinstance(v, Tensor) and v.dtype.is_floating]
    return floats[0] if floats else default_dtype()


@op(name="logspace", method=None, public=False)
def _logspace(start: Array, stop: Array, base: Array, num: Any, dtype: DType):
    wide = jnp.float64 if dtype.itemsize >= 8 else jnp.float32
    powers = jnp.linspace(start.astype(wide), stop.astype(wide), num)
    return jnp.power(base.astype(wide), powers).astype(dtype.numpy)


@composite
def logspace(
    start: Any,
    stop: Any,
    num: Any,
    base: Any = 10.0,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """`num` powers of `base` whose exponents go evenly from `start` to `stop`.

    Args:
        start: first exponent.
        stop: last exponent.
        num: how many, >= 1.
        base: the base.
        dtype: dtype; `None` is float32.
        name: not used.

    Raises:
        InvalidArgumentError: `num` is below 1.

    Examples:
        >>> import proa
        >>> proa.logspace(0, 2, 3).tolist()
        [1.0, 10.0, 100.0]
    """
    count = _positive_count("logspace", num)
    wanted = _space_dtype((start, stop, base), dtype)
    if is_recording():
        return _logspace(start, stop, base, count, wanted)
    low, high, root = [_plain(v, "logspace") for v in (start, stop, base)]
    numbers = np.power(float(root), np.linspace(low, high, count))
    return new_tensor(put(numbers.astype(wanted.numpy)))


def _triangle_indices(pair: Any, dtype: Any) -> Tensor:
    return new_tensor(put(np.stack(pair).astype(as_dtype(dtype).numpy)))


@composite
def tril_indices(row: Any, col: Any = None, offset: int = 0, dtype: Any = "int64") -> Tensor:
    """Row and column numbers of the lower triangle of a matrix, shape [2, count].

    Args:
        row: number of rows.
        col: number of columns; `None` is as many as rows.
        offset: diagonal that ends the triangle; 0 is the main one, positive ones lie above.
        dtype: int32 or int64.

    Examples:
        >>> import proa
        >>> proa.tril_indices(2, 2).tolist()
        [[0, 1, 1], [0, 0, 1]]
    """
    rows, columns = as_shape([row, row if col is None else col], "tril_indices")
    return _triangle_indices(np.tril_indices(rows, offset, columns), dtype)


@composite
def triu_indices(row: Any, col: Any = None, offset: int = 0, dtype: Any = "int64") -> Tensor:
    """Row and column numbers of the upper triangle of a matrix, shape [2, count].

    Args:
        row: number of rows.
        col: number of columns; `None` is as many as rows.
        offset: diagonal that starts the triangle.
        dtype: int32 or int64.
    """
    rows, columns = as_shape([row, row if col is None else col], "triu_indices")
    return _triangle_indices(np.triu_indices(rows, offset, columns), dtype)


def new_full(
    self: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of another shape and this dtype, filled with one number.

    Args:
        self: gives the dtype unless one is named.
        size: integers.
        fill_value: the number.
        dtype: dtype of the result.
        device: where it lies; the current device by default.
        requires_grad: whether a gradient is wanted.
        pin_memory: makes no difference, XLA manages the memory for transfers.
    """
    made = _filled("new_full", size, fill_value, self.dtype if dtype is None else dtype)
    return finish(made, None, device, requires_grad)


def _like_method(name: str, fill: Any) -> None:
    def make(
        self: Tensor,
        size: Any,
        *,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
    ) -> Tensor:
        made = _filled(name, size, fill, self.dtype if dtype is None else dtype)
        return finish(made, None, device, requires_grad)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"A tensor of another shape and this dtype, filled with {fill}."
    attach_method(name, variadic(make))


_like_method("new_zeros", 0)
_like_method("new_ones", 1)
_like_method("new_empty", 0)
attach_method("new_full", new_full)


@composite
def range(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Numbers from `start` up to and including `end`; deprecated, use `arange`.

    Args:
        start: first number; with one argument it is the end, and 0 the start.
        end: last number, if the steps reach it.
        step: distance, not 0.
        dtype: dtype; `None` is the default float.
        out: tensor that takes the result.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        name: not used.

    Raises:
        InvalidArgumentError: a step of 0.

    Examples:
        >>> import proa
        >>> proa.range(0, 3).tolist()
        [0.0, 1.0, 2.0, 3.0]
    """
    if end is None:
        start, end = 0, start
    first, last, distance = [_plain(v, "range") for v in (start, end, step)]
    wanted = default_dtype() if dtype is None else dtype
    if distance == 0:
        return arange(first, last, distance)
    # Half a step further, so that the end is in.
    count = math.floor((float(last) - float(first)) / float(distance)) + 1
    return arange(
        first,
        first + (count - 0.5) * distance,
        distance,
        wanted,
        out=out,
        device=device,
        requires_grad=requires_grad,
    )
