"""Sampling at free places: affine grids and reading images along a grid.

Axes in names: N batch, C channels, P sampling places flattened.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax

from proa.core import InvalidArgumentError, Tensor, composite, describe_array, op

if TYPE_CHECKING:
    from proa.core._types import Array, Shape


@op(method=None, public=False)
def affine_points(theta: Array, sizes: Shape, align_corners: bool) -> Array:
    """Applies affine maps to the unit grid; see `affine_grid`."""
    rank = theta.shape[-1] - 1
    if theta.ndim != 3 or rank not in (2, 3) or theta.shape[1] != rank or len(sizes) != rank + 2:
        raise InvalidArgumentError(
            f"`affine_grid` got theta {describe_array(theta)} and out_shape {list(sizes)}",
            expected="theta [N, 2, 3] with [N, C, H, W], or [N, 3, 4] with [N, C, D, H, W]",
            fix="pass one affine matrix per sample",
        )
    lines = []
    for extent in sizes[2:]:
        line = (2 * jnp.arange(extent, dtype=theta.dtype) + 1) / extent - 1
        if align_corners:
            step = 2 / (extent - 1) if extent > 1 else 0
            line = jnp.arange(extent, dtype=theta.dtype) * step - (1 if extent > 1 else 0)
        lines.append(line)
    # The last coordinate of a grid point belongs to the first spatial axis.
    mesh = jnp.meshgrid(*lines, indexing="ij")[::-1]
    points = jnp.stack([*mesh, jnp.ones_like(mesh[0])], axis=-1)
    grid = jnp.einsum("pk,nik->npi", points.reshape(-1, rank + 1), theta)
    return grid.reshape(theta.shape[0], *sizes[2:], rank)


@composite
def affine_grid(
    theta: Tensor, out_shape: Any, align_corners: bool = True, name: str | None = None
) -> Tensor:
    """Sampling places of an affine map, for `grid_sample`.

    Args:
        theta: affine matrices [N, 2, 3] for images, [N, 3, 4] for volumes.
        out_shape: shape of the output: [N, C, H, W] or [N, C, D, H, W].
        align_corners: whether -1 and 1 are the centres of the outer elements, or the borders.

    Returns:
        Tensor [N, H, W, 2] of (x, y), or [N, D, H, W, 3] of (x, y, z), in [-1, 1].

    Raises:
        InvalidArgumentError: shapes do not fit.
    """
    return affine_points(theta, out_shape, align_corners)


def _place(coordinate: Array, size: int, align_corners: bool) -> Array:
    """Turns [-1, 1] into elements of an axis."""
    if align_corners:
        return (coordinate + 1) * (0.5 * (size - 1))
    return ((coordinate + 1) * size - 1) * 0.5


def _bring_inside(place: Array, size: int, mode: str, align_corners: bool) -> Array:
    if mode == "zeros":
        return place
    if mode == "reflection":
        low, span = (0.0, size - 1.0) if align_corners else (-0.5, float(size))
        if span == 0:
            return jnp.zeros_like(place)
        offset = jnp.abs(place - low)
        turns, rest = jnp.floor(offset / span), jnp.mod(offset, span)
        place = jnp.where(turns % 2 == 0, rest, span - rest) + low
    return jnp.clip(place, 0, size - 1)


def _read(x_NCP: Array, index: list[Array], sizes: tuple[int, ...]) -> Array:
    """Elements at integer places, zeros outside."""
    flat: Any = 0
    inside: Any = True
    for at, size in zip(index, sizes, strict=True):
        inside = inside & (at >= 0) & (at < size)
        flat = flat * size + jnp.clip(at, 0, size - 1)
    values = jnp.take_along_axis(x_NCP, flat[:, None, :], axis=2, mode="clip")
    return jnp.where(inside[:, None, :], values, jnp.zeros((), values.dtype))


@op(method=None, out=True)
def grid_sample(
    x: Array,
    grid: Array,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = True,
) -> Array:
    """Reads images (or volumes) at free places.

    Args:
        x: floating tensor [N, C, H, W] or [N, C, D, H, W].
        grid: places [N, H', W', 2] of (x, y), or [N, D', H', W', 3] of (x, y, z), in [-1, 1].
        mode: `'bilinear'` (linear in each axis) or `'nearest'`.
        padding_mode: outside: `'zeros'`, `'border'` or `'reflection'`.
        align_corners: whether -1 and 1 are the centres of the outer elements, or the borders.

    Returns:
        Tensor [N, C, H', W'] or [N, C, D', H', W'].

    Raises:
        InvalidArgumentError: shapes or modes do not fit.
    """
    rank = x.ndim - 2
    known = mode in ("bilinear", "nearest") and padding_mode in ("zeros", "border", "reflection")
    if rank not in (2, 3) or grid.ndim != x.ndim or grid.shape[-1] != rank or not known:
        raise InvalidArgumentError(
            f"`grid_sample` got x {describe_array(x)}, grid {describe_array(grid)}, "
            f"mode={mode!r} and padding_mode={padding_mode!r}",
            expected="x [N, C, H, W] with grid [N, H', W', 2] (or volumes with 3), "
            "'bilinear' or 'nearest', 'zeros', 'border' or 'reflection'",
            fix="check the grid's last axis and the modes",
        )
    sizes = x.shape[2:]
    x_NCP = x.reshape(*x.shape[:2], math.prod(sizes))
    points = lax.collapse(grid, 1, grid.ndim - 1)
    places = [
        _bring_inside(
            _place(points[..., rank - 1 - axis], size, align_corners),
            size,
            padding_mode,
            align_corners,
        )
        for axis, size in enumerate(sizes)
    ]
    if mode == "nearest":
        index = [jnp.round(place).astype(jnp.int32) for place in places]
        values = _read(x_NCP, index, sizes)
    else:
        values = blend_corners(x_NCP, places, sizes)
    return values.reshape(*x.shape[:2], *grid.shape[1:-1]).astype(x.dtype)


def blend_corners(x_NCP: Array, places: list[Array], sizes: tuple[int, ...]) -> Array:
    """Weighted sum of the corners around each place."""
    floors = [jnp.floor(place) for place in places]
    total = None
    for corner in itertools.product((0, 1), repeat=len(sizes)):
        index: list[Array] = []
        weight: Any = 1
        for side, floor, place in zip(corner, floors, places, strict=True):
            share = place - floor if side else 1 - (place - floor)
            weight = weight * share
            index.append(floor.astype(jnp.int32) + side)
        part = _read(x_NCP, index, sizes) * weight[:, None, :]
        total = part if total is None else total + part
    return jnp.asarray(total)
