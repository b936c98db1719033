from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import Case, case_ids, check_case, complexes, ints, randn, same

CASES = [
    Case(proa.clone, (randn(4, 3),), ref=np.copy),
    Case(proa.assign, (randn(4, 3),), ref=np.copy),
    Case(proa.tril, (randn(4, 3),), ref=np.tril),
    Case(proa.tril, (randn(2, 4, 3), -1), ref=np.tril),
    Case(proa.triu, (randn(4, 3), 1), ref=np.triu),
    Case(proa.diag, (randn(4),), ref=np.diag),
    Case(proa.diag, (randn(4, 3), -1), ref=np.diag),
    Case(proa.diagflat, (randn(4, 2), 1), ref=np.diagflat),
    Case(
        proa.meshgrid,
        ([randn(4), randn(3)],),
        ref=lambda xs: np.meshgrid(*xs, indexing="ij"),
    ),
    Case(proa.meshgrid, (randn(4), randn(3)), {"indexing": "xy"}, ref=np.meshgrid),
    Case(proa.complex, (randn(4, 1), randn(3)), ref=lambda a, b: a + 1j * b, low=()),
    Case(proa.polar, (randn(4), randn(4)), ref=lambda a, b: a * np.exp(1j * b), low=()),
    Case(proa.clone, (complexes(4),), ref=np.copy, id="clone complex"),
    Case(
        proa.diag,
        (ints(0, 9, 4), 1, 9),
        ref=lambda x, o, p: np.where(np.eye(5, k=1, dtype=bool), np.diag(x, 1), 9),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_create_from(case):
    check_case(case)


def test_copies_have_a_buffer_of_their_own():
    x = proa.to_tensor([1.0, 2.0])
    for copied in (proa.clone(x), proa.assign(x), x.clone()):
        assert copied.data_ptr() != x.data_ptr()
    copied.fill_(0.0)
    same(x, [1.0, 2.0])


def test_assign_takes_other_data_and_an_output():
    same(proa.assign([1, 2]), [1, 2], "int64")
    same(proa.assign(3), [3], "int64")
    same(proa.assign(np.array([1.0])), [1.0], "float64")
    out = proa.zeros([2], "int64")
    assert proa.assign(proa.to_tensor([1, 2]), out) is out
    same(out, [1, 2])
    other = proa.zeros([3, 3])
    proa.assign(proa.to_tensor([1.0, 2.0]), other)
    same(other, [1.0, 2.0])


def test_as_tensor_copies_only_where_it_must():
    x = proa.to_tensor([1.0])
    assert proa.as_tensor(x) is x
    assert proa.asarray(x) is x
    assert proa.asarray(x, copy=True) is not x
    assert proa.as_tensor(x, "float64").dtype == "float64"
    assert not proa.as_tensor([1.0], requires_grad=True).stop_gradient


def test_from_numpy_keeps_the_dtype_and_no_alias():
    array = np.array([1.0, 2.0])
    x = proa.from_numpy(array)
    array[0] = 5
    same(x, [1.0, 2.0], "float64")


def test_in_place_forms():
    x = proa.ones([2, 2])
    assert x.tril_() is x
    same(x, [[1.0, 0.0], [1.0, 1.0]])
    same(x.triu_(), [[1.0, 0.0], [0.0, 1.0]])
    same(x.fill_(2), [[2.0, 2.0], [2.0, 2.0]])
    same(x.zero_(), [[0.0, 0.0], [0.0, 0.0]])


ERRORS = [
    (lambda: proa.tril(proa.ones([2])), ValueError, r"`tril` of a tensor of shape \[2\]"),
    (lambda: proa.triu(proa.ones([2])), ValueError, r"`triu` of a tensor of shape \[2\]"),
    (lambda: proa.diag(proa.ones([])), ValueError, r"`diag` of a tensor of shape \[\]"),
    (lambda: proa.meshgrid(proa.ones([1]), indexing="ab"), ValueError, "`indexing` of `meshgrid`"),
    (lambda: proa.meshgrid(proa.ones([1]), axis=1), TypeError, "`meshgrid` got axis"),
    (lambda: proa.complex(proa.to_tensor([1j]), 1.0), TypeError, "`complex` of complex64"),
    (lambda: proa.from_numpy([1]), TypeError, "`from_numpy` of a list"),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_asarray_of_a_tensor_wants_no_gradient_unless_asked():
    x = proa.asarray(1.0, requires_grad=True)
    assert not x.stop_gradient
    assert proa.asarray(x).stop_gradient
    assert not proa.asarray(x, requires_grad=True).stop_gradient
