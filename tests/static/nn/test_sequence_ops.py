"""Ops on rows in sequences, against loops over the sequences."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.static.nn import _sequence_ops as rows_ops
from tests.ops.harness import Case, case_ids, check_case, distinct, randn

OFFSETS = np.int64([0, 3, 3, 4, 8])
PARTS = list(zip(OFFSETS[:-1], OFFSETS[1:], strict=True))
POOLS = {
    "sum": lambda part: part.sum(0),
    "average": lambda part: part.mean(0),
    "sqrt": lambda part: part.sum(0) / np.sqrt(len(part)),
    "max": lambda part: part.max(0),
    "first": lambda part: part[0],
    "last": lambda part: part[-1],
}


def offsets():
    return proa.to_tensor(OFFSETS)


def pooled(pool):
    def reference(x):
        return np.stack([pool(x[a:b]) if b > a else 0 * x[0] + 7.0 for a, b in PARTS])

    return reference


def softmax(x):
    parts = [np.exp(x[a:b] - x[a:b].max(0)) for a, b in PARTS if b > a]
    return np.concatenate([part / part.sum(0) for part in parts])


def windows(x):
    found = np.zeros([len(x), 3, *x.shape[1:]], x.dtype)
    for a, b in PARTS:
        for row in range(a, b):
            for i, other in enumerate(range(row - 1, row + 2)):
                if a <= other < b:
                    found[row, i] = x[other]
    return found


CASES = [
    *(
        Case(
            lambda x, kind=kind: rows_ops.sequence_rows_pool(
                x, offsets(), proa.to_tensor(7.0), kind
            ),
            (distinct(8, 2),),
            ref=pooled(pool),
            id=kind,
            low=("bfloat16",),
            sharded=False,
        )
        for kind, pool in POOLS.items()
    ),
    Case(
        lambda x: rows_ops.sequence_rows_softmax(x, offsets()),
        (randn(8, 1),),
        ref=softmax,
        id="softmax",
        sharded=False,
    ),
    Case(
        lambda x: rows_ops.sequence_rows_window(x, offsets(), -1, 3),
        (randn(8, 2),),
        ref=windows,
        id="window",
        sharded=False,
    ),
    Case(
        lambda x, like: rows_ops.sequence_rows_repeat(x, offsets(), like),
        (randn(4, 2), randn(8)),
        ref=lambda x, like: np.repeat(x, OFFSETS[1:] - OFFSETS[:-1], axis=0),
        id="repeat",
        sharded=False,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_sequences_without_rows():
    x, ends = proa.zeros([0, 2]), proa.to_tensor([0, 0, 0])
    for kind in POOLS:
        found = rows_ops.sequence_rows_pool(x, ends, proa.to_tensor(7.0), kind)
        assert found.tolist() == [[7, 7], [7, 7]]
    assert rows_ops.sequence_rows_softmax(x, ends).shape == [0, 2]
    assert rows_ops.sequence_rows_window(x, ends, -1, 3).shape == [0, 3, 2]
