"""Max pooling over windows that are cut at pseudo-random places, to any output size."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax

from proa.core import InvalidArgumentError, Tensor, composite, describe_array, op, to_tensor

from ._random import rand

if TYPE_CHECKING:
    from proa.core._types import Array


def _windows(size: int, out: int, kernel: int | None, u: Array) -> tuple[Array, Array]:
    """Places `[out, longest]` of the windows of one axis, and which of them are inside."""
    steps = jnp.arange(out + 1, dtype=jnp.float32)
    if kernel is not None:
        step = (size - kernel) / (out - 1) if out > 1 else 0.0
        starts = (((steps + u) * step).astype(jnp.int32) - (u * step).astype(jnp.int32))[:-1]
        starts = jnp.where(steps[:-1] == out - 1, size - kernel, starts)
        ends, longest = starts + kernel, kernel
    else:
        step, base = size / out, size // out
        # The largest u for which all windows stay inside.
        limit = min((base + 2) / step - 1, (size + 1 - base) / step - (out - 1))
        u = u * limit
        edges = ((steps + u) * step).astype(jnp.int32) - (u * step).astype(jnp.int32)
        starts, ends, longest = edges[:-1], jnp.minimum(edges[1:], size), math.ceil(step)
    places = starts[:, None] + jnp.arange(longest)[None, :]
    return jnp.minimum(places, size - 1), places < ends[:, None]


def _check(x: Any, output_size: tuple[Any, ...], kernel: tuple[Any, ...], name: str) -> None:
    rank = len(output_size)
    sizes = tuple(x.shape[2:])
    fits = x.ndim == rank + 2 and all(
        o >= 1 and (k is None or 1 <= k) and o + (k or 1) - 1 <= s
        for o, k, s in zip(output_size, kernel, sizes, strict=True)
    )
    if not fits:
        raise InvalidArgumentError(
            f"`{name}` got x {describe_array(x)}, output_size={output_size}, kernel_size={kernel}",
            expected=f"batch, channels and {rank} axes of at least output_size + kernel_size - 1",
            fix="make the output or the window smaller",
        )


@op(method=None, public=False)
def fractional_max_pool(x: Array, u: Array, output_size: Any, kernel_size: Any, name_of_op: str):
    """Maxima and their flat places; see `fractional_max_pool2d`.

    Args:
        x: `[N, C, *sizes]`.
        u: 0-d float in (0, 1).
        output_size: one number per axis, or `None` to keep the axis.
        kernel_size: one number per axis, or `None`.
        name_of_op: for messages.
    """
    rank = len(output_size)
    given = zip(output_size, x.shape[2:], strict=False)
    wanted = tuple(size if out is None else out for out, size in given)
    kernels = kernel_size or (None,) * rank
    if len(wanted) != rank:
        wanted = (0,) * rank
    _check(x, wanted, kernels, name_of_op)
    flat: Any = 0
    inside: Any = True
    chosen = []
    for axis, (size, out, kernel) in enumerate(zip(x.shape[2:], wanted, kernels, strict=True)):
        places, valid = _windows(size, out, kernel, u.astype(jnp.float32))
        shape = [1] * (2 * rank)
        shape[axis], shape[rank + axis] = places.shape
        chosen.append(places.reshape(shape))
        flat = flat * size + chosen[-1]
        inside = inside & valid.reshape(shape)
    low = -jnp.inf if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).min
    values = jnp.where(inside, x[(slice(None), slice(None), *chosen)], low)
    values = lax.collapse(values, 2 + rank)
    best = jnp.argmax(values, axis=-1, keepdims=True)
    everywhere = lax.collapse(jnp.broadcast_to(flat, inside.shape), rank)
    picked = jnp.take_along_axis(jnp.broadcast_to(everywhere, values.shape), best, axis=-1)
    found = jnp.take_along_axis(values, best, axis=-1)[..., 0]
    return found, picked[..., 0].astype(jnp.int32)


def _per_axis(value: Any, rank: int) -> Any:
    if value is None:
        return None
    return tuple(value) if isinstance(value, tuple | list) else (value,) * rank


def _pool(
    x: Any, output_size: Any, kernel_size: Any, random_u: Any, return_mask: bool, rank: int
) -> Any:
    name = f"fractional_max_pool{rank}d"
    if random_u is not None and not 0 < random_u < 1:
        raise InvalidArgumentError(
            f"`random_u` of `{name}` is {random_u}",
            expected="a number between 0 and 1",
            fix="leave it out to draw one",
        )
    wanted, kernel = _per_axis(output_size, rank), _per_axis(kernel_size, rank)
    if len(wanted) != rank or (kernel is not None and len(kernel) != rank):
        raise InvalidArgumentError(
            f"`{name}` got output_size={output_size}, kernel_size={kernel_size}",
            expected=f"one number, or {rank} of them",
            fix="give one number per axis",
        )
    u = rand([], "float32") if random_u is None else to_tensor(random_u, "float32")
    values, places = fractional_max_pool(x, u, wanted, kernel, name)
    return (values, places) if return_mask else values


@composite
def fractional_max_pool2d(
    x: Tensor,
    output_size: Any,
    kernel_size: Any = None,
    random_u: float | None = None,
    return_mask: bool = False,
    name: str | None = None,
) -> Any:
    """Max pooling of images to any size, over windows cut at pseudo-random places.

    Args:
        x: `[N, C, H, W]`.
        output_size: one number, or `[height, width]`; `None` in it keeps an axis.
        kernel_size: size of the windows, which then may overlap; by default they touch.
        random_u: number between 0 and 1 that the places come from; drawn when it is `None`.
        return_mask: gives the places of the maxima too.
        name: not used.

    Returns:
        `[N, C, height, width]`; with `return_mask` also int32 places in the flattened image.

    Raises:
        InvalidArgumentError: sizes or `random_u` do not fit.

    References:
        Graham, "Fractional max-pooling", 2014.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> F.fractional_max_pool2d(proa.ones([1, 1, 7, 7]), 3, random_u=0.3).shape
        [1, 1, 3, 3]
    """
    return _pool(x, output_size, kernel_size, random_u, return_mask, 2)


@composite
def fractional_max_pool3d(
    x: Tensor,
    output_size: Any,
    kernel_size: Any = None,
    random_u: float | None = None,
    return_mask: bool = False,
    name: str | None = None,
) -> Any:
    """Max pooling of volumes to any size, over windows cut at pseudo-random places.

    Args:
        x: `[N, C, D, H, W]`.
        output_size: one number, or `[depth, height, width]`; `None` in it keeps an axis.
        kernel_size: size of the windows, which then may overlap; by default they touch.
        random_u: number between 0 and 1 that the places come from; drawn when it is `None`.
        return_mask: gives the places of the maxima too.
        name: not used.

    Returns:
        `[N, C, depth, height, width]`; with `return_mask` also int32 places in the flattened
        volume.

    Raises:
        InvalidArgumentError: sizes or `random_u` do not fit.
    """
    return _pool(x, output_size, kernel_size, random_u, return_mask, 3)
