from __future__ import annotations

import operator

import numpy as np
import pytest

import proa
from tests.ops.harness import Case, case_ids, check_case, ints, positive, randn, same

CASES = [
    Case(operator.add, (randn(4, 3), randn(3)), ref=np.add),
    Case(operator.sub, (randn(4, 3), 2.0), ref=np.subtract),
    Case(operator.mul, (randn(4, 3), randn(3)), ref=np.multiply),
    Case(operator.truediv, (randn(4, 3), positive(3)), ref=np.divide),
    Case(operator.floordiv, (ints(-9, 9, 4), 2), ref=np.floor_divide),
    Case(operator.mod, (ints(-9, 9, 4), 4), ref=np.remainder),
    Case(operator.pow, (positive(4), 2), ref=np.power),
    Case(operator.pow, (positive(4), randn(4)), ref=np.power),
    Case(operator.matmul, (randn(4, 3), randn(3, 2)), ref=np.matmul),
    Case(operator.and_, (ints(0, 9, 4), ints(0, 9, 4)), ref=np.bitwise_and),
    Case(operator.or_, (ints(0, 9, 4), 3), ref=np.bitwise_or),
    Case(operator.xor, (ints(0, 9, 4), 3), ref=np.bitwise_xor),
    Case(operator.lshift, (ints(0, 9, 4), 2), ref=np.left_shift),
    Case(operator.rshift, (ints(-9, 9, 4), 1), ref=np.right_shift),
    Case(operator.neg, (randn(4),), ref=np.negative),
    Case(operator.pos, (randn(4),), ref=np.positive),
    Case(operator.abs, (randn(4),), ref=np.abs, id="abs"),
    Case(operator.invert, (ints(-9, 9, 4),), ref=np.invert),
    Case(operator.eq, (ints(0, 2, 4), ints(0, 2, 4)), ref=np.equal),
    Case(operator.ne, (ints(0, 2, 4), 1), ref=np.not_equal),
    Case(operator.lt, (randn(4), 0.0), ref=np.less),
    Case(operator.le, (ints(0, 3, 4), 1), ref=np.less_equal),
    Case(operator.gt, (randn(4), randn(4)), ref=np.greater),
    Case(operator.ge, (ints(0, 3, 4), 1), ref=np.greater_equal),
    Case(lambda x: 2.0 - x, (randn(4),), ref=lambda x: 2.0 - x, id="rsub"),
    Case(lambda x: 2.0 / x, (positive(4),), ref=lambda x: 2.0 / x, id="rtruediv"),
    Case(lambda x: 2.0**x, (randn(4),), ref=lambda x: 2.0**x, id="rpow"),
    Case(lambda x: 7 // x, (ints(1, 5, 4),), ref=lambda x: 7 // x, id="rfloordiv"),
    Case(lambda x: 7 % x, (ints(1, 5, 4),), ref=lambda x: 7 % x, id="rmod"),
    Case(lambda x: 1 << x, (ints(0, 5, 4),), ref=lambda x: 1 << x, id="rlshift"),
    Case(lambda x: 64 >> x, (ints(0, 5, 4),), ref=lambda x: 64 >> x, id="rrshift"),
    Case(lambda x: 3 & x, (ints(0, 5, 4),), ref=lambda x: 3 & x, id="rand"),
    Case(lambda x: 3 | x, (ints(0, 5, 4),), ref=lambda x: 3 | x, id="ror"),
    Case(lambda x: 3 ^ x, (ints(0, 5, 4),), ref=lambda x: 3 ^ x, id="rxor"),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_operators(case):
    check_case(case)


ADDED = {
    "2": (2, "int64 uint8 int32 int64 float16 bfloat16 float32 float64 complex64"),
    "2.5": (2.5, "float32 float32 float32 float32 float16 bfloat16 float32 float64 complex64"),
    "1j": (
        1j,
        "complex64 complex64 complex64 complex64 complex64 complex64 complex64 complex128 "
        "complex64",
    ),
    "float64(2.5)": (
        np.float64(2.5),
        "float32 float32 float32 float32 float16 bfloat16 float32 float64 complex64",
    ),
    "True": (True, "bool uint8 int32 int64 float16 bfloat16 float32 float64 complex64"),
}
TENSORS = "bool uint8 int32 int64 float16 bfloat16 float32 float64 complex64".split()


@pytest.mark.parametrize(("scalar", "results"), ADDED.values(), ids=ADDED)
def test_a_scalar_takes_the_dtype_of_the_tensor(scalar, results):
    for dtype, want in zip(TENSORS, results.split(), strict=True):
        x = proa.ones([2]).astype(dtype)
        assert (x + scalar).dtype == want
        assert (scalar + x).dtype == want
        assert (x * scalar).dtype == want


def test_division_gives_floats():
    for dtype in ("bool", "uint8", "int64"):
        x = proa.ones([2]).astype(dtype)
        assert (x / 2).dtype == "float32"
        assert (2 / x).dtype == "float32"
    assert (proa.ones([2], "float16") / 2).dtype == "float16"


def test_assignment_operators_bind_a_new_tensor():
    x = alias = proa.to_tensor([1.0, 2.0])
    x += 1
    x *= 2
    assert x is not alias
    same(x, [4.0, 6.0])
    same(alias, [1.0, 2.0])


def test_numpy_on_the_left():
    x = proa.to_tensor([1.0, 2.0])
    for left in (np.array([1.0, 2.0], "float32"), np.float32(1.0)):
        out = left + x
        assert isinstance(out, proa.Tensor)
        same(out, np.asarray(left) + x.numpy())
    same(np.array([2.0, 2.0], "float32") > x, [True, False])


def test_lists_count_as_tensors():
    same(proa.to_tensor([1, 2]) + [1, 1], [2, 3], "int64")


def test_comparison_with_anything_else():
    x = proa.to_tensor([1.0])
    assert (x == None) is False  # noqa: E711
    assert (x != "a") is True
    assert x in [x]
    assert len({x, x}) == 1


def test_containment_and_iteration():
    x = proa.to_tensor([1, 2])
    assert 2 in x
    assert 5 not in x
    assert [int(v) for v in x] == [1, 2]
    assert [int(v) for v in reversed(x)] == [2, 1]


def test_different_scalars_share_one_kernel():
    x = proa.ones([2])
    x + 1.0
    op = proa.ops._arithmetic.plain_add.op
    before = len(op.kernels)
    for scalar in (2.0, 3.0, np.float32(4.0)):
        x + scalar
    assert len(op.kernels) == before


def test_gradients_pass_through_an_expression():
    x = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    (((x * 2 + 1) ** 2) / 3 - x).sum().backward()
    same(x.grad, [3.0, 17 / 3])


def test_operands_that_are_no_numbers():
    with pytest.raises(TypeError, match="`y` of op `add` is 'a'"):
        proa.ones([1]) + "a"
    with pytest.raises(TypeError, match="is None"):
        proa.ones([1]) * None
    with pytest.raises(ValueError, match="value 300 does not fit uint8"):
        proa.ones([1], "uint8") + 300
