"""Max and average pooling over windows.

The gradient of a maximum goes to the first of equal elements, as in Paddle. It is found axis
by axis as a choice between shifted slices, which XLA:CPU runs three times faster than its own
window gradient (select and scatter): 8x64x112x112, 3x3, step 2: 42 against 131 ms.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from proa.core import InvalidArgumentError, op

from ._promote import widened
from ._windows import (
    check_rank,
    expand,
    expand_padding,
    is_channel_last,
    is_constant,
    output_size,
    require_constant,
    resolve_padding,
    spatial_sizes,
    with_spatial,
)

if TYPE_CHECKING:
    from proa.core._types import Array, Ints


#: Windows up to this size are summed as slices: a tenth of a window sum's time for 2x2.
_FEW_ELEMENTS = 9


class Windows(NamedTuple):
    """Where the windows of a pool lie, per spatial axis."""

    kernel: tuple[int, ...]
    steps: tuple[int, ...]
    pads: tuple[tuple[Any, Any], ...]
    counts: tuple[Any, ...]
    last: bool


def plan_windows(
    x: Array, kernel: Any, stride: Any, padding: Any, ceil: bool, data_format: str, name: str
) -> Windows:
    """Reads Paddle's pooling arguments; the rank is the digit before the name's `d`."""
    rank = int(name[-2])
    last = is_channel_last(data_format, rank, name)
    check_rank(x, rank, name)
    extents = expand(kernel, rank, "kernel_size", name)
    steps = extents if stride is None else expand(stride, rank, "stride", name)
    given = expand_padding(padding, rank, last, name)
    sizes = spatial_sizes(x, last)
    pads = resolve_padding(given, sizes, extents, steps)
    counts = tuple(
        output_size(*each, ceil) for each in zip(sizes, extents, pads, steps, strict=True)
    )
    for size, extent, (before, after), count in zip(sizes, extents, pads, counts, strict=True):
        if is_constant(size) and (count < 1 or max(before, after) >= extent):
            raise InvalidArgumentError(
                f"`{name}` got spatial sizes {list(sizes)}, kernel_size {list(extents)} and "
                f"padding {list(pads)}",
                expected="windows no larger than the padded input, and padding below the kernel",
                fix="use a smaller kernel or other padding",
            )
    return Windows(extents, steps, pads, counts, last)


def _covering_pads(sizes: Any, plan: Windows) -> list[tuple[Any, Any]]:
    """Padding that makes exactly `counts` windows fit; negative where input is left over."""
    pads = []
    for size, extent, step, (before, _), count in zip(
        sizes, plan.kernel, plan.steps, plan.pads, plan.counts, strict=True
    ):
        pads.append((before, (count - 1) * step + extent - size - before))
    return pads


def shifted_slices(x: Array, plan: Windows, fill: Any) -> list[Array]:
    """One strided slice of the padded input per window element, in row-major order."""
    sizes = spatial_sizes(x, plan.last)
    pads = with_spatial(tuple(_covering_pads(sizes, plan)), plan.last, (0, 0), (0, 0))
    padded = lax.pad(x, jnp.asarray(fill, x.dtype), [(low, high, 0) for low, high in pads])
    slices = []
    for offset in itertools.product(*(range(extent) for extent in plan.kernel)):
        ends = tuple(
            o + (count - 1) * step + 1
            for o, count, step in zip(offset, plan.counts, plan.steps, strict=True)
        )
        slices.append(
            lax.slice(
                padded,
                with_spatial(offset, plan.last, 0, 0),
                with_spatial(ends, plan.last, *_outer(padded, plan.last)),
                with_spatial(plan.steps, plan.last, 1, 1),
            )
        )
    return slices


def _outer(x: Array, last: bool) -> tuple[Any, Any]:
    return x.shape[0], x.shape[-1 if last else 1]


def _lowest(dtype: Any) -> Any:
    if jnp.issubdtype(dtype, jnp.floating):
        return np.array(-jnp.inf, dtype)
    return np.array(jnp.iinfo(dtype).min, dtype)


def _along(plan: Windows, sizes: tuple[Any, ...], axis: int) -> Windows:
    """The plan of one spatial axis, with windows of one element along the others."""
    rank = len(sizes)

    def only(values: tuple[Any, ...], other: Any) -> tuple[Any, ...]:
        return tuple(values[i] if i == axis else other for i in range(rank))

    counts = tuple(plan.counts[i] if i == axis else sizes[i] for i in range(rank))
    return Windows(
        only(plan.kernel, 1), only(plan.steps, 1), only(plan.pads, (0, 0)), counts, plan.last
    )


def _winner(slices: list[Array]) -> tuple[Array, Array]:
    """The largest of some slices and the number of the first that holds it."""
    best, winner = slices[0], jnp.zeros(slices[0].shape, jnp.int32)
    for number, candidate in enumerate(slices[1:], 1):
        # A NaN wins, and stays.
        better = (candidate > best) | ((candidate != candidate) & (best == best))
        best = jnp.where(better, candidate, best)
        winner = jnp.where(better, number, winner)
    return best, winner


def _pick(slices: list[Array], winner: Array) -> Array:
    """The element of the slice that `winner` names; linear in the slices."""
    zero = jnp.zeros((), slices[0].dtype)
    picked = jnp.where(winner == 0, slices[0], zero)
    for number, candidate in enumerate(slices[1:], 1):
        picked = picked + jnp.where(winner == number, candidate, zero)
    return picked


def _choose(x: Array, carried: Array, plan: Windows) -> Array:
    """For each window the element of `carried` at the place of the largest of `x`."""
    sizes = list(spatial_sizes(x, plan.last))
    for axis in reversed(range(len(sizes))):
        along = _along(plan, tuple(sizes), axis)
        if plan.kernel[axis] > 1 or plan.counts[axis] != sizes[axis]:
            x, winner = _winner(shifted_slices(x, along, _lowest(x.dtype)))
            carried = _pick(shifted_slices(carried, along, 0), winner)
        sizes[axis] = plan.counts[axis]
    return carried


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def max_windows(x: Array, plan: Windows) -> Array:
    """Largest value per window."""
    pads = _covering_pads(spatial_sizes(x, plan.last), plan)
    return lax.reduce_window(
        x,
        _lowest(x.dtype),
        lax.max,
        with_spatial(plan.kernel, plan.last, 1, 1),
        with_spatial(plan.steps, plan.last, 1, 1),
        with_spatial(tuple(pads), plan.last, (0, 0), (0, 0)),
    )


@max_windows.defjvp
def _max_windows_jvp(plan: Windows, primals: Any, tangents: Any) -> tuple[Array, Array]:
    (x,), (tangent,) = primals, tangents
    return max_windows(x, plan), _choose(lax.stop_gradient(x), tangent, plan)


def max_positions(x: Array, plan: Windows) -> Array:
    """Flat position in the spatial axes of each window's largest element (int32)."""
    sizes = spatial_sizes(x, plan.last)
    flat = jnp.arange(math.prod(sizes), dtype=jnp.int32).reshape(sizes)
    return _choose(lax.stop_gradient(x), jnp.broadcast_to(flat, x.shape), plan)


