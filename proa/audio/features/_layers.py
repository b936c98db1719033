"""Spectrograms, on linear, mel and logarithmic scales, and cepstral coefficients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.audio.functional import compute_fbank_matrix, create_dct, get_window, power_to_db
from proa.core import InvalidArgumentError, Tensor, op, to_tensor
from proa.nn import Layer
from proa.ops import matmul

if TYPE_CHECKING:
    from proa.core._types import Array

_PADS = ("constant", "reflect", "replicate", "circular")
_NUMPY_PADS = {"replicate": "edge", "circular": "wrap"}


@op(name="audio_spectrogram", method=None, public=False, amp="black")
def _spectrogram(
    x: Array, window: Array, n_fft: int, hop_length: int, power: float, center: bool, pad_mode: str
):
    """Magnitudes of the Fourier transforms of frames, to a power: [..., bins, frames]."""
    if center:
        half = n_fft // 2
        widths = [(0, 0)] * (x.ndim - 1) + [(half, half)]
        x = jnp.pad(x, widths, _NUMPY_PADS.get(pad_mode, pad_mode))
    starts = range(0, x.shape[-1] - n_fft + 1, hop_length)
    places_FW = np.asarray(starts)[:, None] + np.arange(n_fft)
    bins = jnp.swapaxes(jnp.fft.rfft(x[..., places_FW] * window, n_fft), -1, -2)
    energy = jnp.square(bins.real) + jnp.square(bins.imag)
    if power == 2.0:
        return energy
    # The root has no finite slope at zero, where a silent frame would make NaN of gradients.
    safe = jnp.where(energy > 0, energy, 1)
    return jnp.where(energy > 0, jax.lax.pow(safe, jnp.asarray(power / 2, safe.dtype)), 0)


class Spectrogram(Layer):
    """Magnitudes of short Fourier transforms: `|F(window * frame)| ** power`.

    Args:
        n_fft: length of a frame and of its transform, in samples.
        hop_length: distance of frames, in samples; a quarter of `win_length` if `None`.
        win_length: length of the window, in samples, centred in the frame; `n_fft` if `None`.
        window: name of the window; see `functional.get_window`.
        power: exponent of the magnitudes, positive.
        center: pad the sound so that frame t is centred at sample t * hop_length.
        pad_mode: `"reflect"`, `"constant"`, `"replicate"` or `"circular"`.
        dtype: dtype of the window.

    Input of shape [batch, samples], output of shape [batch, n_fft // 2 + 1, frames].

    Raises:
        InvalidArgumentError: lengths that do not fit, or an unknown padding.

    Examples:
        >>> import proa
        >>> layer = proa.audio.features.Spectrogram(n_fft=16, hop_length=8)
        >>> layer(proa.zeros([1, 64])).shape
        [1, 9, 9]
    """

    def __init__(
        self,
        n_fft: int = 512,
        hop_length: int | None = 512,
        win_length: int | None = None,
        window: str | tuple[Any, ...] = "hann",
        power: float = 1.0,
        center: bool = True,
        pad_mode: str = "reflect",
        dtype: str = "float32",
    ) -> None:
        super().__init__()
        length = n_fft if win_length is None else win_length
        hop = max(length // 4, 1) if hop_length is None else hop_length
        if not 0 < length <= n_fft or hop < 1 or power <= 0 or pad_mode not in _PADS:
            raise InvalidArgumentError(
                f"`n_fft` {n_fft}, `win_length` {length}, `hop_length` {hop}, `power` {power}, "
                f"`pad_mode` {pad_mode!r}",
                expected="0 < win_length <= n_fft, a positive hop and power, and a padding of "
                + ", ".join(_PADS),
                fix="correct them",
            )
        self._settings = (n_fft, hop, float(power), center, pad_mode)
        weights = get_window(window, length, fftbins=True, dtype=dtype).numpy()
        before = (n_fft - length) // 2
        padded = np.pad(weights, (before, n_fft - length - before))
        self.register_buffer("fft_window", to_tensor(padded))

    def forward(self, x: Tensor) -> Tensor:
        """Computes the spectrogram of sound of shape [batch, samples]."""
        n_fft, center = self._settings[0], self._settings[3]
        needed = n_fft // 2 + 1 if center else n_fft
        if not x.ndim or x.shape[-1] < needed:
            raise InvalidArgumentError(
                f"sound of shape {x.shape} for frames of {n_fft} samples",
                expected=f"at least {needed} samples in the last axis",
                fix="pad the sound, or choose a smaller n_fft",
            )
        return _spectrogram(x, self.fft_window, *self._settings)


class MelSpectrogram(Layer):
    """A spectrogram in mel bands.

    Args:
        sr: sampling rate in Hz.
        n_fft: length of a frame, in samples.
        hop_length: distance of frames, in samples; a quarter of `win_length` if `None`.
        win_length: length of the window, in samples; `n_fft` if `None`.
        window: name of the window.
        power: exponent of the magnitudes.
        center: pad the sound so that frames are centred.
        pad_mode: how it is padded.
        n_mels: number of bands.
        f_min: lower end of the first band, in Hz.
        f_max: upper end of the last band, in Hz; half the sampling rate if `None`.
        htk: use HTK's mel scale.
        norm: scale of the bands; see `functional.compute_fbank_matrix`.
        dtype: dtype of window and bands.

    Input of shape [batch, samples], output of shape [batch, n_mels, frames].

    Examples:
        >>> import proa
        >>> layer = proa.audio.features.MelSpectrogram(16000, n_fft=64, hop_length=32, n_mels=8)
        >>> layer(proa.ones([1, 128])).shape
        [1, 8, 5]
    """

    def __init__(
        self,
        sr: int = 22050,
        n_fft: int = 2048,
        hop_length: int | None = 512,
        win_length: int | None = None,
        window: str | tuple[Any, ...] = "hann",
        power: float = 2.0,
        center: bool = True,
        pad_mode: str = "reflect",
        n_mels: int = 64,
        f_min: float = 50.0,
        f_max: float | None = None,
        htk: bool = False,
        norm: str | float = "slaney",
        dtype: str = "float32",
    ) -> None:
        super().__init__()
        self._spectrogram = Spectrogram(
            n_fft, hop_length, win_length, window, power, center, pad_mode, dtype
        )
        bank = compute_fbank_matrix(sr, n_fft, n_mels, f_min, f_max, htk, norm, dtype)
        self.register_buffer("fbank_matrix", bank)

    def forward(self, x: Tensor) -> Tensor:
        """Computes the mel spectrogram of sound of shape [batch, samples]."""
        return matmul(self.fbank_matrix, self._spectrogram(x))


class LogMelSpectrogram(Layer):
    """A mel spectrogram in decibels.

    Args:
        sr: sampling rate in Hz.
        n_fft: length of a frame, in samples.
        hop_length: distance of frames, in samples; a quarter of `win_length` if `None`.
        win_length: length of the window, in samples; `n_fft` if `None`.
        window: name of the window.
        power: exponent of the magnitudes.
        center: pad the sound so that frames are centred.
        pad_mode: how it is padded.
        n_mels: number of bands.
        f_min: lower end of the first band, in Hz.
        f_max: upper end of the last band, in Hz; half the sampling rate if `None`.
        htk: use HTK's mel scale.
        norm: scale of the bands.
        ref_value: the power of 0 dB.
        amin: smaller powers count as this one.
        top_db: levels further below the largest are raised to it; `None` for no bound.
        dtype: dtype of window and bands.

    Input of shape [batch, samples], output of shape [batch, n_mels, frames].

    Examples:
        >>> import proa
        >>> layer = proa.audio.features.LogMelSpectrogram(16000, n_fft=64, n_mels=8)
        >>> layer(proa.ones([1, 128])).shape
        [1, 8, 9]
    """

    def __init__(
        self,
        sr: int = 22050,
        n_fft: int = 512,
        hop_length: int | None = None,
        win_length: int | None = None,
        window: str | tuple[Any, ...] = "hann",
        power: float = 2.0,
        center: bool = True,
        pad_mode: str = "reflect",
        n_mels: int = 64,
        f_min: float = 50.0,
        f_max: float | None = None,
        htk: bool = False,
        norm: str | float = "slaney",
        ref_value: float = 1.0,
        amin: float = 1e-10,
        top_db: float | None = None,
        dtype: str = "float32",
    ) -> None:
        super().__init__()
        spectrum = (sr, n_fft, hop_length, win_length, window, power, center, pad_mode)
        bands = (n_mels, f_min, f_max, htk, norm, dtype)
        self._melspectrogram = MelSpectrogram(*spectrum, *bands)
        self._levels = (ref_value, amin, top_db)

    def forward(self, x: Tensor) -> Tensor:
        """Computes the levels of sound of shape [batch, samples], in dB."""
        return power_to_db(self._melspectrogram(x), *self._levels)


class MFCC(Layer):
    """Mel-frequency cepstral coefficients: cosine transforms of a log mel spectrogram.

    Args:
        sr: sampling rate in Hz.
        n_mfcc: number of coefficients, at most `n_mels`.
        n_fft: length of a frame, in samples.
        hop_length: distance of frames, in samples; a quarter of `win_length` if `None`.
        win_length: length of the window, in samples; `n_fft` if `None`.
        window: name of the window.
        power: exponent of the magnitudes.
        center: pad the sound so that frames are centred.
        pad_mode: how it is padded.
        n_mels: number of bands.
        f_min: lower end of the first band, in Hz.
        f_max: upper end of the last band, in Hz; half the sampling rate if `None`.
        htk: use HTK's mel scale.
        norm: scale of the bands.
        ref_value: the power of 0 dB.
        amin: smaller powers count as this one.
        top_db: levels further below the largest are raised to it; `None` for no bound.
        dtype: dtype of window, bands and cosines.

    Input of shape [batch, samples], output of shape [batch, n_mfcc, frames].

    Raises:
        InvalidArgumentError: more coefficients than bands.

    Examples:
        >>> import proa
        >>> layer = proa.audio.features.MFCC(16000, n_mfcc=4, n_fft=64, n_mels=8)
        >>> layer(proa.ones([1, 128])).shape
        [1, 4, 9]
    """

    def __init__(
        self,
        sr: int = 22050,
        n_mfcc: int = 40,
        n_fft: int = 512,
        hop_length: int | None = None,
        win_length: int | None = None,
        window: str | tuple[Any, ...] = "hann",
        power: float = 2.0,
        center: bool = True,
        pad_mode: str = "reflect",
        n_mels: int = 64,
        f_min: float = 50.0,
        f_max: float | None = None,
        htk: bool = False,
        norm: str | float = "slaney",
        ref_value: float = 1.0,
        amin: float = 1e-10,
        top_db: float | None = None,
        dtype: str = "float32",
    ) -> None:
        super().__init__()
        if n_mfcc > n_mels:
            raise InvalidArgumentError(
                f"`n_mfcc` is {n_mfcc} and `n_mels` is {n_mels}",
                expected="at most as many coefficients as bands",
                fix="lower n_mfcc, or raise n_mels",
            )
        spectrum = (sr, n_fft, hop_length, win_length, window, power, center, pad_mode)
        bands = (n_mels, f_min, f_max, htk, norm, ref_value, amin, top_db, dtype)
        self._log_melspectrogram = LogMelSpectrogram(*spectrum, *bands)
        self.register_buffer("dct_matrix", create_dct(n_mfcc, n_mels, dtype=dtype))

    def forward(self, x: Tensor) -> Tensor:
        """Computes the coefficients of sound of shape [batch, samples]."""
        turned = self.dct_matrix.t()
        return matmul(turned, self._log_melspectrogram(x))
