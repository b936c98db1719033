from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from tests.ops.harness import Case, case_ids, check_case, randn, same

MOVE = {"low": ("bfloat16",)}

CASES = [
    Case(proa.expand, (randn(4, 1), [2, -1, 3]), ref=lambda x, _: np.broadcast_to(x, (2, 4, 3))),
    Case(proa.broadcast_to, (randn(1, 4), [3, 4]), ref=np.broadcast_to, **MOVE),
    Case(
        proa.expand_as, (randn(4), randn(3, 4)), ref=lambda x, y: np.broadcast_to(x, (3, 4)), **MOVE
    ),
    Case(
        proa.broadcast_tensors,
        ([randn(4, 1), randn(3)],),
        ref=lambda x: list(np.broadcast_arrays(*x)),
        **MOVE,
    ),
    Case(proa.tile, (randn(4, 2), [2, 1, 3]), ref=np.tile, **MOVE),
    Case(proa.repeat_interleave, (randn(4, 2), 3, 1), ref=np.repeat, **MOVE),
    Case(proa.repeat_interleave, (randn(4, 2), 2), ref=np.repeat, **MOVE),
    Case(proa.flip, (randn(4, 3), [0, -1]), ref=np.flip, **MOVE),
    Case(proa.roll, (randn(4, 3), [1, -2], [0, 1]), ref=np.roll, **MOVE),
    Case(proa.roll, (randn(4, 3), 5), ref=np.roll, **MOVE),
    Case(proa.rot90, (randn(4, 3), 3, [1, 0]), ref=np.rot90, **MOVE),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_repeat(case):
    check_case(case)


def test_repeats_by_a_tensor_have_a_gradient():
    x = proa.to_tensor([[1.0, 2.0, 3.0]], stop_gradient=False)
    y = proa.repeat_interleave(x, proa.to_tensor([2, 0, 1]), 1)
    same(y, [[1.0, 1.0, 3.0]], "float32")
    y.sum().backward()
    same(x.grad, [[2.0, 0.0, 1.0]], "float32")


def test_repeats_by_a_tensor_with_one_entry():
    same(proa.repeat_interleave(proa.to_tensor([1, 2]), proa.to_tensor([2])), [1, 1, 2, 2], "int64")
    known = proa.repeat_interleave(proa.to_tensor([1, 2]), proa.to_tensor([1, 2]), output_size=3)
    same(known, [1, 2, 2], "int64")


def test_integers_one_by_one():
    x = proa.ones([1, 2])
    assert x.expand(3, -1).shape == [3, 2]
    assert x.repeat(2, 2).shape == [2, 4]
    assert proa.to_tensor([[1, 2]]).flip(0, 1).tolist() == [[2, 1]]
    assert proa.reverse(proa.to_tensor([1, 2]), 0).tolist() == [2, 1]


def test_common_shapes():
    assert proa.broadcast_shape([2, 1, 3], [4, 3]) == [2, 4, 3]
    assert proa.broadcast_shapes([2, 1], [3], [1, 1, 1]) == [1, 2, 3]


ERRORS = [
    (lambda x: x.expand([4]), r"`expand` of a tensor of shape \[2, 3\] to \[4\]"),
    (lambda x: x.expand([-1, 2, 3]), "-1 keeps an extent"),
    (lambda x: x.expand_as(proa.ones([2])), "`expand_as`"),
    (lambda x: proa.broadcast_shape([2], [3]), r"shapes \[\[2\], \[3\]\] have no common shape"),
    (lambda x: proa.broadcast_shapes([2], [3]), "have no common shape"),
    (lambda x: proa.broadcast_tensors([x, x.t()]), "have no common shape"),
    (lambda x: proa.repeat_interleave(x, proa.to_tensor([1, 1]), 1), "one entry per element"),
    (lambda x: proa.repeat_interleave(x, proa.to_tensor([1, -1]), 0), "`repeats` holds -1"),
    (lambda x: proa.roll(x, [1, 2], 0), "2 shifts for 1 axes"),
    (lambda x: proa.rot90(x, 1, [0]), "expected|two axes"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS, ids=[e[1] for e in ERRORS])
def test_errors(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call(proa.ones([2, 3]))
