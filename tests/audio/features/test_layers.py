from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError

L = proa.audio.features
WAVE = np.sin(np.arange(64) / 3)[None].astype("float32")
FEW = {"n_fft": 16, "hop_length": 8}
MEL = {"sr": 16000, "n_mels": 4, **FEW}
# First columns of the first rows, from PaddlePaddle 3.3.1.
RECORDED = [
    (
        L.Spectrogram(**FEW),
        [[4.7563825, 2.2444415, 3.9920831], [1.298927, 3.8671463, 3.9853318]],
    ),
    (
        L.Spectrogram(win_length=12, power=2.0, center=False, **FEW),
        [[4.4000096, 13.919898, 20.597298], [6.9204149, 10.684389, 13.3245]],
    ),
    (
        L.MelSpectrogram(**MEL),
        [[0.001201024, 0.0106454352, 0.0113060586], [0.0022803848, 0.0108052213, 0.0113861272]],
    ),
    (
        L.LogMelSpectrogram(**MEL),
        [[-29.204483, -19.728367, -19.466888], [-26.419918, -19.663662, -19.436241]],
    ),
    (
        L.MFCC(n_mfcc=3, **MEL),
        [[-60.815987, -64.60585, -65.037117], [6.2603779, 29.127123, 30.186554]],
    ),
]


@pytest.mark.parametrize(("layer", "want"), RECORDED, ids=lambda v: type(v).__name__)
def test_recorded_values(layer, want):
    made = layer(proa.to_tensor(WAVE)).numpy()
    np.testing.assert_allclose(made[0, :2, :3], want, 1e-3, 1e-5)


def test_against_numpy():
    made = L.Spectrogram(**FEW, center=False, window="hamming")(proa.to_tensor(WAVE)).numpy()
    window = proa.audio.functional.get_window("hamming", 16).numpy()
    frames = np.stack([WAVE[0, s : s + 16] for s in range(0, 49, 8)])
    np.testing.assert_allclose(made[0].T, np.abs(np.fft.rfft(frames * window)), 1e-4, 1e-5)


def test_silence_has_finite_gradients():
    x = proa.zeros([1, 64])
    x.stop_gradient = False
    L.MFCC(n_mfcc=3, power=1.0, **MEL)(x).sum().backward()
    assert np.isfinite(x.grad.numpy()).all()


@pytest.mark.parametrize("pad_mode", ["constant", "replicate", "circular"])
def test_paddings(pad_mode):
    assert L.Spectrogram(pad_mode=pad_mode, **FEW)(proa.to_tensor(WAVE)).shape == [1, 9, 9]


def test_state():
    assert set(L.MFCC(n_fft=64).state_dict()) == {
        "dct_matrix",
        "_log_melspectrogram._melspectrogram.fbank_matrix",
        "_log_melspectrogram._melspectrogram._spectrogram.fft_window",
    }


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: L.Spectrogram(n_fft=8, win_length=9), "`win_length` 9"),
        (lambda: L.Spectrogram(pad_mode="mirror"), "`pad_mode` 'mirror'"),
        (lambda: L.MFCC(n_mfcc=65), "`n_mfcc` is 65"),
        (lambda: L.Spectrogram()(proa.zeros([1, 20])), r"sound of shape \[1, 20\]"),
    ],
)
def test_wrong_settings(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call()
