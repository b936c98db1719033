from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.amp._loss_scale import loss_scale, loss_scale_update, loss_unscale


def update(scale, counts, found, dynamic=True):
    new_scale, new_counts, no = loss_scale_update(
        proa.to_tensor([scale], dtype="float32"),
        proa.to_tensor(counts, dtype="int32"),
        [proa.to_tensor([each]) for each in found],
        proa.to_tensor([2.0, 0.5, 1.0]),
        proa.to_tensor([3, 2], dtype="int32"),
        dynamic,
    )
    assert no.tolist() == [False]
    return float(new_scale), new_counts.tolist()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((8.0, [0, 0, 0, 0], [False]), (8.0, [1, 0, 0, 0])),
        ((8.0, [2, 0, 0, 0], [False]), (16.0, [0, 0, 0, 0])),
        ((8.0, [2, 0, 0, 0], [True]), (8.0, [0, 1, 0, 1])),
        ((8.0, [0, 1, 0, 1], [False, True]), (4.0, [0, 0, 0, 2])),
        ((1.0, [0, 1, 4, 9], [True]), (1.0, [0, 0, 5, 10])),
        ((0.25, [0, 1, 0, 0], [True]), (0.25, [0, 0, 1, 1])),
        ((3e38, [2, 0, 0, 0], [False]), (float(np.float32(3e38)), [0, 0, 0, 0])),
        ((8.0, [0, 0, 0, 0], []), (8.0, [1, 0, 0, 0])),
        ((8.0, [0, 1, 0, 0], [True], False), (8.0, [0, 0, 1, 1])),
    ],
)
def test_the_scale_moves_by_counts(before, after):
    assert update(*before) == after


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_losses_and_gradients(dtype):
    x = proa.to_tensor([1.0, 2.0], dtype=dtype)
    wanted = "float64" if dtype == "float64" else "float32"
    scale = proa.to_tensor([2.0**15])
    scaled = loss_scale(x, scale)
    assert scaled.dtype.name == wanted
    assert scaled.tolist() == [2.0**15, 2.0**16]
    no = proa.to_tensor([False])
    found, done, flags, back = loss_unscale(scale, no, no, [scaled])
    assert done.tolist() == [True]
    assert (found.tolist(), flags.tolist(), back.tolist()) == ([False], [False], [1.0, 2.0])
    again = loss_unscale(scale, ~no, ~no, [back])
    assert (again[0].tolist(), again[3].tolist()) == ([True], [1.0, 2.0])


@pytest.mark.parametrize("bad", [float("inf"), float("-inf"), float("nan")])
def test_the_gradient_that_is_not_finite_is_told(bad):
    no, good = proa.to_tensor([False]), proa.ones([2])
    found, _, flags, *_ = loss_unscale(proa.ones([1]), no, no, [good, proa.to_tensor([1.0, bad])])
    assert found.tolist() == [True]
    assert flags.tolist() == [False, True]
