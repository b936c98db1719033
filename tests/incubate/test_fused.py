from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

import proa
from tests.ops.harness import Case, case_ids, check_case, randn

incubate = proa.incubate
MASK = np.where(np.arange(24).reshape(2, 1, 3, 4) % 5 == 0, -1e4, 0.0)


def causal(x):
    return softmax(np.where(np.tri(x.shape[-1], dtype=bool), x, -np.inf), -1)


CASES = [
    Case(
        incubate.softmax_mask_fuse,
        (randn(2, 2, 3, 4), MASK),
        ref=lambda x, mask: softmax(x + mask, -1),
    ),
    Case(incubate.softmax_mask_fuse_upper_triangle, (randn(4, 1, 3, 3),), ref=causal),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [(0, 11.0), ("sum", 11.0), (1, 2.75), ("mean", 2.75), (2, [[1, 2], [3, 5]]), ("none", None)],
)
def test_identity_loss(reduction, expected):
    x = proa.to_tensor([[1.0, 2.0], [3.0, 5.0]], stop_gradient=False)
    made = incubate.identity_loss(x, reduction)
    assert made.tolist() == (x.tolist() if expected is None else expected)
    made.sum().backward()
    assert x.grad.tolist() == [[0.25 if made.shape == [] and made < 3 else 1.0] * 2] * 2


def test_bad_arguments():
    with pytest.raises(proa.core.InvalidArgumentError, match="`reduction` is 'max'"):
        incubate.identity_loss(proa.ones([1]), "max")
    with pytest.raises(proa.core.InvalidArgumentError, match="upper_triangle` of shape"):
        incubate.softmax_mask_fuse_upper_triangle(proa.ones([1]))
