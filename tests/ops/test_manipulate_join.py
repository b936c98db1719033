from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from tests.ops.harness import Case, case_ids, check_case, ints, randn, same

MOVE = {"low": ("bfloat16",)}


def block(inputs):
    full = np.zeros((5, 6))
    full[:4, :3], full[4:, 3:] = inputs[0], inputs[1]
    return full


CASES = [
    Case(proa.concat, ([randn(4, 2), randn(4, 1)], 1), ref=lambda x, a: np.concatenate(x, a)),
    Case(proa.cat, ([randn(4, 2), randn(1, 2)],), ref=lambda x: np.concatenate(x), **MOVE),
    Case(proa.stack, ([randn(4, 2), randn(4, 2)], -1), ref=lambda x, a: np.stack(x, a), **MOVE),
    Case(
        proa.split, (randn(4, 6), [1, -1, 2], 1), ref=lambda x, *_: np.split(x, [1, 4], 1), **MOVE
    ),
    Case(proa.chunk, (randn(4, 6), 3, -1), ref=lambda x, *_: np.split(x, 3, 1), **MOVE),
    Case(proa.tensor_split, (randn(4, 5), 2, 1), ref=np.array_split, **MOVE),
    Case(proa.unstack, (randn(4, 2), 1), ref=lambda x, _: [x[:, 0], x[:, 1]], **MOVE),
    Case(proa.hstack, ([randn(4, 2), randn(4, 1)],), ref=np.hstack, **MOVE),
    Case(proa.vstack, ([randn(4), randn(4)],), ref=np.vstack, **MOVE),
    Case(proa.dstack, ([randn(4), randn(4)],), ref=np.dstack, **MOVE),
    Case(proa.column_stack, ([randn(4), randn(4, 2)],), ref=np.column_stack, **MOVE),
    Case(proa.block_diag, ([randn(4, 3), randn(3)],), ref=block, **MOVE),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_join(case):
    check_case(case)


def test_dtypes_promote_when_joined():
    whole = proa.concat([proa.to_tensor([1]), proa.to_tensor([0.5])])
    same(whole, [1.0, 0.5], "float32")
    assert proa.stack([proa.ones([1], "float16"), proa.ones([1], "bfloat16")]).dtype == "float32"


def test_concat_and_stack_write_into_out():
    out = proa.zeros([2])
    assert proa.concat([proa.ones([1]), proa.ones([1])], out=out) is out
    assert out.tolist() == [1.0, 1.0]


X = ints(0, 100, 4, 6)
SPLITS = [
    ("split by number", lambda x: proa.split(x, 2), np.split(X, 2)),
    ("split by sizes", lambda x: x.split_with_sizes([1, 3]), np.split(X, [1])),
    ("split with an axis tensor", lambda x: x.split(3, proa.to_tensor(1)), np.split(X, 3, 1)),
    (
        "tensor_split at indices",
        lambda x: x.tensor_split([1, 9], 1),
        [X[:, :1], X[:, 1:], X[:, 9:]],
    ),
    ("tensor_split, negative", lambda x: x.tensor_split([-1]), [X[:-1], X[-1:]]),
    ("hsplit", lambda x: proa.hsplit(x, 3), np.hsplit(X, 3)),
    ("vsplit", lambda x: proa.vsplit(x, [1, 2]), np.vsplit(X, [1, 2])),
    ("dsplit", lambda x: proa.dsplit(x.unsqueeze(0), 2), np.dsplit(X[None], 2)),
    ("unstack", lambda x: proa.unstack(x, 0, 4), list(X)),
]


@pytest.mark.parametrize(("cut", "want"), [s[1:] for s in SPLITS], ids=[s[0] for s in SPLITS])
def test_parts(cut, want):
    parts = cut(proa.to_tensor(X))
    assert isinstance(parts, list)
    assert len(parts) == len(want)
    for part, expected in zip(parts, want, strict=True):
        same(part, expected, "int64")


ERRORS = [
    (lambda x: proa.concat([]), "`concat` got no tensors"),
    (lambda x: proa.concat([x, x.t()]), r"tensor 0 has shape \[2, 3\], tensor 1 has \[3, 2\]"),
    (lambda x: proa.concat([x, x[0]]), "except along axis 0"),
    (lambda x: proa.stack([x, x.t()]), "`stack`: tensor 0"),
    (lambda x: proa.split(x, 2, 1), "a number of parts that divides the extent"),
    (lambda x: proa.split(x, [1, 1], 1), "sizes with sum 3"),
    (lambda x: proa.split(x, [-1, -1], 1), "at most one of them -1"),
    (lambda x: proa.tensor_split(x, 0), "at least one part"),
    (lambda x: proa.unstack(x, 0, 3), "the extent of axis 0"),
    (lambda x: proa.vsplit(x[0], 1), "vsplit of a tensor of shape"),
    (lambda x: proa.dsplit(x, 1), "at least 3 axes"),
    (lambda x: proa.block_diag([x.unsqueeze(0)]), "at most two axes each"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS, ids=[e[1] for e in ERRORS])
def test_errors(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call(proa.ones([2, 3]))
