from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from proa.geometric._segment import reduce_rows
from tests.ops.harness import Case, case_ids, check_case, distinct, same

G = proa.geometric
IDS = np.array([0, 0, 2, 2])
REDUCE = {"sum": np.sum, "mean": np.mean, "min": np.min, "max": np.max}


def by_segment(reduce, ids=IDS):
    def reference(data, *_):
        rows = [
            reduce(data[ids == i], axis=0) if (ids == i).any() else 0 * data[0]
            for i in range(ids.max() + 1)
        ]
        return np.stack(rows)

    return reference


CASES = [
    Case(
        lambda x, how=how: getattr(G, f"segment_{how}")(x, proa.to_tensor(IDS)),
        (distinct(4, 3),),
        ref=by_segment(reduce),
        id=how,
        orders=2,
        reads_values=True,
        low=("bfloat16",),
        sharded=False,
    )
    for how, reduce in REDUCE.items()
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_segments(case):
    check_case(case)


@pytest.mark.parametrize("how", ["min", "max"])
def test_equal_values_each_get_the_gradient(how):
    x = proa.ones([3, 1])
    x.stop_gradient = False
    getattr(G, f"segment_{how}")(x, proa.to_tensor([0, 0, 1])).sum().backward()
    assert x.grad.tolist() == [[1.0], [1.0], [1.0]]


@pytest.mark.parametrize(
    ("how", "expected"), [("sum", [4, 0, 9]), ("mean", [2, 0, 4]), ("min", [1, 0, 4])]
)
def test_integers(how, expected):
    x = proa.to_tensor([1, 3, 4, 5], dtype="int32")
    same(getattr(G, f"segment_{how}")(x, proa.to_tensor(IDS)), expected, "int32")


def test_infinities_are_kept():
    rows, target = jnp.array([jnp.inf, jnp.inf]), jnp.array([0, 0])
    assert reduce_rows(rows, target, 1, "min").tolist() == [np.inf]


def test_no_rows():
    assert G.segment_sum(proa.zeros([0, 3]), proa.zeros([0], dtype="int64")).shape == [0, 3]


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([0, 2, 1], InvalidArgumentError, "falls from 2 to 1"),
        ([-1, 0, 1], OutOfRangeError, "holds -1"),
        ([0, 1], InvalidArgumentError, "2 `segment_ids`"),
        ([[0, 1, 1]], InvalidArgumentError, r"shape \[1, 3\]"),
        ([0.0, 1.0, 1.0], InvalidTypeError, "float32 tensor"),
    ],
)
def test_wrong_segments(ids, error, message):
    with pytest.raises(error, match=message):
        G.segment_sum(proa.ones([3, 2]), proa.to_tensor(ids))
