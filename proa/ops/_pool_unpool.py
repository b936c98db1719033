"""The way back from max pooling: values go to the places they came from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax

from proa.core import InvalidArgumentError, describe_array, op

from ._host_checks import check_range
from ._windows import check_rank, expand, is_channel_last

if TYPE_CHECKING:
    from proa.core._types import Array, Index, Ints


def _natural(x: Any, kernel: Any, stride: Any, padding: Any, name: str) -> tuple[int, ...]:
    rank = int(name[-2])
    extents = expand(kernel, rank, "kernel_size", name)
    steps = extents if stride is None else expand(stride, rank, "stride", name)
    pads = expand(padding, rank, "padding", name, least=0)
    return tuple(
        (size - 1) * step - 2 * pad + extent
        for size, step, pad, extent in zip(x.shape[2:], steps, pads, extents, strict=True)
    )


def _sizes(x: Any, kernel: Any, stride: Any, padding: Any, wanted: Any, name: str) -> Any:
    if wanted is None:
        return _natural(x, kernel, stride, padding, name)
    rank = int(name[-2])
    values = wanted[-rank:] if isinstance(wanted, tuple) else wanted
    return expand(values, rank, "output_size", name)


def _unpool(
    x: Array,
    indices: Array,
    kernel: Any,
    stride: Any,
    padding: Any,
    data_format: str,
    wanted: Any,
    name: str,
) -> Array:
    rank = int(name[-2])
    check_rank(x, rank, name)
    if is_channel_last(data_format, rank, name) or indices.shape != x.shape:
        raise InvalidArgumentError(
            f"`{name}` got x {describe_array(x)}, indices {describe_array(indices)} and "
            f"data_format={data_format!r}",
            expected="equal shapes, channels first",
            fix="pass the indices that max pooling returned with x",
        )
    sizes = _sizes(x, kernel, stride, padding, wanted, name)
    batch, channels = x.shape[:2]
    empty = jnp.zeros((batch, channels, math.prod(sizes)), x.dtype)
    rows = jnp.arange(batch)[:, None, None]
    columns = jnp.arange(channels)[None, :, None]
    places = lax.collapse(indices, 2)
    filled = empty.at[rows, columns, places].set(lax.collapse(x, 2))
    return filled.reshape(batch, channels, *sizes)


def _checker(name: str) -> Any:
    def check(
        x: Any,
        indices: Any,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        output_size: Any,
        **_: Any,
    ) -> None:
        if x.ndim == int(name[-2]) + 2:
            total = math.prod(_sizes(x, kernel_size, stride, padding, output_size, name))
            check_range(indices, total, "indices", name, "a place in the output")

    return check


@op(method=None, check=_checker("max_unpool1d"))
def max_unpool1d(
    x: Array,
    indices: Index,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    data_format: str = "NCL",
    output_size: Ints | None = None,
) -> Array:
    """Puts pooled values back to their places, zeros elsewhere.

    Args:
        x: pooled values [N, C, L].
        indices: their places, from `max_pool1d(..., return_mask=True)`.
        kernel_size: of the pool.
        stride: of the pool.
        padding: of the pool.
        data_format: `'NCL'`.
        output_size: wanted length; the smallest possible by default.

    Raises:
        InvalidArgumentError: shapes do not fit.
        OutOfRangeError: a place lies outside the output (eager mode).
    """
    return _unpool(
        x, indices, kernel_size, stride, padding, data_format, output_size, "max_unpool1d"
    )


@op(method=None, check=_checker("max_unpool2d"))
def max_unpool2d(
    x: Array,
    indices: Index,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    data_format: str = "NCHW",
    output_size: Ints | None = None,
) -> Array:
    """Puts pooled values back to their places, zeros elsewhere.

    Args:
        x: pooled values [N, C, H, W].
        indices: their places, from `max_pool2d(..., return_mask=True)`.
        kernel_size: of the pool.
        stride: of the pool.
        padding: of the pool.
        data_format: `'NCHW'`.
        output_size: wanted height and width; the smallest possible by default.

    Raises:
        InvalidArgumentError: shapes do not fit.
        OutOfRangeError: a place lies outside the output (eager mode).
    """
    return _unpool(
        x, indices, kernel_size, stride, padding, data_format, output_size, "max_unpool2d"
    )


@op(method=None, check=_checker("max_unpool3d"))
def max_unpool3d(
    x: Array,
    indices: Index,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    data_format: str = "NCDHW",
    output_size: Ints | None = None,
) -> Array:
    """Puts pooled values back to their places, zeros elsewhere.

    Args:
        x: pooled values [N, C, D, H, W].
        indices: their places, from `max_pool3d(..., return_mask=True)`.
        kernel_size: of the pool.
        stride: of the pool.
        padding: of the pool.
        data_format: `'NCDHW'`.
        output_size: wanted spatial sizes; the smallest possible by default.

    Raises:
        InvalidArgumentError: shapes do not fit.
        OutOfRangeError: a place lies outside the output (eager mode).
    """
    return _unpool(
        x, indices, kernel_size, stride, padding, data_format, output_size, "max_unpool3d"
    )
