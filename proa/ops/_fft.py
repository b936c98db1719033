"""Discrete Fourier transforms of one, two or all axes.

Integers are transformed as float32, half precisions in float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    UnsupportedError,
    describe_array,
    op,
)

from ._axes import normal_axes, normal_axis
from ._promote import floating, is_complex, widened

if TYPE_CHECKING:
    from proa.core._types import Array, Axis, Ints

#: Hermitian transforms go the other way, and so does their factor.
_OTHER = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def _prepare(x: Array, norm: str, real: bool, name: str) -> Array:
    if norm not in _OTHER:
        raise InvalidArgumentError(
            f"`norm` of `{name}` is {norm!r}",
            expected="'backward', 'ortho' or 'forward'",
            fix="'backward' divides by n in the inverse transform only",
        )
    if real and is_complex(x):
        raise InvalidTypeError(
            f"`x` of `{name}` is {describe_array(x)}",
            expected="a real tensor",
            fix="use the transform without `r` in its name, or x.real()",
        )
    return widened(floating(x))


def _check_size(n: Any, x: Array, axis: int, name: str, half: bool = False) -> Any:
    """The length of a transform: given, or that of the axis (of which it may be the half)."""
    size = n if n is not None else 2 * (x.shape[axis] - 1) if half else x.shape[axis]
    if isinstance(size, int) and size < 1:
        raise InvalidArgumentError(
            f"`{name}` is to transform {size} points" + ("" if n is None else f" (n={n})"),
            expected="at least one",
            fix="give n, or an axis that is not empty",
        )
    return size


def _one(x: Array, n: Any, axis: int, norm: str, inverse: bool, name: str) -> Array:
    n = _check_size(n, x, axis, name)
    return (jnp.fft.ifft if inverse else jnp.fft.fft)(x, n, axis, norm)


def _sizes(x: Array, s: Any, axes: Any, name: str) -> tuple[Sequence[Any], tuple[int, ...]]:
    """One length (or `None`) and one axis per transform."""
    if axes is None:
        count = x.ndim if s is None else len(s) if isinstance(s, tuple) else 1
        axes = tuple(range(x.ndim))[max(x.ndim - count, 0) :]
        fits = count <= x.ndim
    else:
        axes = normal_axes(axes, x.ndim, "axes") if x.ndim >= _count(axes) else ()
        fits = bool(axes)
    lengths = [None] * len(axes) if s is None else s if isinstance(s, tuple) else (s,)
    if not fits or len(lengths) != len(axes) or not axes:
        raise InvalidArgumentError(
            f"`{name}` got s={s}, axes={list(axes)} for x {describe_array(x)}",
            expected="as many lengths as axes, and no more than x has",
            fix="leave s or axes out, or give one length per axis",
        )
    return lengths, axes


def _count(axes: Any) -> int:
    return len(axes) if isinstance(axes, tuple) else 1


def _many(x: Array, s: Any, axes: Any, norm: str, inverse: bool, name: str) -> Array:
    x = _prepare(x, norm, False, name)
    for n, axis in zip(*_sizes(x, s, axes, name), strict=True):
        x = _one(x, n, axis, norm, inverse, name)
    return x


def _from_real(x: Array, s: Any, axes: Any, norm: str, inverse: bool, name: str) -> Array:
    """Half of the transform of a real tensor: the last axis first, then the others."""
    x = _prepare(x, norm, True, name)
    norm = _OTHER[norm] if inverse else norm
    lengths, axes = _sizes(x, s, axes, name)
    n = _check_size(lengths[-1], x, axes[-1], name)
    x = jnp.fft.rfft(x, n, axes[-1], norm)
    for n, axis in zip(lengths[:-1], axes[:-1], strict=True):
        x = _one(x, n, axis, norm, False, name)
    return jnp.conj(x) if inverse else x


def _to_real(x: Array, s: Any, axes: Any, norm: str, inverse: bool, name: str) -> Array:
    """The real tensor that a half transform belongs to: the last axis last."""
    x = _prepare(x, norm, False, name)
    x = x if is_complex(x) else x + 0j
    x, norm = (x, norm) if inverse else (jnp.conj(x), _OTHER[norm])
    lengths, axes = _sizes(x, s, axes, name)
    for n, axis in zip(lengths[:-1], axes[:-1], strict=True):
        x = _one(x, n, axis, norm, True, name)
    n = _check_size(lengths[-1], x, axes[-1], name, half=True)
    return jnp.fft.irfft(x, n, axes[-1], norm)


def _check_layout(
    x: Any, norm: str, n: Any = None, axis: Any = None, s: Any = None, axes: Any = None
) -> None:
    """Refuses a layout over devices for which XLA would end the process.

    It splits a transform over `p` devices only where each part of the axis has a multiple of
    `p` points, and checks that by aborting (jaxlib 0.10.2, `fft_handler.cc`). Inside compiled
    functions the layout is not known here.
    """
    if isinstance(x, np.ndarray) or len(x.sharding.device_set) == 1:
        return
    if axis is None:
        lengths, axes = _sizes(x, s, axes, "fftn")
    else:
        lengths, axes = [n], (normal_axis(axis, x.ndim),)
    parts = x.sharding.shard_shape(x.shape)
    for length, place in zip(lengths, axes, strict=True):
        count = x.shape[place] // max(parts[place], 1)
        # An axis that is cut or filled first is gathered for that.
        is_whole = length not in (None, x.shape[place])
        if count > 1 and parts[place] % count and not is_whole:
            raise UnsupportedError(
                f"a Fourier transform along axis {place} of x {describe_array(x)}, which lies in "
                f"{count} parts of {parts[place]} points on as many devices",
                expected=f"an axis that is whole on each device, or parts of a multiple of {count}",
                fix="gather it: proa.distributed.reshard(x, mesh, [proa.distributed.Replicate()])",
            )


@op(method=None, out=True, check=_check_layout)
def fft(x: Array, n: int | None = None, axis: int = -1, norm: str = "backward"):
    """Discrete Fourier transform along one axis.

    `y[k] = sum over j of x[j] e**(-2 pi i j k / n)`, with the factor of `norm`.

    Args:
        x: real or complex tensor.
        n: length of the transform: the axis is cut or filled with zeros; by default
            the size of the axis.
        axis: the axis.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A complex tensor.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.

    Examples:
        >>> import proa
        >>> proa.fft.fft(proa.to_tensor([1.0, 0.0, 0.0])).real().tolist()
        [1.0, 1.0, 1.0]
    """
    return _many(x, n, normal_axis(axis, x.ndim), norm, False, "fft")


@op(method=None, out=True, check=_check_layout)
def fft2(x: Array, s: Ints | None = None, axes: Ints = (-2, -1), norm: str = "backward"):
    """Discrete Fourier transform along two axes.

    Args:
        x: real or complex tensor.
        s: length of each transform; by default the sizes of the axes.
        axes: the axes; the last two by default.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A complex tensor.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
    """
    return _many(x, s, axes, norm, False, "fft2")


@op(method=None, out=True, check=_check_layout)
def fftn(x: Array, s: Ints | None = None, axes: Ints | None = None, norm: str = "backward"):
    """Discrete Fourier transform along several axes.

    Args:
        x: real or complex tensor.
        s: length of each transform; by default the sizes of the axes.
        axes: the axes; by default all, or with `s` the last ones.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A complex tensor.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
    """
    return _many(x, s, axes, norm, False, "fftn")


@op(method=None, out=True, check=_check_layout)
def ifft(x: Array, n: int | None = None, axis: int = -1, norm: str = "backward"):
    """Inverse discrete Fourier transform along one axis.

    `y[k] = 1/n sum over j of x[j] e**(2 pi i j k / n)`, with the factor of `norm`.

    Args:
        x: real or complex tensor.
        n: length of the transform: the axis is cut or filled with zeros; by default
            the size of the axis.
        axis: the axis.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A complex tensor.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
    """
    return _many(x, n, normal_axis(axis, x.ndim), norm, True, "ifft")


@op(method=None, out=True, check=_check_layout)
def ifft2(x: Array, s: Ints | None = None, axes: Ints = (-2, -1), norm: str = "backward"):
    """Inverse discrete Fourier transform along two axes.

    Args:
        x: real or complex tensor.
        s: length of each transform; by default the sizes of the axes.
        axes: the axes; the last two by default.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A complex tensor.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
    """
    return _many(x, s, axes, norm, True, "ifft2")


@op(method=None, out=True, check=_check_layout)
def ifftn(x: Array, s: Ints | None = None, axes: Ints | None = None, norm: str = "backward"):
    """Inverse discrete Fourier transform along several axes.

    Args:
        x: real or complex tensor.
        s: length of each transform; by default the sizes of the axes.
        axes: the axes; by default all, or with `s` the last ones.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A complex tensor.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
    """
    return _many(x, s, axes, norm, True, "ifftn")


@op(method=None, out=True, check=_check_layout)
def rfft(x: Array, n: int | None = None, axis: int = -1, norm: str = "backward"):
    """Discrete Fourier transform of a real tensor along one axis.

    Args:
        x: real tensor.
        n: length of the transform: the axis is cut or filled with zeros; by default
            the size of the axis.
        axis: the axis.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A complex tensor with `n // 2 + 1` elements
        along the last transformed axis: the rest mirrors them.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
        InvalidTypeError: `x` is complex.
    """
    return _from_real(x, n, normal_axis(axis, x.ndim), norm, False, "rfft")


@op(method=None, out=True, check=_check_layout)
def rfft2(x: Array, s: Ints | None = None, axes: Ints = (-2, -1), norm: str = "backward"):
    """Discrete Fourier transform of a real tensor along two axes.

    Args:
        x: real tensor.
        s: length of each transform; by default the sizes of the axes.
        axes: the axes; the last two by default.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A complex tensor with `n // 2 + 1` elements
        along the last transformed axis: the rest mirrors them.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
        InvalidTypeError: `x` is complex.
    """
    return _from_real(x, s, axes, norm, False, "rfft2")


@op(method=None, out=True, check=_check_layout)
def rfftn(x: Array, s: Ints | None = None, axes: Ints | None = None, norm: str = "backward"):
    """Discrete Fourier transform of a real tensor along several axes.

    Args:
        x: real tensor.
        s: length of each transform; by default the sizes of the axes.
        axes: the axes; by default all, or with `s` the last ones.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A complex tensor with `n // 2 + 1` elements
        along the last transformed axis: the rest mirrors them.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
        InvalidTypeError: `x` is complex.
    """
    return _from_real(x, s, axes, norm, False, "rfftn")


@op(method=None, out=True, check=_check_layout)
def irfft(x: Array, n: int | None = None, axis: int = -1, norm: str = "backward"):
    """Inverse of the transform of a real tensor along one axis.

    Args:
        x: the half that `rfft` gives.
        n: length of the transform: the axis is cut or filled with zeros; by default
            twice the size of the axis less 2.
        axis: the axis.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A real tensor.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.

    Examples:
        >>> import proa
        >>> half = proa.fft.rfft(proa.to_tensor([1.0, 2.0, 3.0]))
        >>> [round(v, 4) for v in proa.fft.irfft(half, n=3).tolist()]
        [1.0, 2.0, 3.0]
    """
    return _to_real(x, n, normal_axis(axis, x.ndim), norm, True, "irfft")


@op(method=None, out=True, check=_check_layout)
def irfft2(x: Array, s: Ints | None = None, axes: Ints = (-2, -1), norm: str = "backward"):
    """Inverse of the transform of a real tensor along two axes.

    Args:
        x: the half that `rfft2` gives.
        s: length of each transform; by default the sizes of the axes, for the last one
            twice its size less 2.
        axes: the axes; the last two by default.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A real tensor.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
    """
    return _to_real(x, s, axes, norm, True, "irfft2")


@op(method=None, out=True, check=_check_layout)
def irfftn(x: Array, s: Ints | None = None, axes: Ints | None = None, norm: str = "backward"):
    """Inverse of the transform of a real tensor along several axes.

    Args:
        x: the half that `rfftn` gives.
        s: length of each transform; by default the sizes of the axes, for the last one
            twice its size less 2.
        axes: the axes; by default all, or with `s` the last ones.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A real tensor.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
    """
    return _to_real(x, s, axes, norm, True, "irfftn")


@op(method=None, out=True, check=_check_layout)
def hfft(x: Array, n: int | None = None, axis: int = -1, norm: str = "backward"):
    """Discrete Fourier transform of a tensor that mirrors itself (Hermitian) along one axis.

    Args:
        x: half of the tensor: the rest mirrors it.
        n: length of the transform: the axis is cut or filled with zeros; by default
            twice the size of the axis less 2.
        axis: the axis.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A real tensor.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
    """
    return _to_real(x, n, normal_axis(axis, x.ndim), norm, False, "hfft")


@op(method=None, out=True, check=_check_layout)
def hfft2(x: Array, s: Ints | None = None, axes: Ints = (-2, -1), norm: str = "backward"):
    """Discrete Fourier transform of a tensor that mirrors itself (Hermitian) along two axes.

    Args:
        x: half of the tensor: the rest mirrors it.
        s: length of each transform; by default the sizes of the axes, for the last one
            twice its size less 2.
        axes: the axes; the last two by default.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A real tensor.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
    """
    return _to_real(x, s, axes, norm, False, "hfft2")


@op(method=None, out=True, check=_check_layout)
def hfftn(x: Array, s: Ints | None = None, axes: Ints | None = None, norm: str = "backward"):
    """Discrete Fourier transform of a tensor that mirrors itself (Hermitian) along several axes.

    Args:
        x: half of the tensor: the rest mirrors it.
        s: length of each transform; by default the sizes of the axes, for the last one
            twice its size less 2.
        axes: the axes; by default all, or with `s` the last ones.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A real tensor.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
    """
    return _to_real(x, s, axes, norm, False, "hfftn")


@op(method=None, out=True, check=_check_layout)
def ihfft(x: Array, n: int | None = None, axis: int = -1, norm: str = "backward"):
    """Inverse of the transform of a Hermitian tensor along one axis.

    Args:
        x: real tensor.
        n: length of the transform: the axis is cut or filled with zeros; by default
            the size of the axis.
        axis: the axis.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A complex tensor with `n // 2 + 1` elements along the last transformed axis.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
        InvalidTypeError: `x` is complex.
    """
    return _from_real(x, n, normal_axis(axis, x.ndim), norm, True, "ihfft")


@op(method=None, out=True, check=_check_layout)
def ihfft2(x: Array, s: Ints | None = None, axes: Ints = (-2, -1), norm: str = "backward"):
    """Inverse of the transform of a Hermitian tensor along two axes.

    Args:
        x: real tensor.
        s: length of each transform; by default the sizes of the axes.
        axes: the axes; the last two by default.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A complex tensor with `n // 2 + 1` elements along the last transformed axis.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
        InvalidTypeError: `x` is complex.
    """
    return _from_real(x, s, axes, norm, True, "ihfft2")


@op(method=None, out=True, check=_check_layout)
def ihfftn(x: Array, s: Ints | None = None, axes: Ints | None = None, norm: str = "backward"):
    """Inverse of the transform of a Hermitian tensor along several axes.

    Args:
        x: real tensor.
        s: length of each transform; by default the sizes of the axes.
        axes: the axes; by default all, or with `s` the last ones.
        norm: where the factor 1/n goes: `backward` (into the inverse), `forward`, or `ortho`
            (its root into both).

    Returns:
        A complex tensor with `n // 2 + 1` elements along the last transformed axis.

    Raises:
        InvalidArgumentError: no points to transform, unknown `norm`, lengths that fit no axes.
        InvalidTypeError: `x` is complex.
    """
    return _from_real(x, s, axes, norm, True, "ihfftn")


def _shift(x: Array, axes: Any, sign: int) -> Array:
    chosen = tuple(range(x.ndim)) if axes is None else normal_axes(axes, x.ndim, "axes")
    return jnp.roll(x, [sign * (x.shape[axis] // 2) for axis in chosen], chosen)


@op(method=None)
def fftshift(x: Array, axes: Axis | None = None):
    """Moves the zero frequency to the middle.

    Args:
        x: any tensor.
        axes: the axes; all by default.

    Raises:
        OutOfRangeError: there is no such axis.

    Examples:
        >>> import proa
        >>> proa.fft.fftshift(proa.fft.fftfreq(4)).tolist()
        [-0.5, -0.25, 0.0, 0.25]
    """
    return _shift(x, axes, 1)


@op(method=None)
def ifftshift(x: Array, axes: Axis | None = None):
    """Moves the zero frequency from the middle to the front: undoes `fftshift`.

    Args:
        x: any tensor.
        axes: the axes; all by default.

    Raises:
        OutOfRangeError: there is no such axis.
    """
    return _shift(x, axes, -1)
