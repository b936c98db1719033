"""Indexing behaviours that other frameworks got wrong; each test names its source."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import same

NAN = float("nan")


def test_where_with_a_guarded_branch_has_a_finite_gradient():
    """JAX#5798, JAX#1052: the gradient of an untaken sqrt(0) is infinite, times 0 NaN."""
    x = proa.to_tensor(0.0, stop_gradient=False)
    guarded = proa.where(x < 1, proa.ones_like(x), x)
    proa.where(x < 1, x, proa.sqrt(guarded)).backward()
    assert x.grad.item() == 1.0


def test_topk_takes_nan_first_and_keeps_the_order_of_ties():
    """P#60573, PT#16762, torch-xpu-ops#4839."""
    values, places = proa.topk(proa.to_tensor([1.0, 2, NAN, 2, NAN, 4, 3, 4, 5]), 4)
    same(values, [NAN, NAN, 5.0, 4.0], "float32")
    same(places, [2, 4, 8, 5], "int64")


def test_an_index_beyond_the_axis_raises():
    """JAX PR#7595, JAX PR#2895, tt-mlir#9211: not clamped, filled or dropped."""
    x, five = proa.arange(3), proa.to_tensor([5])
    for call in (
        lambda: x[5],
        lambda: x[five],
        lambda: x.__setitem__(5, 0),
        lambda: x.__setitem__(five, 0),
        lambda: proa.gather(x, five),
        lambda: proa.index_select(x, five),
        lambda: proa.take(x, five),
        lambda: proa.scatter(x, five, proa.to_tensor([1])),
    ):
        with pytest.raises(IndexError):
            call()
    same(x, [0, 1, 2], "int64")


def test_gather_and_its_gradient_agree():
    """JAX PR#7595: negative places count from the end, in both directions."""
    x = proa.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    y = proa.gather(x, proa.to_tensor([-1, 0, -1]))
    same(y, [3.0, 1.0, 3.0], "float32")
    y.sum().backward()
    same(x.grad, [1.0, 0.0, 2.0], "float32")


def test_one_hot_and_bincount_refuse_bad_labels():
    """J [ran]: a zero row, and -1 counted as 0."""
    with pytest.raises(IndexError, match="holds 3"):
        proa.nn.functional.one_hot(proa.to_tensor([3]), 3)
    with pytest.raises(IndexError, match="holds -1"):
        proa.bincount(proa.to_tensor([-1, 0]))


EMPTY = [
    (lambda x: proa.sort(x), (2, 0)),
    (lambda x: proa.argsort(x), (2, 0)),
    (lambda x: proa.gather(x, proa.to_tensor([1])), (1, 0)),
    (lambda x: x[:, :0], (2, 0)),
    (lambda x: x[x > 0], (0,)),
    (lambda x: proa.masked_select(x, x > 0), (0,)),
    (lambda x: proa.concat([x, x]), (4, 0)),
    (lambda x: proa.matmul(x, x, transpose_y=True), (2, 2)),
    (lambda x: proa.unique(x), (0,)),
    (lambda x: proa.nonzero(x), (0, 2)),
    (lambda x: proa.flip(x, 1), (2, 0)),
    (lambda x: proa.roll(x, 1, 1), (2, 0)),
    (lambda x: proa.tile(x, [2, 3]), (4, 0)),
]


@pytest.mark.parametrize(("call", "shape"), EMPTY)
def test_empty_tensors(call, shape):
    """P#72693, P#71826, P#71164: never a signal or a hang, and shapes are kept."""
    assert tuple(call(proa.zeros([2, 0])).shape) == shape


def test_products_over_nothing_are_zero():
    """P#72693."""
    x = proa.zeros([2, 0])
    same(proa.matmul(x, x, transpose_y=True), np.zeros((2, 2)), "float32")
