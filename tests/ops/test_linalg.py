from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from tests.ops.harness import Case, case_ids, check_case, complexes, ints, randn, same

F16 = {"low": ("float16",)}

CASES = [
    Case(proa.matmul, (randn(4, 3), randn(3, 2)), ref=np.matmul),
    Case(
        proa.matmul,
        (randn(2, 3, 4), randn(2, 3), True, True),
        ref=lambda x, y, *_: x.swapaxes(1, 2) @ y.T,
        **F16,
    ),
    Case(proa.matmul, (randn(4), randn(4)), ref=np.matmul, **F16),
    Case(proa.matmul, (randn(2, 4, 3), randn(3)), ref=np.matmul, low=()),
    Case(proa.matmul, (complexes(4, 3), complexes(3, 2)), ref=np.matmul, id="matmul complex"),
    Case(proa.matmul, (ints(0, 9, 4, 3), ints(0, 9, 3, 2)), ref=np.matmul, id="matmul integers"),
    Case(proa.mm, (randn(4, 3), randn(3, 2)), ref=np.matmul, **F16),
    Case(proa.bmm, (randn(4, 2, 3), randn(4, 3, 2)), ref=np.matmul, **F16),
    Case(proa.mv, (randn(4, 3), randn(3)), ref=np.matmul, **F16),
    Case(proa.dot, (randn(4, 3), randn(4, 3)), ref=lambda x, y: (x * y).sum(-1), **F16),
    Case(proa.inner, (randn(4, 3), randn(2, 3)), ref=np.inner, **F16),
    Case(proa.outer, (randn(4), randn(2, 2)), ref=np.outer, **F16),
    Case(
        proa.vecdot,
        (complexes(4, 3), complexes(4, 3)),
        ref=lambda x, y: (x.conj() * y).sum(-1),
        **F16,
    ),
    Case(
        proa.addmm,
        (randn(4, 2), randn(4, 3), randn(3, 2), 0.5, 2.0),
        ref=lambda c, x, y, *_: 0.5 * c + 2 * x @ y,
        **F16,
    ),
    Case(
        proa.baddbmm,
        (randn(4, 2, 2), randn(4, 2, 3), randn(4, 3, 2)),
        ref=lambda c, x, y: c + x @ y,
        **F16,
    ),
    Case(proa.kron, (randn(4, 2), randn(3)), ref=np.kron, low=()),
    Case(proa.cross, (randn(3, 4), randn(3, 4)), ref=lambda x, y: np.cross(x, y, axis=0), **F16),
    Case(
        proa.cross, (randn(3, 4, 3), randn(3, 1, 3), 2), ref=lambda x, y, a: np.cross(x, y), **F16
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_products(case):
    check_case(case)


EQUATIONS = [
    ("ij,jk->ik", (4, 3), (3, 2)),
    ("bij,bkj->bik", (4, 2, 3), (4, 2, 3)),
    ("...i,i->...", (4, 2, 3), (3,)),
    ("ii", (4, 4)),
    ("ij->ji", (4, 3)),
    ("i,j", (4,), (3,)),
]


@pytest.mark.parametrize("equation", EQUATIONS, ids=[e[0] for e in EQUATIONS])
def test_einsum(equation):
    notation, *shapes = equation

    def fn(*operands):
        return proa.einsum(notation, *operands)

    def reference(*operands):
        return np.einsum(notation, *operands)

    check_case(Case(fn, tuple(randn(*s) for s in shapes), ref=reference, low=()))


def test_einsum_takes_spaces_and_a_list():
    x = proa.ones([2, 3])
    same(proa.einsum("i j , i j -> i", [x, x]), [3.0, 3.0], "float32")


def test_ger_is_outer_of_vectors():
    x = proa.to_tensor([1.0, 2.0])
    same(proa.ger(x, x), [[1.0, 2.0], [2.0, 4.0]], "float32")


def test_products_promote():
    x, y = proa.ones([1, 2], "int64"), proa.ones([2, 1], "float16")
    assert proa.matmul(x, y).dtype == "float16"
    assert proa.dot(proa.to_tensor([1, 2]), proa.to_tensor([0.5, 0.5])).tolist() == 1.5


def test_inplace_forms():
    x = proa.ones([2, 2])
    assert x.addmm_(x * 1, x * 1) is x
    same(x, [[3.0, 3.0], [3.0, 3.0]], "float32")
    y = proa.ones([1, 2, 2])
    same(y.baddbmm_(y * 1, y * 1, 0.0, 1.0), [[[2.0, 2.0], [2.0, 2.0]]], "float32")


ERRORS = [
    (lambda x: proa.ger(x, x), "two vectors"),
    (lambda x: proa.matmul(x, x), "equal inner extents, not 3 and 2"),
    (lambda x: proa.matmul(x, proa.to_tensor(1.0)), "at least one axis each"),
    (lambda x: proa.mm(x, x), r"`mm` of shapes \[2, 3\] and \[2, 3\]"),
    (lambda x: proa.bmm(x, x), "3 and 3 axes"),
    (lambda x: proa.bmm(proa.ones([1, 2, 3]), proa.ones([2, 3, 2])), "equal first extents"),
    (lambda x: proa.mv(x, x), "2 and 1 axes"),
    (lambda x: proa.dot(x, x[0]), "two equal shapes"),
    (lambda x: proa.inner(x, proa.ones([2])), "equal last extents"),
    (lambda x: proa.addmm(x, x[0], x), "`addmm` of shapes"),
    (lambda x: proa.cross(x[:, :2], x[:, :2]), "an axis of extent 3"),
    (lambda x: proa.cross(x, x, 0), "extent 3 of axis 0, not 2"),
    (lambda x: proa.einsum("ij,jk", x, x), r"einsum\('ij,jk'\) of shapes"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS, ids=[e[1] for e in ERRORS])
def test_errors(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call(proa.ones([2, 3]))


def test_the_linalg_room_shows_the_ops():
    assert proa.linalg.matmul is proa.matmul
    assert proa.linalg.norm is proa.norm
    assert proa.linalg.inv(proa.to_tensor([[2.0]])).item() == 0.5
