from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError

F = proa.audio.functional


def close(got, want):
    np.testing.assert_allclose(np.asarray(got), want, 1e-5, 1e-6)


def test_scales():
    close([F.hz_to_mel(440.0), F.hz_to_mel(4000.0, True)], [6.6, 2146.06452750619])
    close([F.mel_to_hz(30.0), F.mel_to_hz(300.0, True)], [2804.6441307389214, 213.49247979198316])
    close(F.hz_to_mel(proa.to_tensor([100.0, 2000.0])), [1.5, 25.08188057])
    close(F.mel_to_hz(proa.to_tensor([10.0, 30.0])), [666.66662598, 2804.64379883])
    assert isinstance(F.hz_to_mel(440.0), float)


@pytest.mark.parametrize("htk", [False, True])
def test_scales_have_gradients(htk):
    x = proa.to_tensor([0.0, 500.0, 3000.0], stop_gradient=False)
    F.mel_to_hz(F.hz_to_mel(x, htk), htk).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.ones(3), 1e-4)


def test_frequencies():
    close(F.mel_frequencies(5), [0.0, 831.84320068, 1982.66992188, 4675.35351562, 11025.0])
    close(F.fft_frequencies(16000, 8), [0, 2000, 4000, 6000, 8000])
    assert F.fft_frequencies(16000, 8, dtype="float64").dtype.name == "float64"


@pytest.mark.parametrize(
    ("options", "row"),
    [
        ({}, [0, 0.0007352, 0.00033586, 0, 0, 0, 0, 0, 0]),
        ({"norm": None, "htk": True}, [0, 0.71280783, 0.377933, 0, 0, 0, 0, 0, 0]),
        ({"norm": 1.0}, [0, 0.68642586, 0.31357417, 0, 0, 0, 0, 0, 0]),
    ],
)
def test_banks(options, row):
    bank = F.compute_fbank_matrix(16000, 16, 4, **options)
    assert bank.shape == [4, 9]
    np.testing.assert_allclose(bank.numpy()[1], row, 1e-4, 1e-7)


def test_cosines():
    basis = F.create_dct(3, 4).numpy()
    close(basis.T @ basis, np.eye(3))
    close(F.create_dct(3, 4, None).numpy()[0], [2.0, 1.84775901, 1.41421354])


def test_decibels():
    x = proa.to_tensor([1.0, 1e-12, 100.0])
    close(F.power_to_db(x), [0, -60, 20])
    close(F.power_to_db(x, top_db=None), [0, -100, 20])
    close(F.power_to_db(x, ref_value=10.0, top_db=None), [-10, -110, 10])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: F.compute_fbank_matrix(8000, 16, norm="l2"), "`norm` is 'l2'"),
        (lambda: F.create_dct(2, 4, "l2"), "`norm` is 'l2'"),
        (lambda: F.power_to_db(proa.ones([1]), amin=0.0), "`amin` 0.0"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call()
