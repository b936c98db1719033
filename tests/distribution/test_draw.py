"""Random ops of the room."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.distribution._draw import draw_counts, draw_log_gamma, draw_open, seeded


@pytest.mark.parametrize("dtype", [proa.float16, proa.bfloat16, proa.float32, proa.float64])
def test_ends_are_not_drawn(dtype):
    proa.seed(0)
    drawn = draw_open([20000], dtype)
    assert drawn.dtype == dtype
    values = drawn.astype("float64").numpy()
    assert ((values > 0) & (values < 1)).all()
    assert values.mean() == pytest.approx(0.5, abs=0.02)


def test_logarithms_of_gamma_numbers():
    proa.seed(0)
    drawn = draw_log_gamma(proa.full([20000], 3.0, "float64")).exp().numpy()
    assert drawn.mean() == pytest.approx(3.0, abs=0.07)
    assert np.isfinite(draw_log_gamma(proa.full([100], 1e-3)).numpy()).all()


def test_counts_sum_to_the_total():
    counts = draw_counts(7, proa.to_tensor([0.2, 0.8]), (4,), proa.float32)
    assert counts.sum(-1).tolist() == [7.0] * 4


def test_the_generator_goes_on_after_a_seed():
    proa.seed(1)
    wanted = proa.rand([2]).tolist()
    proa.seed(1)
    with seeded(3):
        proa.rand([2])
    assert proa.rand([2]).tolist() == wanted
    with seeded(0):
        assert proa.rand([2]).tolist() != wanted
