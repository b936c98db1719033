"""What convolutions and pools share: how Paddle writes kernels, strides, padding and formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jax.core import max_dim

from proa.core import InvalidArgumentError, UnsupportedError, describe_array

if TYPE_CHECKING:
    from proa.core._types import Array

Pairs = tuple[tuple[Any, Any], ...]

_FORMATS = {
    1: {"NCL": False, "NLC": True, "NCW": False, "NWC": True},
    2: {"NCHW": False, "NHWC": True},
    3: {"NCDHW": False, "NDHWC": True},
}


def is_channel_last(data_format: str, rank: int, op_name: str) -> bool:
    """Whether a format name of `rank` spatial axes puts the channels last."""
    found = _FORMATS[rank].get(data_format)
    if found is None:
        raise InvalidArgumentError(
            f"`data_format` of `{op_name}` is {data_format!r}",
            expected="one of " + ", ".join(repr(name) for name in _FORMATS[rank]),
            fix="name the axes of x in the order they have",
        )
    return found


def check_rank(x: Array, rank: int, op_name: str) -> None:
    """Refuses an input that has not batch, channel and `rank` spatial axes."""
    if x.ndim != rank + 2:
        raise InvalidArgumentError(
            f"`x` of `{op_name}` is {describe_array(x)}",
            expected=f"{rank + 2} axes: batch, channel and {rank} spatial",
            fix="add the missing axis with unsqueeze, or use the op for another rank",
        )


def expand(value: Any, rank: int, name: str, op_name: str, least: int = 1) -> tuple[int, ...]:
    """Makes an integer, or a sequence of one or `rank`, one integer per spatial axis."""
    values = tuple(value) if isinstance(value, tuple | list) else (value,)
    if len(values) == 1:
        values = values * rank
    if len(values) != rank or not all(isinstance(v, int) and v >= least for v in values):
        raise InvalidArgumentError(
            f"`{name}` of `{op_name}` is {value!r}",
            expected=f"an integer of at least {least}, or {rank} of them",
            fix=f"give one {name} per spatial axis",
        )
    return values


def expand_padding(
    padding: Any, rank: int, channel_last: bool, op_name: str, least: int = 0
) -> str | Pairs:
    """Makes any of Paddle's paddings either `"SAME"`, `"VALID"` or a pair per spatial axis.

    Known forms: a name, an integer, one integer per axis, before and after per axis in one
    flat list, and pairs for all axes of `x`, batch and channel (which must be 0) included.
    """
    if isinstance(padding, str) and padding.upper() in ("SAME", "VALID"):
        return padding.upper()
    values: Any = padding if isinstance(padding, tuple | list) else (padding,)
    pairs: Any = None
    if values and all(isinstance(v, tuple | list) and len(v) == 2 for v in values):
        if len(values) == rank + 2:
            spatial = slice(1, -1) if channel_last else slice(2, None)
            outside = (values[0], values[-1] if channel_last else values[1])
            if all(tuple(pair) == (0, 0) for pair in outside):
                pairs = values[spatial]
        elif len(values) == rank:
            pairs = values
    elif all(isinstance(v, int) for v in values):
        if len(values) == 1:
            pairs = ((values[0], values[0]),) * rank
        elif len(values) == rank:
            pairs = tuple((v, v) for v in values)
        elif len(values) == 2 * rank:
            pairs = tuple((values[2 * i], values[2 * i + 1]) for i in range(rank))
    if pairs is None or not all(isinstance(v, int) and v >= least for p in pairs for v in p):
        raise InvalidArgumentError(
            f"`padding` of `{op_name}` is {padding!r}",
            expected=f"'SAME', 'VALID', an integer, {rank} or {2 * rank} integers, or "
            f"{rank + 2} pairs with (0, 0) for batch and channel",
            fix="give the padding before and after each spatial axis",
        )
    return tuple((before, after) for before, after in pairs)


def resolve_padding(
    padding: str | Pairs,
    sizes: tuple[Any, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
) -> Pairs:
    """Turns `"SAME"` and `"VALID"` into pairs for an input of the given spatial sizes.

    `kernel` is the extent of the kernel, dilation included.
    """
    if padding == "VALID":
        return ((0, 0),) * len(sizes)
    if not isinstance(padding, str):
        return padding
    pairs = []
    for size, extent, step in zip(sizes, kernel, stride, strict=True):
        if step == 1:
            total: Any = extent - 1
        else:
            outputs = -(-size // step)
            total = max_dim((outputs - 1) * step + extent - size, 0)
        pairs.append((total // 2, total - total // 2))
    return tuple(pairs)


def output_size(size: Any, extent: int, pair: tuple[Any, Any], step: int, ceil: bool) -> Any:
    """Number of windows along one axis.

    With `ceil` a last, incomplete window counts, unless it would begin behind the input and
    its left padding: it would hold no element (onnx/onnx#4958).
    """
    room = size + pair[0] + pair[1] - extent
    if not ceil:
        return room // step + 1
    count = -(-room // step) + 1
    if is_constant(size) and (count - 1) * step >= size + pair[0]:
        count -= 1
    return count


def is_constant(*extents: Any) -> bool:
    """Whether all extents are plain integers (not symbolic dimensions)."""
    return all(isinstance(extent, int | np.integer) for extent in extents)


def require_constant(what: str, op_name: str, *extents: Any) -> None:
    """Refuses symbolic dimensions where the program's structure depends on them."""
    if not is_constant(*extents):
        raise UnsupportedError(
            f"{what} of `{op_name}` is {tuple(str(e) for e in extents)}, not known while recording",
            expected="integers",
            fix="give the input spec fixed spatial sizes; the batch may stay open",
        )


def spatial_sizes(x: Any, channel_last: bool) -> tuple[Any, ...]:
    """Extents of the spatial axes of `x`."""
    return x.shape[1:-1] if channel_last else x.shape[2:]


def with_spatial(
    values: tuple[Any, ...], channel_last: bool, batch: Any, channel: Any
) -> tuple[Any, ...]:
    """Puts values for the batch and channel axes around (before) the spatial ones."""
    return (batch, *values, channel) if channel_last else (batch, channel, *values)
