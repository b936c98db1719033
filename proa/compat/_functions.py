"""Functions with PyTorch's arguments and results, where they differ from Paddle's.

`max`, `min`, `median` and `sort` over an axis give values with their indices, `split` takes the
size of the parts. Source: PyTorch 2's signatures; ties and NaN go as in Proa's own functions.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from proa import ops
from proa.core import InvalidArgumentError, InvalidTypeError, OutOfRangeError, Tensor, write_out
from proa.core import seed as start_stream
from proa.linalg import slogdet as joint_slogdet

_builtin_max, _builtin_min = max, min


class MinMaxRetType(NamedTuple):
    """Extreme values over an axis, and where they are."""

    values: Tensor
    indices: Tensor


class MedianRetType(NamedTuple):
    """Medians over an axis, and where they are."""

    values: Tensor
    indices: Tensor


class SortRetType(NamedTuple):
    """Sorted values, and where they were."""

    values: Tensor
    indices: Tensor


class SlogdetResult(NamedTuple):
    """Sign and logarithm of the absolute value of a determinant."""

    sign: Tensor
    logabsdet: Tensor


def _into(made: Any, out: Any) -> Any:
    """Writes results into the tensors of `out`, if there are any."""
    if out is None:
        return made
    if isinstance(made, Tensor):
        return write_out(out, made)
    if not isinstance(out, tuple | list) or len(out) != len(made):
        raise InvalidTypeError(
            f"`out` is {type(out).__name__}",
            expected=f"a tuple of {len(made)} tensors",
            fix="pass out=(values, indices), or leave it out",
        )
    return type(made)(*[write_out(o, m) for o, m in zip(out, made, strict=True)])


def _extreme(
    name: str, reduce: Callable[..., Tensor], find: Callable[..., Tensor], pair: Callable[..., Any]
) -> Callable[..., Any]:
    def extreme(input: Tensor, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        given = dict(zip(("dim", "keepdim"), args, strict=False)) | kwargs
        if isinstance(given.get("dim"), Tensor):
            given["other"] = given.pop("dim")
        if not given and len(args) == 0:
            return _into(reduce(input), out)
        if given.keys() == {"other"} and isinstance(given["other"], Tensor):
            return _into(pair(input, given["other"]), out)
        if not isinstance(given.get("dim"), int) or given.keys() - {"dim", "keepdim"}:
            raise InvalidTypeError(
                f"`compat.{name}` is given " + ", ".join(f"{k}={v!r}" for k, v in given.items()),
                expected=f"{name}(input), {name}(input, dim, keepdim) or {name}(input, other)",
                fix=f"proa.{name} takes `axis`, also several",
            )
        return _into(_along(input, find, given["dim"], given.get("keepdim", False)), out)

    extreme.__name__ = extreme.__qualname__ = name
    word = "Largest" if name == "max" else "Smallest"
    extreme.__doc__ = f"""{word} elements: of all, over an axis with indices, or of two tensors.

    Args:
        input: real tensor.
        args: nothing, for the one of all elements; `dim, keepdim`; or `other`, a tensor.
        out: tensor, or (values, indices), that takes the result.
        kwargs: the same by name.

    Returns:
        A Tensor; over an axis (values, indices).

    Raises:
        InvalidTypeError: other arguments.

    Examples:
        >>> import proa.compat
        >>> x = proa.to_tensor([[3.0, 1.0, 2.0]])
        >>> proa.compat.{name}(x, dim=1).indices.tolist()
        [{0 if name == "max" else 1}]
    """
    return extreme


def _along(input: Tensor, find: Callable[..., Tensor], dim: int, keepdim: bool) -> MinMaxRetType:
    if input.ndim == 0:
        return MinMaxRetType(ops.clone(input), ops.zeros([], "int64"))
    indices = find(input, dim, True)
    values = ops.take_along_axis(input, indices, dim, False)
    if keepdim:
        return MinMaxRetType(values, indices)
    return MinMaxRetType(ops.squeeze(values, dim), ops.squeeze(indices, dim))


max = _extreme("max", ops.max, ops.argmax, ops.maximum)
min = _extreme("min", ops.min, ops.argmin, ops.minimum)


def _median(function: Any, input: Tensor, dim: int | None, keepdim: bool, out: Any) -> Any:
    if dim is None:
        # Of all elements: one number, whatever `keepdim` says.
        return _into(function(ops.flatten(input), 0, False, "min")[0], out)
    return _into(MedianRetType(*function(input, dim, keepdim, "min")), out)


def median(input: Tensor, dim: int | None = None, keepdim: bool = False, out: Any = None) -> Any:
    """Medians; of an even number of elements the lower of the two in the middle.

    Args:
        input: real tensor.
        dim: axis; `None` for the median of all elements, which comes alone.
        keepdim: whether the axis stays, with extent 1.
        out: tensor, or (values, indices), that takes the result.

    Returns:
        A Tensor; over an axis (values, indices).
    """
    return _median(ops.median, input, dim, keepdim, out)


def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False, out: Any = None) -> Any:
    """Medians that leave NaN out; see `median`.

    Args:
        input: real tensor.
        dim: axis; `None` for the median of all elements, which comes alone.
        keepdim: whether the axis stays, with extent 1.
        out: tensor, or (values, indices), that takes the result.
    """
    return _median(ops.nanmedian, input, dim, keepdim, out)


def sort(
    input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False, out: Any = None
) -> SortRetType:
    """Sorts along an axis.

    Args:
        input: the tensor.
        dim: the axis.
        descending: whether the largest come first.
        stable: whether equal elements keep their order (they always do).
        out: (values, indices) that take the result.

    Examples:
        >>> import proa.compat
        >>> proa.compat.sort(proa.to_tensor([3.0, 1.0])).indices.tolist()
        [1, 0]
    """
    if input.ndim == 0:
        return _into(SortRetType(ops.clone(input), ops.zeros([], "int64")), out)
    indices = ops.argsort(input, dim, descending, True)
    return _into(SortRetType(ops.take_along_axis(input, indices, dim, False), indices), out)


def split(
    tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Cuts a tensor into parts along an axis.

    Args:
        tensor: the tensor.
        split_size_or_sections: the size of each part (the last one may be smaller), or all sizes.
        dim: the axis.

    Raises:
        InvalidArgumentError: a size that is not positive, or sizes that do not add up.
        OutOfRangeError: no such axis.

    Examples:
        >>> import proa.compat
        >>> [part.tolist() for part in proa.compat.split(proa.arange(5), 2)]
        [[0, 1], [2, 3], [4]]
    """
    if not -tensor.ndim <= dim < tensor.ndim:
        raise OutOfRangeError(
            f"`dim` of `compat.split` is {dim}",
            expected=f"an axis of a tensor of shape {tensor.shape}",
            fix="count from 0, or from the end with -1",
        )
    extent, sizes = tensor.shape[dim], split_size_or_sections
    if isinstance(sizes, int):
        if sizes <= 0:
            raise InvalidArgumentError(
                f"`split_size_or_sections` is {sizes}",
                expected="a size above 0",
                fix="proa.split takes the number of parts instead",
            )
        starts = range(0, _builtin_max(extent, 1), sizes)
        sizes = [_builtin_min(sizes, extent - start) for start in starts]
    if any(size < 0 for size in sizes) or sum(sizes) != extent:
        raise InvalidArgumentError(
            f"`split_size_or_sections` is {list(sizes)} for an extent of {extent}",
            expected="sizes >= 0 that add up to the extent",
            fix="correct the sizes",
        )
    places = [sum(sizes[:i]) for i in range(len(sizes))]
    return tuple(
        ops.slice(tensor, [dim % tensor.ndim], [at], [at + n])
        for at, n in zip(places, sizes, strict=True)
    )


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Distinct elements, or slices of an axis, in order.

    Args:
        input: the tensor.
        sorted: kept for PyTorch's signature; they are sorted always.
        return_inverse: whether to tell where each element is among them.
        return_counts: whether to tell how often each occurs.
        dim: axis whose slices are compared; `None` compares elements.

    Returns:
        The distinct ones; with (inverse, counts) as asked for.
    """
    found = ops.unique(input, False, return_inverse, return_counts, dim)
    return tuple(found) if isinstance(found, tuple | list) else found


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements.

    Args:
        input: a tensor.
        other: another one.

    Examples:
        >>> import proa.compat
        >>> proa.compat.equal(proa.ones([2]), proa.ones([2]))
        True
    """
    return list(input.shape) == list(other.shape) and bool(ops.all(ops.equal(input, other)))


def seed() -> int:
    """Starts the random stream at a number that nobody could guess, and returns it."""
    # As many bits as a float64 holds exactly, so that the number survives a JSON file.
    number = secrets.randbits(53)
    start_stream(number)
    return number


def slogdet(x: Tensor, out: Any = None) -> SlogdetResult:
    """Signs and logarithms of the absolute values of determinants.

    Args:
        x: tensor of shape [..., n, n].
        out: (sign, logabsdet) that take the result.
    """
    joint = joint_slogdet(x)
    return _into(SlogdetResult(joint[0], joint[1]), out)
