from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

import proa
from proa.core import InvalidArgumentError, InvalidTypeError

get_window = proa.audio.functional.get_window
WINDOWS = [
    *("bartlett", "blackman", "bohman", "cosine", "hamming", "hann", "nuttall"),
    *("taylor", "triang", "tukey", "exponential"),
    *(("gaussian", 7), ("exponential", None, 1), ("tukey", 0.5), ("taylor", 4, 30, True)),
    *(("kaiser", 12.0), ("general_gaussian", 1.5, 2), ("general_hamming", 0.6)),
    *(("general_cosine", [0.5, 0.3, 0.2]), ("taylor", 3, 40, False)),
]


@pytest.mark.parametrize("window", WINDOWS, ids=str)
@pytest.mark.parametrize("length", [6, 7])
@pytest.mark.parametrize("fftbins", [True, False])
def test_against_scipy(window, length, fftbins):
    made = get_window(window, length, fftbins)
    want = signal.get_window(window, length, fftbins)
    np.testing.assert_allclose(made.numpy(), want, 1e-9, 1e-12)
    assert made.dtype.name == "float64"


def test_short_ones():
    assert get_window("hann", 1, dtype="float32").tolist() == [1.0]
    assert get_window("hann", 0).shape == [0]
    assert get_window(("tukey", 0.0), 3).tolist() == [1.0] * 3


@pytest.mark.parametrize(
    ("window", "error", "message"),
    [
        ("haan", InvalidArgumentError, "`window` is 'haan'"),
        ("kaiser", InvalidArgumentError, "'kaiser' with 0 parameters"),
        (3.0, InvalidTypeError, "`window` is 3.0"),
    ],
)
def test_wrong_windows(window, error, message):
    with pytest.raises(error, match=message):
        get_window(window, 4)
