from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import Case, case_ids, check_case, complexes, positive, randn, same

HANN = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(8) / 8)
LOOSE = {
    "float32": (2e-5, 1e-5),
    "complex64": (2e-5, 1e-5),
    "compiled": (2e-5, 5e-6),
    "sharded": (2e-5, 5e-6),
}


def frames(x, length, hop):
    count = 1 + (x.shape[-1] - length) // hop
    return np.stack([x[..., k * hop : k * hop + length] for k in range(count)], -2)


def added(x, hop):
    count, length = x.shape[-2:]
    total = np.zeros((*x.shape[:-2], (count - 1) * hop + length), x.dtype)
    for k in range(count):
        total[..., k * hop : k * hop + length] += x[..., k, :]
    return total


def spectrum(x, n, hop, window, padding, normalized, onesided):
    if padding:
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(n // 2, n // 2)], padding)
    found = (np.fft.rfft if onesided else np.fft.fft)(frames(x, n, hop) * window)
    return found.swapaxes(-1, -2) / (np.sqrt(n) if normalized else 1)


def centred(window, n):
    before = (n - len(window)) // 2
    return np.pad(window, (before, n - len(window) - before))


def case(fn, args, ref, name):
    return Case(fn, args, ref=ref, id=name, low=(), tolerance=LOOSE, reason="sums of products")


CASES = [
    Case(
        lambda x: proa.signal.frame(x, 3, 2),
        (randn(4, 8),),
        ref=lambda x: frames(x, 3, 2).swapaxes(-1, -2),
        id="frame",
    ),
    Case(
        lambda x: proa.signal.frame(x, 3, 2, axis=0),
        (randn(8, 2),),
        ref=lambda x: np.moveaxis(frames(np.moveaxis(x, 0, -1), 3, 2), (-2, -1), (0, 1)),
        id="frame, axis 0",
    ),
    Case(
        lambda x: proa.signal.overlap_add(x, 2),
        (randn(4, 3, 5),),
        ref=lambda x: added(x.swapaxes(-1, -2), 2),
        id="overlap_add",
    ),
    Case(
        lambda x: proa.signal.overlap_add(x, 4, axis=0),
        (randn(4, 3, 2),),
        ref=lambda x: np.moveaxis(added(np.moveaxis(x, (0, 1), (-2, -1)), 4), -1, 0),
        id="overlap_add, axis 0",
    ),
    case(
        lambda x: proa.signal.stft(x, 8),
        (randn(4, 20),),
        lambda x: spectrum(x, 8, 2, 1, "reflect", False, True),
        "stft",
    ),
    case(
        lambda x, w: proa.signal.stft(x, 8, 4, 5, w, False, normalized=True, onesided=False),
        (randn(20), positive(5)),
        lambda x, w: spectrum(x, 8, 4, centred(w, 8), None, True, False),
        "stft with a short window",
    ),
    case(
        lambda x: proa.signal.stft(x, 8, pad_mode="constant"),
        (complexes(12),),
        lambda x: spectrum(x, 8, 2, 1, "constant", False, False),
        "stft of complex values",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def inverse(x, n, hop, window, onesided=True):
    real = np.fft.irfft(x.swapaxes(-1, -2), n) if onesided else np.fft.ifft(x.swapaxes(-1, -2))
    total = added(np.broadcast_to(window**2, (x.shape[-1], n)), hop)
    return added(real * window, hop) / total


INVERSES = [
    case(
        lambda x: proa.signal.istft(x, 8, 2, center=False),
        (complexes(4, 5, 3),),
        lambda x: inverse(x, 8, 2, np.ones(8)),
        "istft",
    ),
    case(
        lambda x, w: proa.signal.istft(x, 8, window=w, onesided=False, return_complex=True),
        (complexes(8, 4), positive(8)),
        lambda x, w: inverse(x, 8, 2, w, False)[4:-4],
        "istft of complex values",
    ),
]


@pytest.mark.parametrize("case", INVERSES, ids=case_ids(INVERSES))
def test_inverse(case):
    check_case(case)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize(("length", "expected"), [(None, 20), (17, 17)])
def test_the_inverse_gives_the_signal_back(normalized, length, expected):
    x = proa.to_tensor(randn(2, 20), "float32")
    window = proa.to_tensor(HANN, "float32")
    found = proa.signal.stft(x, 8, 2, window=window, normalized=normalized)
    again = proa.signal.istft(found, 8, 2, window=window, normalized=normalized, length=length)
    assert again.shape == [2, expected]
    np.testing.assert_allclose(again.numpy(), x.numpy()[:, :expected], rtol=1e-4, atol=1e-5)


def test_values_of_paddle():
    x = proa.arange(8, dtype="float32")
    found = proa.signal.stft(x, 4, 2, window=proa.ones([4]), center=False, normalized=True)
    wanted = [[3, 7, 11], [-1 + 1j, -1 + 1j, -1 + 1j], [-1, -1, -1]]
    np.testing.assert_allclose(found.numpy(), wanted, atol=1e-6)
    ones = proa.ones([3, 4], "complex64")
    np.testing.assert_allclose(proa.signal.istft(ones, 4).numpy(), [1 / 3, 0.25, 0], atol=1e-6)
    np.testing.assert_allclose(
        proa.signal.istft(ones, 4, length=9).numpy(), [1 / 3, 0.25, 0, 0, 0], atol=1e-6
    )
    same(proa.signal.frame(proa.arange(8), 4, 2), [[0, 2, 4], [1, 3, 5], [2, 4, 6], [3, 5, 7]])
    halves = proa.arange(8, dtype="float32").reshape([4, 2])
    same(proa.signal.overlap_add(halves, 2), [0, 2, 5, 9, 5, 7])


X = proa.ones([8])
C = proa.ones([3, 4], "complex64")
ERRORS = [
    (lambda: proa.signal.frame(X, 9, 2), "`frame` got .*frame_length=9"),
    (lambda: proa.signal.frame(X, 4, 0), "`frame` got .*hop_length=0"),
    (lambda: proa.signal.frame(X, 4, 2, axis=1), "`frame` got .*axis=1"),
    (lambda: proa.signal.overlap_add(X, 2), "`x` of `overlap_add`"),
    (lambda: proa.signal.overlap_add(X, 0), "`overlap_add` got .*hop_length=0"),
    (lambda: proa.signal.stft(X, 9), "`stft` got .*frame_length=9"),
    (lambda: proa.signal.stft(X, 4, win_length=5), "`stft` got n_fft=4.*win_length=5"),
    (lambda: proa.signal.stft(X, 4, window=proa.ones([3])), "`window` of `stft`"),
    (lambda: proa.signal.stft(X, 4, pad_mode="wrap"), "`pad_mode` of `stft` is 'wrap'"),
    (lambda: proa.signal.stft(proa.ones([2, 2, 8]), 4), "`x` of `stft`"),
    (lambda: proa.signal.stft(X.astype("complex64"), 4, onesided=True), "`onesided` of `stft`"),
    (lambda: proa.signal.istft(C, 4, return_complex=True), "`onesided` of `istft`"),
    (lambda: proa.signal.istft(C, 8), "complex values with 5 frequencies"),
    (lambda: proa.signal.istft(C, 4, window=proa.zeros([4])), "`window` of `istft` is 0"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()
