"""Padding of tensors of any number of axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, composite, is_dimension, op

if TYPE_CHECKING:
    from proa.core._types import Array, Shape

_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
_CHANNELS_LAST = ("NLC", "NHWC", "NDHWC")


def _widths(
    ndim: int, pad: tuple[int, ...], data_format: str | None, from_left: bool
) -> list[tuple[int, int]]:
    """(before, after) per axis.

    A full list goes from the first axis on (or from the last one, `from_left` off); a short
    one starts at the last spatial axis and goes towards the first.
    """
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad) - 1, 2)]
    if len(pad) % 2 or len(pairs) > ndim:
        raise InvalidArgumentError(
            f"`pad` has {len(pad)} entries for a tensor with {ndim} axes",
            expected=f"an even number of entries, at most {2 * ndim}",
            fix="give (before, after) per padded axis",
        )
    if len(pairs) == ndim and data_format is None:
        return pairs if from_left else pairs[::-1]
    last = ndim - 1 - (1 if data_format in _CHANNELS_LAST else 0)
    widths = [(0, 0)] * ndim
    for position, pair in enumerate(pairs):
        if last - position < 0:
            raise InvalidArgumentError(
                f"`pad` has {len(pad)} entries for data format {data_format}",
                expected="entries for the spatial axes only",
                fix="drop entries, or leave data_format out",
            )
        widths[last - position] = pair
    return widths


def _check_room(x: Any, widths: list[tuple[int, int]], mode: str) -> None:
    limit = {"reflect": 1, "circular": 0}.get(mode)
    for axis, (before, after) in enumerate(widths):
        extent = x.shape[axis]
        if is_dimension(extent):
            continue
        if extent + min(before, 0) + min(after, 0) < 0:
            raise InvalidArgumentError(
                f"padding {(before, after)} cuts more than axis {axis} of extent {extent} has",
                expected="a result with an extent of at least 0",
                fix="cut less",
            )
        if limit is not None and max(before, after) > extent - limit:
            raise InvalidArgumentError(
                f"{mode} padding {(before, after)} of axis {axis} of extent {extent}",
                expected=f"at most {extent - limit} on each side",
                fix="pad less, or use mode 'replicate' or 'constant'",
            )


def _crop(x: Any, widths: list[tuple[int, int]]) -> Any:
    """Negative widths cut off."""
    index = tuple(slice(max(-b, 0), -max(-a, 0) or None) for b, a in widths)
    return x if all(s == slice(0, None) for s in index) else x[index]


@op(name="pad", public=False)
def _pad(
    x: Array, value: Array, pad: Shape, mode: str, data_format: str | None, pad_from_left_axis: bool
):
    widths = _widths(x.ndim, pad, data_format, pad_from_left_axis)
    _check_room(x, widths, mode)
    x = _crop(x, widths)
    positive = [(max(b, 0), max(a, 0)) for b, a in widths]
    if mode == "constant":
        return jax.lax.pad(x, value.astype(x.dtype), [(b, a, 0) for b, a in positive])
    return jnp.pad(x, positive, mode=_MODES[mode])


@composite
def pad(
    x: Tensor,
    pad: Any,
    mode: str = "constant",
    value: Any = 0.0,
    data_format: str | None = None,
    pad_from_left_axis: bool = True,
    name: str | None = None,
) -> Tensor:
    """Adds elements before and after the elements of axes; negative widths cut off.

    Args:
        x: the tensor.
        pad: (before, after) pairs, in elements. Pairs for all axes start at the first axis;
            fewer pairs start at the last spatial axis. An integer pads all spatial axes.
        mode: `"constant"`, `"reflect"` (mirror without the edge), `"replicate"` (repeat the
            edge) or `"circular"`.
        value: what `"constant"` fills in.
        data_format: `"NCL"`, `"NCHW"`, `"NCDHW"`, or with the channel last.
        pad_from_left_axis: whether pairs for all axes start at the first axis.

    Raises:
        InvalidArgumentError: an unknown mode, too many widths, or more than the mode can give.

    Examples:
        >>> import proa
        >>> proa.nn.functional.pad(proa.to_tensor([[1.0, 2.0]]), [0, 0, 1, 0]).tolist()
        [[0.0, 1.0, 2.0]]
    """
    if mode not in _MODES:
        raise InvalidArgumentError(
            f"`mode` is {mode!r}", expected="one of " + ", ".join(_MODES), fix="choose one of these"
        )
    if isinstance(pad, Tensor):
        pad = pad.tolist()
    if isinstance(pad, int):
        pad = (pad,) * (2 * (x.ndim - 2))
    widths = tuple([w if is_dimension(w) else int(w) for w in pad])
    # A list for all axes of an image tensor has no use for the format that callers pass along.
    data_format = None if len(widths) == 2 * x.ndim else data_format or "NCHW"
    return _pad(x, value, widths, mode, data_format, pad_from_left_axis)
