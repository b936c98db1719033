from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from tests.ops.harness import same


@pytest.mark.parametrize("n", [1, 4, 5])
def test_frequencies_of_both_transforms(n):
    same(proa.fft.fftfreq(n, 0.5), np.fft.fftfreq(n, 0.5), "float32")
    same(proa.fft.rfftfreq(n, d=2.0, dtype="float64"), np.fft.rfftfreq(n, 2.0), "float64")


def test_torch_style_arguments():
    out = proa.zeros([4])
    assert proa.fft.fftfreq(4, out=out) is out
    same(out, np.fft.fftfreq(4))
    assert not proa.fft.rfftfreq(4, requires_grad=True).stop_gradient
    assert proa.fft.rfftfreq(4, device="cpu").stop_gradient


@pytest.mark.parametrize("call", [lambda f: f(0), lambda f: f(2.5), lambda f: f(4, 0.0)])
def test_errors(call):
    for name in ("fftfreq", "rfftfreq"):
        with pytest.raises(InvalidArgumentError, match=f"`{name}` got n="):
            call(getattr(proa.fft, name))
