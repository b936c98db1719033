"""Ops that show the same elements in another shape or order; they are views of their input."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    as_dtype,
    attach_method,
    become_view,
    composite,
    is_dimension,
    op,
)

from ._axes import normal_axes, normal_axis

if TYPE_CHECKING:
    from proa.core._types import Array, Axis, DType, Shape


def variadic(function: Callable[..., Any]) -> Callable[..., Any]:
    """Lets a function take its integers one by one: `x.reshape(2, 3)` as `x.reshape([2, 3])`."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > 2 and not any(isinstance(a, str | None) for a in args):
            return function(args[0], args[1:], **kwargs)
        return function(*args, **kwargs)

    return call


def reshape_back(base: Array, view: Array, attribute: Any):
    """Inverse of a view that keeps the order of elements; one attribute."""
    return jnp.reshape(view, base.shape)


def reshape_back_two(base: Array, view: Array, first: Any, second: Any):
    """Inverse of a view that keeps the order of elements; two attributes."""
    return jnp.reshape(view, base.shape)


def resolve_shape(x: Any, shape: tuple[Any, ...]) -> tuple[Any, ...]:
    """Fills in 0 (the input's extent) and checks a target shape; -1 is left to JAX.

    Raises:
        InvalidArgumentError: the shape cannot hold the elements of `x`.
    """
    filled = [
        x.shape[i] if not is_dimension(d) and d == 0 and i < x.ndim else d
        for i, d in enumerate(shape)
    ]
    if 0 in x.shape and 0 in shape and 0 not in filled:
        # Nothing can only become nothing: here 0 is meant.
        filled = list(shape)
    known = [d for d in filled if is_dimension(d) or d != -1]
    if len(filled) - len(known) > 1 or any(not is_dimension(d) and d < 0 for d in known):
        raise InvalidArgumentError(
            f"`shape` is {list(shape)}",
            expected="non-negative extents and at most one -1",
            fix="give all extents but one",
        )
    if any(is_dimension(d) for d in (*filled, *x.shape)):
        return tuple(filled)
    total, product = 1, 1
    for extent in x.shape:
        total *= extent
    for extent in known:
        product *= extent
    fits = total == product if len(known) == len(filled) else product and total % product == 0
    if not fits and (product or total):
        raise InvalidArgumentError(
            f"reshape of {list(x.shape)} ({total} elements) to {list(shape)}",
            expected=f"a shape of {total} elements",
            fix="let one extent be -1 to have it computed",
        )
    if not product and len(known) != len(filled):
        return tuple(0 if not is_dimension(d) and d == -1 else d for d in filled)
    return tuple(filled)


@variadic
@op(inverse=reshape_back, method=None)
def reshape(x: Array, shape: Shape):
    """Gives a tensor another shape; the result shares its values with `x`.

    Args:
        x: the tensor.
        shape: extents; one may be -1 (computed), a 0 keeps the extent of `x` at that place
            (and is a 0 where `x` is empty and would not fit otherwise).

    Returns:
        A view of `x`.

    Raises:
        InvalidArgumentError: the shape holds another number of elements.

    Examples:
        >>> import proa
        >>> proa.reshape(proa.to_tensor([[1, 2], [3, 4]]), [-1]).tolist()
        [1, 2, 3, 4]
    """
    return jnp.reshape(x, resolve_shape(x, shape))


