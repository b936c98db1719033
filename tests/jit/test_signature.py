from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.jit._signature import (
    NUMBER,
    STATIC,
    TENSOR,
    RepeatedCall,
    changed,
    flatten_call,
    leaf_names,
    read_leaf,
)


def function(x, *rest, scale=1.0, **options):
    return x


def test_leaves_are_named_by_parameters():
    args, kwargs = (1, [2, 3], 4), {"scale": 2.0, "other": {"a": 1}}
    flat, _ = flatten_call(args, kwargs)
    names = leaf_names(function, args, kwargs, len(flat))
    assert names == ["x", "rest[0][0]", "rest[0][1]", "rest[1]", "other['a']", "scale"]


KINDS = [
    (proa.ones([2]), TENSOR),
    (np.ones(2), TENSOR),
    (1.5, NUMBER),
    (np.float64(1.5), NUMBER),
    (3, STATIC),
    (np.int32(3), STATIC),
    (True, STATIC),
    ("text", STATIC),
    ({1, 2}, STATIC),
]


@pytest.mark.parametrize(("value", "kind"), KINDS, ids=[str(type(v)) for v, _ in KINDS])
def test_kinds_of_leaves(value, kind):
    assert read_leaf(value, False)[0].kind == kind


def test_equal_integers_are_equal_but_true_is_not_one():
    assert read_leaf(3, False)[0] == read_leaf(3, False)[0]
    assert read_leaf(1, False)[0] != read_leaf(True, False)[0]


def test_changes_are_told_by_name():
    before = [read_leaf(proa.ones([2, 3]), False)[0], read_leaf("a", False)[0]]
    after = [read_leaf(proa.ones([2, 3], "int32"), False)[0], read_leaf("b", False)[0]]
    told = changed(before, after, ["x", "mode"])
    assert told == ["`x`: float32[2, 3] -> int32[2, 3]", "`mode`: 'a' -> 'b'"]
    assert changed(before, after[:1], ["x"]) == ["2 -> 1 arguments"]


X, Y = proa.ones([2]), proa.ones([3])
KNOWN_AGAIN = [
    ((proa.zeros([2]), Y), True),
    ((Y, X), False),
    ((X,), False),
    ((X, Y, Y), False),
    ((proa.ones([2], "float64"), Y), False),
    ((proa.to_tensor([1.0, 2.0], stop_gradient=False), Y), False),
    ((np.ones(2, np.float32), Y), False),
    ((proa.nn.Linear(1, 2).bias, Y), False),
]


@pytest.mark.parametrize(("args", "fits"), KNOWN_AGAIN)
def test_a_repeated_call_is_one_of_the_same_signature(args, fits):
    call = RepeatedCall((X, Y), (True, None), "signature", "entry")
    assert call.fits(args, (True, None)) is fits
    assert not call.fits(args, (False, None))


def test_a_tensor_that_is_passed_twice_is_another_call():
    call = RepeatedCall((X, proa.zeros([2])), None, "signature", "entry")
    assert call.fits((X, proa.ones([2])), None)
    assert not call.fits((X, X), None)
    assert RepeatedCall.is_plain((X, Y))
    assert not RepeatedCall.is_plain((X, X))
    assert not RepeatedCall.is_plain((X, 1.0))
