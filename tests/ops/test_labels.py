from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, randn, same


def shifted(x, steps, share):
    parts = x.reshape(-1, steps, *x.shape[1:])
    out = parts.copy()
    first, second = int(x.shape[1] * share), int(x.shape[1] * 2 * share)
    out[:, :, :second] = 0
    out[:, 1:, :first] = parts[:, :-1, :first]
    out[:, :-1, first:second] = parts[:, 1:, first:second]
    return out.reshape(x.shape)


CASES = [
    Case(F.label_smooth, (randn(4, 3),), ref=lambda y: 0.9 * y + 0.1 / 3),
    Case(F.label_smooth, (randn(4, 3), randn(1, 3), 0.3), ref=lambda y, p, e: (1 - e) * y + e * p),
    Case(F.temporal_shift, (randn(4, 4, 2, 1), 2, 0.25), ref=shifted),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_sequence_mask():
    lengths = proa.to_tensor([[1, 0], [3, 2]])
    same(F.sequence_mask(lengths), [[[1, 0, 0], [0, 0, 0]], [[1, 1, 1], [1, 1, 0]]], "int64")
    same(F.sequence_mask(lengths[0], 2, "bool"), [[True, False], [False, False]], "bool")
    assert F.sequence_mask(proa.zeros([0], "int64")).shape == [0, 0]


def test_temporal_shift_of_last_channels():
    x = randn(4, 2, 2, 4)
    first = shifted(np.moveaxis(x, -1, 1), 2, 0.25)
    got = F.temporal_shift(proa.to_tensor(x), 2, data_format="NHWC").numpy()
    same(np.moveaxis(got, -1, 1), first)


ERRORS = [
    (lambda: F.label_smooth(proa.zeros([2]), epsilon=1.5), "`epsilon` of `label_smooth`"),
    (lambda: F.sequence_mask(proa.to_tensor([1]), -1), "`maxlen` of `sequence_mask` is -1"),
    (lambda: F.temporal_shift(proa.zeros([3, 4, 1, 1]), 2), "a multiple of seg_num"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()


def test_lengths_are_integers():
    with pytest.raises(TypeError, match="`x` of `sequence_mask` is a complex64 tensor"):
        F.sequence_mask(proa.zeros([2], "complex64"))
