from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, ProgramError
from tests.ops.harness import Case, bools, case_ids, check_case, randn, same

MOVE = {"low": ("bfloat16",)}
MASK = bools(4, 3)
MASK[0] = True


def scattered(x, mask, value):
    y = x.copy()
    y[mask] = value.reshape(-1)[: mask.sum()]
    return y


CASES = [
    Case(proa.where, (bools(4, 1), randn(4, 3), randn(3)), ref=np.where, low=("float16",)),
    Case(proa.where, (bools(4), randn(4), 2.5), ref=np.where, **MOVE),
    Case(
        proa.masked_fill,
        (randn(4, 3), bools(3), 2.0),
        ref=lambda x, m, v: np.where(m, v, x),
        **MOVE,
    ),
    Case(proa.masked_scatter, (randn(4, 3), MASK, randn(4, 4)), ref=scattered, **MOVE),
    # The extent of the result depends on the mask, so there is nothing to compile or shard.
    Case(
        proa.masked_select,
        (randn(4, 3), MASK),
        ref=lambda x, m: x[m],
        compiled=False,
        sharded=False,
        **MOVE,
    ),
    Case(
        proa.masked_select,
        (randn(4, 3), np.array([True, False, True])),
        ref=lambda x, m: x[:, m].reshape(-1),
        compiled=False,
        sharded=False,
        **MOVE,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_where(case):
    check_case(case)


def test_where_promotes_numbers_and_tensors():
    condition = proa.to_tensor([True, False])
    same(proa.where(condition, 1, 2.5), [1.0, 2.5], "float32")
    same(proa.where(condition, proa.to_tensor([1, 2]), 0), [1, 0], "int64")
    same(
        proa.where(condition, proa.to_tensor([1, 2]), proa.to_tensor([0.5, 0.5])),
        [1, 0.5],
        "float32",
    )


def test_where_alone_gives_places():
    places = proa.where(proa.to_tensor([[1, 0], [0, 2]]))
    assert [p.tolist() for p in places] == [[0, 1], [0, 1]]


def test_where_methods():
    condition = proa.to_tensor([True, False])
    x = proa.to_tensor([1.0, 2.0])
    same(condition.where(x, x * 10), [1.0, 20.0], "float32")
    with pytest.raises(ValueError, match="without `x` or `y`"):
        proa.where_(condition, x)
    assert proa.where_(condition, x, proa.to_tensor([5.0, 6.0])) is x
    same(x, [1.0, 6.0], "float32")


def test_places_that_are_not_zero():
    x = proa.to_tensor([[1, 0], [0, 2]])
    same(proa.nonzero(x), [[0, 0], [1, 1]], "int64")
    same(proa.argwhere(x), [[0, 0], [1, 1]], "int64")
    assert [p.tolist() for p in x.nonzero(as_tuple=True)] == [[0, 1], [0, 1]]
    assert proa.nonzero(proa.zeros([2, 3])).shape == [0, 2]
    assert proa.nonzero(proa.zeros([0])).shape == [0, 1]


def test_inplace_forms():
    x = proa.zeros([2, 2])
    mask = proa.to_tensor([[True, False], [False, True]])
    assert x.masked_fill_(mask, 3.0) is x
    x.masked_scatter_(mask, proa.to_tensor([1.0, 2.0]))
    same(x, [[1.0, 0.0], [0.0, 2.0]], "float32")


def test_a_0d_mask_selects_all_or_nothing():
    assert proa.masked_select(proa.to_tensor(3.0), proa.to_tensor(True)).tolist() == [3.0]
    assert proa.masked_select(proa.to_tensor(3.0), proa.to_tensor(False)).shape == [0]


ERRORS = [
    (lambda x, m: proa.where(m, x), "only one of `x` and `y`"),
    (lambda x, m: proa.where(m, x, proa.ones([3])), "shapes that broadcast"),
    (lambda x, m: proa.masked_scatter(x, m, proa.ones([1])), "holds at 2 places and `value` has 1"),
    (lambda x, m: proa.masked_select(x, proa.ones([3], "bool")), "have no common shape"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS, ids=[e[1] for e in ERRORS])
def test_errors(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call(proa.ones([2, 2]), proa.to_tensor([True, False]))


@pytest.mark.parametrize("fn", [proa.nonzero, lambda x: x[x > 0]])
def test_shapes_that_depend_on_values_cannot_be_recorded(fn):
    with pytest.raises(ProgramError, match="recorded"):
        proa.jit.to_static(fn, full_graph=True)(proa.ones([2]))