def _max_pool(
    x: Array, kernel: Any, stride: Any, padding: Any, mask: bool, ceil: bool, form: str, name: str
) -> Any:
    plan = plan_windows(x, kernel, stride, padding, ceil, form, name)
    best = max_windows(x, plan)
    if not mask:
        return best
    if plan.last:
        raise InvalidArgumentError(
            f"`{name}` got return_mask=True and data_format={form!r}",
            expected="a format with the channels first",
            fix="transpose x, or ask for no mask",
        )
    require_constant("the input's spatial size", name, *spatial_sizes(x, plan.last))
    return best, max_positions(x, plan)


@op(method=None)
def max_pool1d(
    x: Array,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Any = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """Largest value in each window of a sequence.

    Args:
        x: tensor [N, C, L].
        kernel_size: length of the window.
        stride: step of the window; its length by default.
        padding: as in `conv1d`, below the kernel size; padded places never win.
        return_mask: return the winners' positions (int32) too.
        ceil_mode: count an incomplete last window that begins inside the input.

    Returns:
        Tensor [N, C, L'], or it and the positions.

    Raises:
        InvalidArgumentError: kernel, stride or padding do not fit the input.
    """
    return _max_pool(x, kernel_size, stride, padding, return_mask, ceil_mode, "NCL", "max_pool1d")


@op(method=None)
def max_pool2d(
    x: Array,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Any = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCHW",
) -> Any:
    """Largest value in each window of an image.

    Args:
        x: tensor [N, C, H, W] (or [N, H, W, C]).
        kernel_size: the window: an integer, or height and width.
        stride: step of the window; its size by default.
        padding: as in `conv2d`, below the kernel size; padded places never win.
        return_mask: return the winners' flat positions in H x W (int32) too.
        ceil_mode: count an incomplete last window that begins inside the input.
        data_format: `'NCHW'` or `'NHWC'`.

    Returns:
        Tensor [N, C, H', W'], or it and the positions.

    Raises:
        InvalidArgumentError: kernel, stride or padding do not fit the input.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> F.max_pool2d(proa.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), 2).item()
        4.0
    """
    return _max_pool(
        x, kernel_size, stride, padding, return_mask, ceil_mode, data_format, "max_pool2d"
    )


@op(method=None)
def max_pool3d(
    x: Array,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Any = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCDHW",
) -> Any:
    """Largest value in each window of a volume.

    Args:
        x: tensor [N, C, D, H, W] (or [N, D, H, W, C]).
        kernel_size: the window: an integer, or one per spatial axis.
        stride: step of the window; its size by default.
        padding: as in `conv3d`, below the kernel size; padded places never win.
        return_mask: return the winners' flat positions in D x H x W (int32) too.
        ceil_mode: count an incomplete last window that begins inside the input.
        data_format: `'NCDHW'` or `'NDHWC'`.

    Returns:
        Tensor [N, C, D', H', W'], or it and the positions.

    Raises:
        InvalidArgumentError: kernel, stride or padding do not fit the input.
    """
    return _max_pool(
        x, kernel_size, stride, padding, return_mask, ceil_mode, data_format, "max_pool3d"
    )


def sum_windows(x: Array, plan: Windows) -> Array:
    """Sum of each window; padding counts as zero."""
    # Slices ask whether an unknown size is large enough, the window sum does not.
    known = all(map(is_constant, plan.counts))
    if known and math.prod(plan.kernel) <= _FEW_ELEMENTS:
        return functools.reduce(lax.add, shifted_slices(x, plan, 0))
    pads = _covering_pads(spatial_sizes(x, plan.last), plan)
    return lax.reduce_window(
        x,
        np.zeros((), x.dtype),
        lax.add,
        with_spatial(plan.kernel, plan.last, 1, 1),
        with_spatial(plan.steps, plan.last, 1, 1),
        with_spatial(tuple(pads), plan.last, (0, 0), (0, 0)),
    )


def _covered(sizes: tuple[Any, ...], plan: Windows, exclusive: bool, dtype: Any) -> Array:
    """Number of elements per window that count, broadcastable to the output.

    Excluding padding these are the cells of the input; including it the cells of input and
    padding, but never what `ceil_mode` adds behind the padding (PT#183528).
    """
    total = jnp.ones((), dtype)
    for i, (size, extent, step, (before, after), count) in enumerate(
        zip(sizes, plan.kernel, plan.steps, plan.pads, plan.counts, strict=True)
    ):
        begin = jnp.arange(count) * step - before
        end = jnp.minimum(begin + extent, size if exclusive else size + after)
        along = (end - (jnp.maximum(begin, 0) if exclusive else begin)).astype(dtype)
        shape = [1] * (len(sizes) + 2)
        shape[i + (1 if plan.last else 2)] = -1
        total = total * along.reshape(shape)
    return total


def _avg_pool(
    x: Array,
    kernel: Any,
    stride: Any,
    padding: Any,
    exclusive: bool,
    ceil: bool,
    divisor: int | None,
    form: str,
    name: str,
) -> Array:
    plan = plan_windows(x, kernel, stride, padding, ceil, form, name)
    if divisor is not None and divisor <= 0:
        raise InvalidArgumentError(
            f"`divisor_override` of `{name}` is {divisor}",
            expected="a positive integer",
            fix="leave it None to divide by the window's size",
        )
    sizes = spatial_sizes(x, plan.last)
    total = sum_windows(widened(x), plan)
    count: Any = divisor
    if divisor is None and not ceil and not any(any(pair) for pair in plan.pads):
        count = math.prod(plan.kernel)
    elif divisor is None:
        count = _covered(sizes, plan, exclusive, total.dtype)
    mean = total / count
    return mean if total.dtype == x.dtype else mean.astype(x.dtype)


@op(method=None)
def avg_pool1d(
    x: Array,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Any = 0,
    exclusive: bool = True,
    ceil_mode: bool = False,
) -> Array:
    """Mean of each window of a sequence.

    Args:
        x: floating tensor [N, C, L].
        kernel_size: length of the window.
        stride: step of the window; its length by default.
        padding: zeros, as in `conv1d`, below the kernel size.
        exclusive: divide by the number of input elements in the window, not by its size.
        ceil_mode: count an incomplete last window that begins inside the input.

    Raises:
        InvalidArgumentError: kernel, stride or padding do not fit the input.
    """
    return _avg_pool(
        x, kernel_size, stride, padding, exclusive, ceil_mode, None, "NCL", "avg_pool1d"
    )


@op(method=None)
def avg_pool2d(
    x: Array,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: int | None = None,
    data_format: str = "NCHW",
) -> Array:
    """Mean of each window of an image.

    Args:
        x: floating tensor [N, C, H, W] (or [N, H, W, C]).
        kernel_size: the window: an integer, or height and width.
        stride: step of the window; its size by default.
        padding: zeros, as in `conv2d`, below the kernel size.
        ceil_mode: count an incomplete last window that begins inside the input.
        exclusive: divide by the number of input elements in the window, not by its size.
        divisor_override: divide by this instead.
        data_format: `'NCHW'` or `'NHWC'`.

    Raises:
        InvalidArgumentError: kernel, stride, padding or divisor do not fit.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> F.avg_pool2d(proa.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), 2).item()
        2.5
    """
    return _avg_pool(
        x,
        kernel_size,
        stride,
        padding,
        exclusive,
        ceil_mode,
        divisor_override,
        data_format,
        "avg_pool2d",
    )


@op(method=None)
def avg_pool3d(
    x: Array,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: int | None = None,
    data_format: str = "NCDHW",
) -> Array:
    """Mean of each window of a volume.

    Args:
        x: floating tensor [N, C, D, H, W] (or [N, D, H, W, C]).
        kernel_size: the window: an integer, or one per spatial axis.
        stride: step of the window; its size by default.
        padding: zeros, as in `conv3d`, below the kernel size.
        ceil_mode: count an incomplete last window that begins inside the input.
        exclusive: divide by the number of input elements in the window, not by its size.
        divisor_override: divide by this instead.
        data_format: `'NCDHW'` or `'NDHWC'`.

    Raises:
        InvalidArgumentError: kernel, stride, padding or divisor do not fit.
    """
    return _avg_pool(
        x,
        kernel_size,
        stride,
        padding,
        exclusive,
        ceil_mode,
        divisor_override,
        data_format,
        "avg_pool3d",
    )
