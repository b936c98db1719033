"""WAV files of 16-bit integers, through Python's own reader."""

from __future__ import annotations

import wave
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, NotFoundError, Tensor, UnsupportedError, to_tensor

_FULL_SCALE = 2**15


@dataclass
class AudioInfo:
    """What the header of a sound file says.

    Args:
        sample_rate: samples a second.
        num_samples: samples of each channel.
        num_channels: number of channels.
        bits_per_sample: bits of a sample.
        encoding: kind of the samples.
    """

    sample_rate: int
    num_samples: int
    num_channels: int
    bits_per_sample: int
    encoding: str


def _target(filepath: Any) -> Any:
    return str(filepath) if isinstance(filepath, Path) else filepath


def _opened(filepath: Any) -> wave.Wave_read:
    if isinstance(filepath, str | Path) and not Path(filepath).is_file():
        raise NotFoundError(
            f"no sound file {str(filepath)!r}", expected="a WAV file", fix="correct the path"
        )
    try:
        opened = wave.open(_target(filepath), "rb")
    except (wave.Error, EOFError) as error:
        raise InvalidArgumentError(
            f"{filepath!r} is no WAV file that can be read ({error})",
            expected="a WAV file of PCM samples",
            fix="convert it, for example: ffmpeg -i FILE -c:a pcm_s16le out.wav",
        ) from error
    if opened.getsampwidth() != 2:
        bits = 8 * opened.getsampwidth()
        opened.close()
        raise UnsupportedError(
            f"{filepath!r} has samples of {bits} bits",
            expected="samples of 16 bits",
            fix="convert it, for example: ffmpeg -i FILE -c:a pcm_s16le out.wav",
        )
    return opened


def info(filepath: Any) -> AudioInfo:
    """Reads the header of a WAV file.

    Args:
        filepath: path, or an open binary file.

    Raises:
        NotFoundError: no such file.
        InvalidArgumentError: no WAV file.
        UnsupportedError: samples of other than 16 bits.

    Examples:
        >>> import io, proa
        >>> file = io.BytesIO()
        >>> proa.audio.save(file, proa.zeros([2, 80]), 8000)
        >>> proa.audio.info(io.BytesIO(file.getvalue())).num_channels
        2
    """
    with _opened(filepath) as file:
        return AudioInfo(file.getframerate(), file.getnframes(), file.getnchannels(), 16, "PCM_S")


def load(
    filepath: Any,
    frame_offset: int = 0,
    num_frames: int = -1,
    normalize: bool = True,
    channels_first: bool = True,
) -> tuple[Tensor, int]:
    """Reads a WAV file.

    Args:
        filepath: path, or an open binary file.
        frame_offset: samples that are left out at the start.
        num_frames: samples that are read; -1 for all.
        normalize: scale to [-1, 1); otherwise the integers, as floats.
        channels_first: shape [channels, samples], otherwise [samples, channels].

    Returns:
        The sound, float32, and the sampling rate in Hz.

    Raises:
        NotFoundError: no such file.
        InvalidArgumentError: no WAV file, or a negative offset.
        UnsupportedError: samples of other than 16 bits.

    Examples:
        >>> import io, proa
        >>> file = io.BytesIO()
        >>> proa.audio.save(file, proa.to_tensor([[0.0, 0.5, -0.5]]), 8000)
        >>> sound, rate = proa.audio.load(io.BytesIO(file.getvalue()))
        >>> rate, sound.tolist()
        (8000, [[0.0, 0.5, -0.5]])
    """
    if frame_offset < 0 or num_frames < -1:
        raise InvalidArgumentError(
            f"`frame_offset` {frame_offset}, `num_frames` {num_frames}",
            expected="an offset of at least 0, and a number of samples or -1",
            fix="correct them",
        )
    with _opened(filepath) as file:
        rate, channels, total = file.getframerate(), file.getnchannels(), file.getnframes()
        file.setpos(min(frame_offset, total))
        content = file.readframes(total if num_frames == -1 else num_frames)
    samples = np.frombuffer(content, "<i2").astype(np.float32).reshape(-1, channels)
    if normalize:
        samples /= _FULL_SCALE
    return to_tensor(np.ascontiguousarray(samples.T) if channels_first else samples), rate


def save(
    filepath: Any,
    src: Tensor,
    sample_rate: int,
    channels_first: bool = True,
    encoding: str | None = None,
    bits_per_sample: int | None = 16,
) -> None:
    """Writes a WAV file of 16-bit integers.

    Args:
        filepath: path, or a binary file open for writing.
        src: sound in [-1, 1], which is clipped, or int16; 2 axes.
        sample_rate: samples a second.
        channels_first: whether `src` has shape [channels, samples].
        encoding: `None` or `"PCM_16"`.
        bits_per_sample: `None` or 16.

    Raises:
        InvalidArgumentError: another number of axes.
        UnsupportedError: another encoding.

    Examples:
        >>> import io, proa
        >>> proa.audio.save(io.BytesIO(), proa.zeros([1, 80]), 8000)
    """
    if encoding not in (None, "PCM_16", "PCM_S") or bits_per_sample not in (None, 16):
        raise UnsupportedError(
            f"`encoding` {encoding!r} with {bits_per_sample} bits",
            expected="None or 'PCM_16', with 16 bits",
            fix="leave both out",
        )
    array = np.asarray(src)
    if array.ndim != 2:
        raise InvalidArgumentError(
            f"sound of shape {list(array.shape)}",
            expected="2 axes: channels and samples",
            fix="add an axis for one channel: x.unsqueeze(0)",
        )
    frames = array.T if channels_first else array
    if frames.dtype != np.int16:
        scaled = np.round(frames.astype(np.float64) * _FULL_SCALE)
        frames = np.clip(scaled, -_FULL_SCALE, _FULL_SCALE - 1)
    with wave.open(_target(filepath), "wb") as file:
        file.setnchannels(frames.shape[1])
        file.setsampwidth(2)
        file.setframerate(int(sample_rate))
        file.writeframes(np.ascontiguousarray(frames).astype("<i2").tobytes())
