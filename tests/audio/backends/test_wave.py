from __future__ import annotations

import wave

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, NotFoundError, UnsupportedError

A = proa.audio
SOUND = np.sin(np.arange(128) / 3).reshape(2, 64).astype("float32")


@pytest.fixture
def path(tmp_path):
    A.save(tmp_path / "tone.wav", proa.to_tensor(SOUND), 16000)
    return tmp_path / "tone.wav"


def test_round_trip(path):
    sound, rate = A.load(path)
    assert (rate, sound.shape, sound.dtype.name) == (16000, [2, 64], "float32")
    np.testing.assert_allclose(sound.numpy(), SOUND, atol=1 / 2**15)


def test_parts_and_integers(path):
    sound, _ = A.load(str(path), 2, 3, normalize=False, channels_first=False)
    np.testing.assert_array_equal(sound.numpy(), np.round(SOUND[:, 2:5].T * 2**15))
    assert A.load(path, frame_offset=100)[0].shape == [2, 0]


def test_header(path):
    assert vars(A.info(path)) == {
        "sample_rate": 16000,
        "num_samples": 64,
        "num_channels": 2,
        "bits_per_sample": 16,
        "encoding": "PCM_S",
    }


def test_loud_sound_is_clipped_and_integers_are_kept(tmp_path):
    target = tmp_path / "loud.wav"
    A.save(target, proa.to_tensor([[2.0], [-2.0]]), 8000, channels_first=False)
    assert A.load(target, normalize=False)[0].tolist() == [[32767.0, -32768.0]]
    A.save(target, proa.to_tensor([[7, -7]], dtype="int16"), 8000)
    assert A.load(target, normalize=False)[0].tolist() == [[7.0, -7.0]]


def test_wrong_files(tmp_path):
    with pytest.raises(NotFoundError, match="no sound file"):
        A.load(tmp_path / "none.wav")
    (tmp_path / "text.wav").write_text("no sound here, only text")
    with pytest.raises(InvalidArgumentError, match="is no WAV file"):
        A.info(tmp_path / "text.wav")
    with wave.open(str(tmp_path / "eight.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\0\1")
    with pytest.raises(UnsupportedError, match="samples of 8 bits"):
        A.load(tmp_path / "eight.wav")


def test_wrong_arguments(path):
    with pytest.raises(InvalidArgumentError, match="`frame_offset` -1"):
        A.load(path, -1)
    with pytest.raises(InvalidArgumentError, match=r"sound of shape \[3\]"):
        A.save(path, proa.zeros([3]), 8000)
    with pytest.raises(UnsupportedError, match="with 8 bits"):
        A.save(path, proa.zeros([1, 3]), 8000, bits_per_sample=8)
