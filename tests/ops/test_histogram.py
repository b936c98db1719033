from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import same

X = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 1.0], [0.5, 0.5]], "float32")
WEIGHTS = np.array([1.0, 2.0, 3.0, 4.0], "float32")

ROWS = [
    ({"bins": 2}, {"bins": 2}),
    (
        {"bins": [2, 3], "ranges": [0.0, 1.0, 0.0, 2.0]},
        {"bins": [2, 3], "range": [(0, 1), (0, 2)]},
    ),
    ({"bins": 2, "density": True}, {"bins": 2, "density": True}),
    ({"bins": 3, "weights": proa.to_tensor(WEIGHTS)}, {"bins": 3, "weights": WEIGHTS}),
    (
        {"bins": [proa.to_tensor([0.0, 1.0, 2.0]), proa.to_tensor([0.0, 0.6, 2.0])]},
        {"bins": [np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.6, 2.0])]},
    ),
]


@pytest.mark.parametrize(("ours", "theirs"), ROWS)
def test_counts_and_bounds(ours, theirs):
    counts, edges = proa.histogramdd(proa.to_tensor(X), **ours)
    expected, bounds = np.histogramdd(X, **theirs)
    same(counts, expected, "float32")
    for found, wanted in zip(edges, bounds, strict=True):
        same(found, wanted, "float32")


def test_equal_values_get_room():
    counts, edges = proa.to_tensor([[3.0], [3.0]]).histogramdd(bins=2)
    same(counts, [0.0, 2.0])
    same(edges[0], [2.5, 3.0, 3.5])


ERRORS = [
    (lambda x: proa.histogramdd(x[0]), "points \\[N, D\\]"),
    (lambda x: proa.histogramdd(x, weights=proa.ones([3])), "weights \\[N\\]"),
    (lambda x: proa.histogramdd(x, [2, 2, 2]), "2 bins"),
    (lambda x: proa.histogramdd(x, 2, [0.0, 1.0]), "ranges"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call(proa.to_tensor(X))