def _bitcast(x: Any, dtype: Any) -> Any:
    source, target = jnp.dtype(x.dtype).itemsize, jnp.dtype(dtype).itemsize
    if "b" in (jnp.dtype(dtype).kind, x.dtype.kind):
        raise InvalidTypeError(
            f"view of {x.dtype} as {jnp.dtype(dtype)}",
            expected="dtypes other than bool",
            fix="use cast to convert values",
        )
    if source < target:
        ratio = target // source
        if not x.ndim or x.shape[-1] % ratio:
            raise InvalidArgumentError(
                f"view of a {x.dtype} tensor of shape {list(x.shape)} as {jnp.dtype(dtype)}",
                expected=f"a last axis divisible by {ratio}",
                fix="slice or pad the last axis",
            )
        return jax.lax.bitcast_convert_type(
            x.reshape(*x.shape[:-1], x.shape[-1] // ratio, ratio), dtype
        )
    made = jax.lax.bitcast_convert_type(x, dtype)
    if source > target:
        return made.reshape(*x.shape[:-1], -1) if x.ndim else made
    return made


def _bitcast_back(base: Array, view: Array, dtype: Any):
    return _bitcast(view, base.dtype)


@op(inverse=_bitcast_back, public=False, differentiable=False)
def view_dtype(x: Array, dtype: DType):
    """Reads the bytes of `x` as another dtype; the last axis takes the change of size."""
    return _bitcast(x, dtype.numpy)


@composite
def view(x: Tensor, shape_or_dtype: Any, name: str | None = None) -> Tensor:
    """Shows a tensor in another shape, or its bytes as another dtype.

    Args:
        x: the tensor.
        shape_or_dtype: extents as for `reshape`, or a dtype.

    Returns:
        A view of `x`.
    """
    if isinstance(shape_or_dtype, list | tuple | int) and not isinstance(shape_or_dtype, bool):
        return reshape(x, shape_or_dtype)
    return view_dtype(x, as_dtype(shape_or_dtype))


@composite
def view_as(x: Tensor, other: Tensor, name: str | None = None) -> Tensor:
    """Shows a tensor in the shape of another one.

    Args:
        x: the tensor.
        other: the tensor whose shape is taken.
    """
    return reshape(x, other.shape)


def _check_perm(ndim: int, perm: tuple[int, ...]) -> tuple[int, ...]:
    if len(perm) != ndim:
        raise InvalidArgumentError(
            f"`perm` is {list(perm)} for a tensor with {ndim} axes",
            expected=f"a permutation of the {ndim} axes",
            fix="name every axis once",
        )
    return normal_axes(perm, ndim, "perm")


def _transpose_back(base: Array, view: Array, perm: Any):
    axes = _check_perm(base.ndim, perm)
    return jnp.transpose(view, tuple(axes.index(i) for i in range(base.ndim)))


@op(name="transpose", inverse=_transpose_back, method=None, public=False)
def _transpose(x: Array, perm: Shape):
    return jnp.transpose(x, _check_perm(x.ndim, perm))


@composite
def transpose(x: Tensor, perm: Any, name: Any = None) -> Tensor:
    """Reorders the axes of a tensor.

    Args:
        x: the tensor.
        perm: for each axis of the result, the axis of `x` it comes from.

    Returns:
        A view of `x`. `transpose(x, i, j)` with two integers exchanges these axes.

    Raises:
        InvalidArgumentError: `perm` is no permutation.

    Examples:
        >>> import proa
        >>> proa.transpose(proa.ones([2, 3, 4]), [2, 0, 1]).shape
        [4, 2, 3]
    """
    if isinstance(perm, int) and isinstance(name, int):
        return swapaxes(x, perm, name)
    return _transpose(x, perm)


@variadic
@composite
def permute(input: Tensor, dims: Any) -> Tensor:
    """Reorders the axes: `transpose` with axes in a list or one by one.

    Args:
        input: the tensor.
        dims: for each axis of the result, the axis of `input` it comes from.
    """
    return _transpose(input, [dims] if isinstance(dims, int) else dims)


def _swap(ndim: int, first: int, second: int) -> tuple[int, ...]:
    order = list(range(ndim))
    i, j = normal_axis(first, ndim), normal_axis(second, ndim)
    order[i], order[j] = order[j], order[i]
    return tuple(order)


@composite
def swapaxes(x: Tensor, axis0: int, axis1: int, name: str | None = None) -> Tensor:
    """Exchanges two axes.

    Args:
        x: the tensor.
        axis0: one axis.
        axis1: the other.
    """
    return _transpose(x, _swap(x.ndim, axis0, axis1))


@composite
def moveaxis(x: Tensor, source: Any, destination: Any, name: str | None = None) -> Tensor:
    """Moves axes to other places; the remaining ones keep their order.

    Args:
        x: the tensor.
        source: axis or axes to move.
        destination: where they go.

    Raises:
        InvalidArgumentError: the two differ in length, or name an axis twice.
    """
    origin = normal_axes(source, x.ndim, "source")
    target = normal_axes(destination, x.ndim, "destination")
    if len(origin) != len(target):
        raise InvalidArgumentError(
            f"`source` names {len(origin)} axes and `destination` {len(target)}",
            expected="as many destinations as sources",
            fix="give both the same length",
        )
    remaining = iter(a for a in range(x.ndim) if a not in origin)
    placed = dict(zip(target, origin, strict=True))
    order = [placed[i] if i in placed else next(remaining) for i in range(x.ndim)]
    return _transpose(x, order)


@composite
def t(input: Tensor, name: str | None = None) -> Tensor:
    """Transposes a matrix; tensors with fewer axes come back as they are.

    Args:
        input: a tensor with at most two axes.

    Raises:
        InvalidArgumentError: more than two axes.
    """
    if input.ndim > 2:
        raise InvalidArgumentError(
            f"t() of a tensor of shape {input.shape}",
            expected="at most two axes",
            fix="use transpose(x, perm), or x.mT for the last two axes",
        )
    return _transpose(input, tuple(reversed(range(input.ndim))))


@composite
def matrix_transpose(x: Tensor, name: str | None = None) -> Tensor:
    """Exchanges the last two axes.

    Args:
        x: a tensor with at least two axes.
    """
    return swapaxes(x, -1, -2)


def _squeezed_axes(x: Any, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(i for i, d in enumerate(x.shape) if not is_dimension(d) and d == 1)
    given = axis if isinstance(axis, tuple) else (axis,)
    axes = {normal_axis(a, x.ndim) for a in given if x.ndim}
    return tuple(sorted(a for a in axes if not is_dimension(x.shape[a]) and x.shape[a] == 1))


@op(inverse=reshape_back, method=None)
def squeeze(x: Array, axis: Axis | None = None):
    """Drops axes of extent 1.

    Args:
        x: the tensor.
        axis: axis or axes to drop where their extent is 1; all of them by default.

    Returns:
        A view of `x`.
    """
    return jax.lax.squeeze(x, _squeezed_axes(x, axis))


@op(inverse=reshape_back, method=None)
def unsqueeze(x: Array, axis: Axis):
    """Inserts axes of extent 1.

    Args:
        x: the tensor.
        axis: place or places, counted in the result; several are inserted one after another.

    Returns:
        A view of `x`.

    Raises:
        OutOfRangeError: a place outside the result.
    """
    for place in axis if isinstance(axis, tuple) else (axis,):
        x = jnp.expand_dims(x, normal_axis(place, x.ndim + 1))
    return x


@op(inverse=reshape_back_two)
def flatten(x: Array, start_axis: int = 0, stop_axis: int = -1):
    """Merges a range of axes into one.

    Args:
        x: the tensor.
        start_axis: the first axis to merge.
        stop_axis: the last one, included.

    Returns:
        A view of `x`; a 0-d tensor gives shape [1].

    Raises:
        InvalidArgumentError: `stop_axis` lies before `start_axis`.
    """
    if not x.ndim:
        return jnp.reshape(x, (1,))
    first = normal_axis(start_axis, x.ndim, "start_axis")
    last = normal_axis(stop_axis, x.ndim, "stop_axis")
    if last < first:
        raise InvalidArgumentError(
            f"`start_axis` is {start_axis} and `stop_axis` is {stop_axis} for {x.ndim} axes",
            expected="start_axis <= stop_axis",
            fix="exchange the two",
        )
    merged = 1
    for extent in x.shape[first : last + 1]:
        merged = merged * extent
    return jnp.reshape(x, (*x.shape[:first], merged, *x.shape[last + 1 :]))


@op(inverse=reshape_back_two)
def unflatten(x: Array, axis: int, shape: Shape):
    """Splits one axis into several.

    Args:
        x: the tensor.
        axis: the axis to split.
        shape: extents it is split into; one may be -1.

    Returns:
        A view of `x`.

    Raises:
        InvalidArgumentError: the extents do not multiply to the axis' extent.
    """
    place = normal_axis(axis, x.ndim)
    extent = x.shape[place]
    known = 1
    for d in shape:
        if is_dimension(d) or d != -1:
            known = known * d
    missing = sum(1 for d in shape if not is_dimension(d) and d == -1)
    constant = not is_dimension(extent) and not is_dimension(known)
    if constant and (
        missing > 1 or not known or extent % known or (not missing and extent != known)
    ):
        raise InvalidArgumentError(
            f"axis {axis} of extent {extent} is to be split into {list(shape)}",
            expected=f"extents with product {extent}, at most one of them -1",
            fix="let one extent be -1 to have it computed",
        )
    filled = [extent // known if not is_dimension(d) and d == -1 else d for d in shape]
    return jnp.reshape(x, (*x.shape[:place], *filled, *x.shape[place + 1 :]))


def _as_real_back(base: Array, view: Array):
    return jax.lax.complex(view[..., 0], view[..., 1])


def _as_complex_back(base: Array, view: Array):
    return jnp.stack([jnp.real(view), jnp.imag(view)], axis=-1)


@op(inverse=_as_complex_back)
def as_complex(x: Array):
    """Reads a last axis of extent 2 as real and imaginary part.

    Args:
        x: a floating tensor of shape [..., 2].

    Returns:
        A complex view of shape [...].

    Raises:
        InvalidArgumentError: the last axis has another extent.
    """
    if not x.ndim or x.shape[-1] != 2:
        raise InvalidArgumentError(
            f"as_complex of a tensor of shape {list(x.shape)}",
            expected="a last axis of extent 2",
            fix="stack real and imaginary parts on a new last axis",
        )
    return jax.lax.complex(x[..., 0], x[..., 1])


@op(inverse=_as_real_back)
def as_real(x: Array):
    """Shows a complex tensor as a real one with a new last axis: real part, imaginary part.

    Args:
        x: a complex tensor of shape [...].

    Returns:
        A floating view of shape [..., 2].
    """
    if not jnp.iscomplexobj(x):
        raise InvalidTypeError(
            f"as_real of a {x.dtype} tensor", expected="a complex tensor", fix="pass it as it is"
        )
    return jnp.stack([jnp.real(x), jnp.imag(x)], axis=-1)


@composite
def view_as_complex(input: Tensor) -> Tensor:
    """`as_complex` under torch's name.

    Args:
        input: a floating tensor of shape [..., 2].
    """
    return as_complex(input)


@composite
def view_as_real(input: Tensor) -> Tensor:
    """`as_real` under torch's name.

    Args:
        input: a complex tensor of shape [...].
    """
    return as_real(input)


def _at_least(ndim: int, inputs: tuple[Any, ...]) -> Any:
    if len(inputs) == 1 and isinstance(inputs[0], list | tuple):
        inputs = tuple(inputs[0])
    results = [_raise_ndim(x if isinstance(x, Tensor) else Tensor(x), ndim) for x in inputs]
    return results[0] if len(results) == 1 else results


def _raise_ndim(x: Tensor, ndim: int) -> Tensor:
    places = {
        (0, 1): (0,),
        (0, 2): (0, 0),
        (1, 2): (0,),
        (0, 3): (0, 0, 0),
        (1, 3): (0, 2),
        (2, 3): (2,),
    }.get((x.ndim, ndim))
    return x if places is None else unsqueeze(x, places)


@composite
def atleast_1d(*inputs: Any, name: str | None = None) -> Any:
    """Gives each 0-d tensor an axis.

    Args:
        inputs: tensors or numbers.

    Returns:
        One tensor, or a list for several inputs.
    """
    return _at_least(1, inputs)


@composite
def atleast_2d(*inputs: Any, name: str | None = None) -> Any:
    """Puts axes of extent 1 before the others until there are two.

    Args:
        inputs: tensors or numbers.

    Returns:
        One tensor, or a list for several inputs.
    """
    return _at_least(2, inputs)


@composite
def atleast_3d(*inputs: Any, name: str | None = None) -> Any:
    """Adds axes of extent 1 until there are three: [n] becomes [1, n, 1], [m, n] [m, n, 1].

    Args:
        inputs: tensors or numbers.

    Returns:
        One tensor, or a list for several inputs.
    """
    return _at_least(3, inputs)


@composite
def ravel(input: Tensor) -> Tensor:
    """Shows all elements in one axis.

    Args:
        input: the tensor.
    """
    return flatten(input)


def _inplace(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def inplace(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return become_view(x, lambda former: function(former, *args, **kwargs))

    inplace.__name__ = inplace.__qualname__ = f"{function.__name__}_"
    inplace.__doc__ = f"In-place form of `{function.__name__}`: changes `x` and returns it."
    return inplace


reshape_ = _inplace(reshape)
squeeze_ = _inplace(squeeze)
unsqueeze_ = _inplace(unsqueeze)
flatten_ = _inplace(flatten)
transpose_ = _inplace(transpose)
t_ = _inplace(t)

swapdims = swapaxes

for _name, _method in {
    "reshape": reshape,
    "view": variadic(view),
    "view_as": view_as,
    "transpose": transpose,
    "permute": permute,
    "swapaxes": swapaxes,
    "swapdims": swapdims,
    "moveaxis": moveaxis,
    "t": t,
    "matrix_transpose": matrix_transpose,
    "squeeze": variadic(squeeze),
    "unsqueeze": unsqueeze,
    "view_as_complex": view_as_complex,
    "view_as_real": view_as_real,
    "atleast_1d": atleast_1d,
    "atleast_2d": atleast_2d,
    "atleast_3d": atleast_3d,
    "ravel": ravel,
    "reshape_": variadic(reshape_),
    "squeeze_": squeeze_,
    "unsqueeze_": unsqueeze_,
    "flatten_": flatten_,
    "transpose_": transpose_,
    "t_": t_,
    "T": property(lambda self: _transpose(self, tuple(reversed(range(self.ndim))))),
    "mT": property(matrix_transpose),
}.items():
    attach_method(_name, _method)  # type: ignore[arg-type]
