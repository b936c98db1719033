from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.jit._signature import NUMBER, STATIC, TENSOR, changed, flatten_call, leaf_names, read_leaf


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
