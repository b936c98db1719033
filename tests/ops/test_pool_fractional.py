"""Fractional pooling; the windows are those of paddle 3.3.1, see tests/nn/recorded.json too."""

from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, distinct, same

IMAGE = (np.arange(49.0).reshape(1, 1, 7, 7) * 37) % 50


def pooled(rows, columns):
    """Maxima over given pairs of windows."""

    def reference(x):
        return np.stack(
            [np.stack([x[..., a:b, c:d].max((-2, -1)) for c, d in columns], -1) for a, b in rows],
            -2,
        )

    return reference


TOUCHING, OVERLAPPING = [(0, 2), (2, 5), (5, 7)], [(0, 3), (2, 5), (4, 7)]
PAIRS = [(0, 2), (3, 5), (5, 7)]
CASES = [
    Case(
        lambda x: F.fractional_max_pool2d(x, 3, random_u=0.3),
        (distinct(4, 1, 7, 7),),
        ref=pooled(TOUCHING, TOUCHING),
        id="fractional_max_pool2d",
    ),
    Case(
        lambda x: F.fractional_max_pool2d(x, 3, (2, 3), 0.3),
        (distinct(4, 1, 7, 7),),
        ref=pooled(PAIRS, OVERLAPPING),
        id="fractional_max_pool2d, kernel",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_values_of_paddle():
    x = proa.to_tensor(IMAGE, "float32")
    values, places = F.fractional_max_pool2d(x, 3, random_u=0.3, return_mask=True)
    same(values, [[[[46, 48, 44], [36, 47, 49], [45, 43, 39]]]])
    same(places, [[[[8, 4, 12], [28, 31, 27], [35, 39, 47]]]], "int32")
    kept = F.fractional_max_pool2d(x, [2, None], random_u=0.7)
    same(kept, [[[[18, 46, 42, 29, 48, 44, 40], [45, 41, 28, 47, 43, 39, 49]]]])
    volume = proa.to_tensor(np.arange(128.0).reshape(1, 2, 4, 4, 4) * 37 % 51, "float32")
    values, places = F.fractional_max_pool3d(volume, 3, random_u=0.3, return_mask=True)
    same(values[0, 0, 0], [[0, 37, 9], [46, 32, 50], [36, 22, 45]])
    same(places[0, 1, 1], [[32, 17, 35], [20, 42, 39], [28, 46, 31]])


def test_the_place_of_the_windows_is_drawn():
    proa.seed(0)
    x = proa.to_tensor(IMAGE, "float32")
    drawn = {tuple(F.fractional_max_pool2d(x, 5).numpy().ravel()) for _ in range(8)}
    assert len(drawn) > 1


X = proa.ones([1, 1, 4, 4])
ERRORS = [
    (lambda: F.fractional_max_pool2d(X, 3, random_u=1.0), "`random_u` of `fractional_max_pool2d`"),
    (lambda: F.fractional_max_pool2d(X, [1, 2, 3]), "one number, or 2 of them"),
    (lambda: F.fractional_max_pool2d(X, 5), "`fractional_max_pool2d` got x"),
    (lambda: F.fractional_max_pool2d(X, 3, 3), "output_size \\+ kernel_size - 1"),
    (lambda: F.fractional_max_pool3d(X, 3), "`fractional_max_pool3d` got x"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()
