"""Frames of a signal, and its transform over short windows.

Axes in names: B batch, L samples, N samples of a frame, K frames, F frequencies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import InvalidArgumentError, describe_array, op

from ._host_checks import host_values
from ._promote import floating, is_complex, widened

if TYPE_CHECKING:
    from proa.core._types import Array

#: Sums of squared windows below this cannot be divided by.
_SMALLEST = 1e-11


def _check_frames(x: Array, frame_length: Any, hop_length: int, axis: int, name: str) -> None:
    first = x.shape[axis] if x.ndim and axis in (0, -1) else None
    is_long = isinstance(first, int) and frame_length is not None and frame_length > first
    if first is None or hop_length < 1 or is_long or (frame_length or 1) < 1:
        raise InvalidArgumentError(
            f"`{name}` got x {describe_array(x)}, frame_length={frame_length}, "
            f"hop_length={hop_length}, axis={axis}",
            expected="axis 0 or -1, hop_length of at least 1, frames no longer than the axis",
            fix="make the frames shorter, or pad the signal",
        )


def _frames(x_BL: Array, length: int, hop: int) -> Array:
    """Overlapping frames `[..., K, N]` of the last axis."""
    count = 1 + (x_BL.shape[-1] - length) // hop
    places = jnp.arange(count)[:, None] * hop + jnp.arange(length)[None, :]
    return x_BL[..., places]


def _add_frames(x_BKN: Array, hop: int) -> Array:
    """Sum `[..., L]` of overlapping frames `[..., K, N]`."""
    count, length = x_BKN.shape[-2:]
    places = jnp.arange(count)[:, None] * hop + jnp.arange(length)[None, :]
    total = jnp.zeros((*x_BKN.shape[:-2], (count - 1) * hop + length), x_BKN.dtype)
    return total.at[..., places].add(x_BKN)


@op(method=None)
def frame(x: Array, frame_length: int, hop_length: int, axis: int = -1):
    """Cuts overlapping frames out of an axis.

    Args:
        x: tensor `[..., L]`, or `[L, ...]` with axis 0.
        frame_length: samples of a frame, at most L.
        hop_length: samples from the start of a frame to that of the next.
        axis: -1, or 0.

    Returns:
        `[..., frame_length, K]`, or `[K, frame_length, ...]` with axis 0;
        `K = 1 + (L - frame_length) // hop_length`.

    Raises:
        InvalidArgumentError: the frames do not fit.

    Examples:
        >>> import proa
        >>> proa.signal.frame(proa.arange(5), 3, 2, axis=0).tolist()
        [[0, 1, 2], [2, 3, 4]]
    """
    _check_frames(x, frame_length, hop_length, axis, "frame")
    if axis == 0:
        found = _frames(jnp.moveaxis(x, 0, -1), frame_length, hop_length)
        return jnp.moveaxis(found, (-2, -1), (0, 1))
    return jnp.swapaxes(_frames(x, frame_length, hop_length), -1, -2)


@op(method=None)
def overlap_add(x: Array, hop_length: int, axis: int = -1):
    """Adds overlapping frames up to a signal: what `frame` cut out, counted as often as cut.

    Args:
        x: frames `[..., N, K]`, or `[K, N, ...]` with axis 0.
        hop_length: samples from the start of a frame to that of the next.
        axis: -1, or 0.

    Returns:
        `[..., L]`, or `[L, ...]` with axis 0; `L = (K - 1) hop_length + N`.

    Raises:
        InvalidArgumentError: the frames do not fit.

    Examples:
        >>> import proa
        >>> proa.signal.overlap_add(proa.ones([2, 3]), 1, axis=0).tolist()
        [1.0, 2.0, 2.0, 1.0]
    """
    _check_frames(x, None, hop_length, axis, "overlap_add")
    if x.ndim < 2:
        raise InvalidArgumentError(
            f"`x` of `overlap_add` is {describe_array(x)}",
            expected="at least two axes: samples of a frame, and frames",
            fix="unsqueeze the axis that is missing",
        )
    if axis == 0:
        found = _add_frames(jnp.moveaxis(x, (0, 1), (-2, -1)), hop_length)
        return jnp.moveaxis(found, -1, 0)
    return _add_frames(jnp.swapaxes(x, -1, -2), hop_length)


def _settings(
    n_fft: int, hop_length: Any, win_length: Any, window: Any, name: str
) -> tuple[int, int]:
    """The step between frames and the length of the window, checked."""
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    if n_fft < 1 or hop < 1 or not 1 <= length <= n_fft:
        raise InvalidArgumentError(
            f"`{name}` got n_fft={n_fft}, hop_length={hop}, win_length={length}",
            expected="n_fft and hop_length of at least 1, 1 <= win_length <= n_fft",
            fix="hop_length is n_fft // 4 by default, win_length is n_fft",
        )
    if window is not None and (window.ndim != 1 or window.shape[0] != length):
        raise InvalidArgumentError(
            f"`window` of `{name}` is {describe_array(window)}",
            expected=f"one axis of win_length, {length}",
            fix="make the window as long as win_length",
        )
    return hop, length


def _full_window(window: Any, length: int, n_fft: int, dtype: Any, xp: Any = jnp) -> Any:
    """The window in the middle of `n_fft` samples."""
    before = (n_fft - length) // 2
    found = xp.ones(length, dtype) if window is None else window
    return xp.pad(found, (before, n_fft - length - before))


def _check_sides(x: Any, window: Any, onesided: bool, name: str, result: bool = False) -> None:
    has_complex = result or (window is not None and is_complex(window))
    if onesided and (has_complex or (x is not None and is_complex(x))):
        raise InvalidArgumentError(
            f"`onesided` of `{name}` is True with complex values",
            expected="onesided=False: only a real signal mirrors its frequencies",
            fix="pass onesided=False",
        )


def _check_rank(x: Array, ranks: tuple[int, int], name: str, what: str) -> None:
    if x.ndim not in ranks:
        raise InvalidArgumentError(
            f"`x` of `{name}` is {describe_array(x)}",
            expected=f"{what}, with or without a batch in front",
            fix="flatten the axes of the batch into one",
        )


@op(method=None)
def stft(
    x: Array,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Array | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
):
    """Fourier transform of overlapping frames: which frequencies a signal has, and when.

    Args:
        x: real or complex signal `[L]` or `[B, L]`.
        n_fft: samples of a frame, at most L.
        hop_length: samples from one frame to the next; `n_fft // 4` by default.
        win_length: length of the window, in the middle of the frame; `n_fft` by default.
        window: factor of each sample, `[win_length]`; ones by default.
        center: frame k has its middle at sample `k hop_length`; the signal is padded by
            `n_fft // 2` on both sides.
        pad_mode: `reflect` or `constant` (zeros).
        normalized: divides by the root of `n_fft`.
        onesided: only frequencies from 0 up; by default for real signals and windows.

    Returns:
        Complex `[F, K]` or `[B, F, K]`; F is `n_fft // 2 + 1` if onesided, else `n_fft`.

    Raises:
        InvalidArgumentError: a shape, a length, `pad_mode` or `onesided` does not fit.

    Examples:
        >>> import proa
        >>> proa.signal.stft(proa.ones([16]), n_fft=8).shape
        [5, 9]
    """
    _check_rank(x, (1, 2), "stft", "[samples]")
    hop, length = _settings(n_fft, hop_length, win_length, window, "stft")
    is_real = not (is_complex(x) or (window is not None and is_complex(window)))
    half = is_real if onesided is None else onesided
    _check_sides(x, window, half, "stft")
    if pad_mode not in ("reflect", "constant"):
        raise InvalidArgumentError(
            f"`pad_mode` of `stft` is {pad_mode!r}",
            expected="'reflect' or 'constant'",
            fix="use one of them, or pad the signal and pass center=False",
        )
    _check_frames(x, n_fft, hop, -1, "stft")
    x = widened(floating(x))
    if center:
        x = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(n_fft // 2, n_fft // 2)], mode=pad_mode)
    frames = _frames(x, n_fft, hop)
    if window is not None or length < n_fft:
        frames = frames * _full_window(window, length, n_fft, x.real.dtype)
    norm = "ortho" if normalized else "backward"
    found = (jnp.fft.rfft if half else jnp.fft.fft)(frames, norm=norm)
    return jnp.swapaxes(found, -1, -2)


def _check_overlap(
    x: Any, n_fft: int, hop_length: Any, win_length: Any, window: Any, center: bool, **rest: Any
) -> None:
    if getattr(x, "ndim", 0) not in (2, 3) or window is None:
        return
    values = host_values(window)
    hop, length = _settings(n_fft, hop_length, win_length, window, "istft")
    if values is None or not isinstance(x.shape[-1], int):
        return
    full = _full_window(values, length, n_fft, values.dtype, np)
    total = np.zeros((x.shape[-1] - 1) * hop + n_fft, np.float64)
    for k in range(x.shape[-1]):
        total[k * hop : k * hop + n_fft] += np.abs(full) ** 2
    start, wanted = (n_fft // 2 if center else 0), rest.get("length")
    used = total[start : start + wanted if wanted else len(total) - start]
    if used.size and used.min() < _SMALLEST:
        raise InvalidArgumentError(
            "`window` of `istft` is 0 wherever some sample lies",
            expected="overlapping windows whose squares sum to more than 0 everywhere",
            fix="make hop_length smaller, or use another window",
        )


@op(method=None, check=_check_overlap)
def istft(
    x: Array,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Array | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool = True,
    length: int | None = None,
    return_complex: bool = False,
):
    """Signal of a transform over short windows: undoes `stft` of the same settings.

    Each frame is transformed back, multiplied by the window and added; the sum is divided by
    the sum of the squared windows.

    Args:
        x: complex `[F, K]` or `[B, F, K]`.
        n_fft: samples of a frame.
        hop_length: samples from one frame to the next; `n_fft // 4` by default.
        win_length: length of the window; `n_fft` by default.
        window: the window of `stft`, `[win_length]`; ones by default.
        center: drops what `stft` padded.
        normalized: as in `stft`.
        onesided: `x` has only the frequencies from 0 up.
        length: the signal is cut to as many samples.
        return_complex: keeps the imaginary part; needs `onesided=False`.

    Returns:
        `[L]` or `[B, L]`, real unless `return_complex`.

    Raises:
        InvalidArgumentError: a shape or a length does not fit, or (eager) windows that leave
            samples out.

    Examples:
        >>> import proa
        >>> x = proa.arange(16, dtype="float32")
        >>> again = proa.signal.istft(proa.signal.stft(x, 8), 8)
        >>> bool(proa.allclose(again, x, atol=1e-4))
        True
    """
    _check_rank(x, (2, 3), "istft", "[frequencies, frames]")
    hop, win = _settings(n_fft, hop_length, win_length, window, "istft")
    _check_sides(None, window, onesided, "istft", return_complex)
    wanted = n_fft // 2 + 1 if onesided else n_fft
    if x.shape[-2] != wanted or not is_complex(x):
        raise InvalidArgumentError(
            f"`x` of `istft` is {describe_array(x)}",
            expected=f"complex values with {wanted} frequencies (n_fft={n_fft})",
            fix="give n_fft and onesided as in stft",
        )
    norm = "ortho" if normalized else "backward"
    x_BKF = jnp.swapaxes(x, -1, -2)
    frames = jnp.fft.irfft(x_BKF, n_fft, norm=norm) if onesided else jnp.fft.ifft(x_BKF, norm=norm)
    if not onesided and not return_complex:
        frames = frames.real
    full = _full_window(window, win, n_fft, x.real.dtype)
    signal = _add_frames(frames * full, hop)
    squares = jnp.broadcast_to((full * jnp.conj(full)).real, (x_BKF.shape[-2], n_fft))
    total = _add_frames(squares, hop)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else signal.shape[-1] - start
    signal, total = signal[..., start:end], total[start:end]
    return signal / jnp.where(total > _SMALLEST, total, 1)
