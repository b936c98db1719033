"""Mel scales and what is built on them: filter banks, cosine bases, decibels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import InvalidArgumentError, Tensor, as_dtype, composite, op, to_tensor

if TYPE_CHECKING:
    from proa.core._types import Array

# Slaney's scale: linear with 3 mel per 200 Hz up to 1000 Hz, then logarithmic with 27 mel for
# a factor of 6.4 (M. Slaney, Auditory Toolbox, 1998).
_SLOPE, _KNEE_HZ, _KNEE_MEL, _STEP = 200.0 / 3, 1000.0, 15.0, math.log(6.4) / 27


def _to_mel(freq: Any, htk: bool, xp: Any) -> Any:
    if htk:
        return 2595.0 * xp.log10(1.0 + freq / 700.0)
    # Inside the logarithm nothing below the knee: it has no gradient that could be NaN.
    upper = _KNEE_MEL + xp.log(xp.maximum(freq, _KNEE_HZ) / _KNEE_HZ) / _STEP
    return xp.where(freq >= _KNEE_HZ, upper, freq / _SLOPE)


def _to_hz(mel: Any, htk: bool, xp: Any) -> Any:
    if htk:
        return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    upper = _KNEE_HZ * xp.exp(_STEP * (xp.maximum(mel, _KNEE_MEL) - _KNEE_MEL))
    return xp.where(mel >= _KNEE_MEL, upper, mel * _SLOPE)


@op(name="audio_hz_to_mel", method=None, public=False)
def _hz_to_mel(freq: Array, htk: bool):
    """Mel of frequencies."""
    return _to_mel(freq, htk, jnp).astype(freq.dtype)


@op(name="audio_mel_to_hz", method=None, public=False)
def _mel_to_hz(mel: Array, htk: bool):
    """Frequencies of mel."""
    return _to_hz(mel, htk, jnp).astype(mel.dtype)


@composite
def hz_to_mel(freq: Any, htk: bool = False) -> Any:
    """Converts frequencies to the mel scale.

    Slaney's scale: `3 f / 200` below 1000 Hz, `15 + 27 log(f / 1000) / log(6.4)` above.
    HTK's: `2595 log10(1 + f / 700)`.

    Args:
        freq: frequencies in Hz, a number or a Tensor.
        htk: use HTK's formula.

    Returns:
        Mel, a number for a number.

    Examples:
        >>> import proa
        >>> proa.audio.functional.hz_to_mel(200.0)
        3.0
    """
    if isinstance(freq, Tensor):
        return _hz_to_mel(freq, htk)
    return float(_to_mel(np.float64(freq), htk, np))


@composite
def mel_to_hz(mel: Any, htk: bool = False) -> Any:
    """Converts the mel scale to frequencies; the inverse of `hz_to_mel`.

    Args:
        mel: places on the scale, a number or a Tensor.
        htk: use HTK's formula.

    Returns:
        Frequencies in Hz, a number for a number.

    Examples:
        >>> import proa
        >>> round(proa.audio.functional.mel_to_hz(3.0), 6)
        200.0
    """
    if isinstance(mel, Tensor):
        return _mel_to_hz(mel, htk)
    return float(_to_hz(np.float64(mel), htk, np))


def _made(array: np.ndarray, dtype: Any) -> Tensor:
    return to_tensor(array.astype(as_dtype(dtype).numpy))


def _mel_points(count: int, f_min: float, f_max: float, htk: bool) -> np.ndarray:
    low, high = _to_mel(np.float64(f_min), htk, np), _to_mel(np.float64(f_max), htk, np)
    return _to_hz(np.linspace(low, high, count), htk, np)


@composite
def mel_frequencies(
    n_mels: int = 64,
    f_min: float = 0.0,
    f_max: float = 11025.0,
    htk: bool = False,
    dtype: Any = "float32",
) -> Tensor:
    """Frequencies at equal distances on the mel scale.

    Args:
        n_mels: how many.
        f_min: the first, in Hz.
        f_max: the last, in Hz.
        htk: use HTK's formula.
        dtype: dtype of the result.

    Returns:
        Tensor of shape [n_mels], in Hz.

    Examples:
        >>> import proa
        >>> proa.audio.functional.mel_frequencies(3, 0.0, 400.0).round().tolist()
        [0.0, 200.0, 400.0]
    """
    return _made(_mel_points(n_mels, f_min, f_max, htk), dtype)


@composite
def fft_frequencies(sr: int, n_fft: int, dtype: Any = "float32") -> Tensor:
    """Frequencies of the bins of a real Fourier transform.

    Args:
        sr: sampling rate in Hz.
        n_fft: length of the transform, in samples.
        dtype: dtype of the result.

    Returns:
        Tensor of shape [n_fft // 2 + 1], from 0 to sr / 2, in Hz.

    Examples:
        >>> import proa
        >>> proa.audio.functional.fft_frequencies(8000, 4).tolist()
        [0.0, 2000.0, 4000.0]
    """
    return _made(np.linspace(0, sr / 2, n_fft // 2 + 1), dtype)


@composite
def compute_fbank_matrix(
    sr: int,
    n_fft: int,
    n_mels: int = 64,
    f_min: float = 0.0,
    f_max: float | None = None,
    htk: bool = False,
    norm: str | float | None = "slaney",
    dtype: Any = "float32",
) -> Tensor:
    """A bank of triangular filters that turns a spectrum into mel bands.

    Args:
        sr: sampling rate in Hz.
        n_fft: length of the Fourier transform, in samples.
        n_mels: number of bands.
        f_min: lower end of the first band, in Hz.
        f_max: upper end of the last band, in Hz; half the sampling rate by default.
        htk: use HTK's formula.
        norm: `"slaney"` gives the bands equal areas, a number `p` unit p-norms, `None` leaves
            peaks of one.
        dtype: dtype of the result.

    Returns:
        Tensor of shape [n_mels, n_fft // 2 + 1].

    Raises:
        InvalidArgumentError: an unknown `norm`.

    Examples:
        >>> import proa
        >>> proa.audio.functional.compute_fbank_matrix(16000, 512, n_mels=40).shape
        [40, 257]
    """
    bins = np.linspace(0, sr / 2, n_fft // 2 + 1)
    edges = _mel_points(n_mels + 2, f_min, sr / 2 if f_max is None else f_max, htk)
    widths = np.diff(edges)[:, None]
    ramps = edges[:, None] - bins
    bank = np.maximum(0, np.minimum(-ramps[:-2] / widths[:-1], ramps[2:] / widths[1:]))
    if norm == "slaney":
        bank = bank * (2.0 / (edges[2:] - edges[:-2]))[:, None]
    elif isinstance(norm, int | float):
        length = np.linalg.norm(bank, ord=norm, axis=1, keepdims=True)
        bank = bank / np.maximum(length, 1e-12)
    elif norm is not None:
        raise InvalidArgumentError(
            f"`norm` is {norm!r}", expected="'slaney', a number or None", fix="choose one"
        )
    return _made(bank, dtype)


@composite
def create_dct(
    n_mfcc: int, n_mels: int, norm: str | None = "ortho", dtype: Any = "float32"
) -> Tensor:
    """A basis of cosines (DCT-II): `2 cos(pi (n + 1/2) k / n_mels)` at row n, column k.

    Args:
        n_mfcc: number of cosines.
        n_mels: number of bands.
        norm: `"ortho"` makes the columns orthonormal; `None` leaves them.
        dtype: dtype of the result.

    Returns:
        Tensor of shape [n_mels, n_mfcc].

    Raises:
        InvalidArgumentError: an unknown `norm`.

    Examples:
        >>> import proa
        >>> proa.audio.functional.create_dct(1, 4).tolist()
        [[0.5], [0.5], [0.5], [0.5]]
    """
    if norm not in ("ortho", None):
        raise InvalidArgumentError(f"`norm` is {norm!r}", expected="'ortho' or None", fix="choose")
    basis = 2.0 * np.cos(np.pi / n_mels * np.outer(np.arange(n_mels) + 0.5, np.arange(n_mfcc)))
    if norm == "ortho":
        basis *= math.sqrt(0.5 / n_mels)
        basis[:, :1] *= math.sqrt(0.5)
    return _made(basis, dtype)


@op(name="audio_power_to_db", method=None, public=False, amp="black")
def _power_to_db(spect: Array, ref_value: float, amin: float, top_db: float | None):
    """Decibels of powers."""
    level = 10.0 * (jnp.log10(jnp.maximum(spect, amin)) - math.log10(max(amin, ref_value)))
    if top_db is not None:
        level = jnp.maximum(level, level.max() - top_db)
    return level.astype(spect.dtype)


@composite
def power_to_db(
    spect: Tensor, ref_value: float = 1.0, amin: float = 1e-10, top_db: float | None = 80.0
) -> Tensor:
    """Decibels of a power spectrum: `10 log10(max(spect, amin) / ref_value)`.

    Args:
        spect: powers, of any shape.
        ref_value: the power of 0 dB.
        amin: smaller powers count as this one.
        top_db: levels further below the largest are raised to it; `None` for no bound.

    Returns:
        Tensor of the shape of `spect`, in dB.

    Raises:
        InvalidArgumentError: bounds that are not positive.

    Examples:
        >>> import proa
        >>> proa.audio.functional.power_to_db(proa.to_tensor([1.0, 100.0])).round().tolist()
        [0.0, 20.0]
    """
    if amin <= 0 or ref_value <= 0 or (top_db is not None and top_db < 0):
        raise InvalidArgumentError(
            f"`ref_value` {ref_value}, `amin` {amin}, `top_db` {top_db}",
            expected="positive powers, and a `top_db` of at least 0",
            fix="correct them",
        )
    return _power_to_db(spect, float(ref_value), float(amin), top_db)
