from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.ops import sizes_tensor
from proa.program import make_dimension, recording
from tests.ops.harness import Case, case_ids, check_case, randn, same

CASES = [
    Case(proa.rank, (randn(4, 3),), ref=lambda x: np.int32(2)),
    Case(proa.shape, (randn(4, 3),), ref=lambda x: np.array([4, 3])),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_inspect(case):
    check_case(case)


def test_shape_of_a_zero_dimensional_tensor():
    same(proa.shape(proa.ones([])), np.zeros([0]), "int64")


def test_sizes_are_a_tensor_inside_a_program():
    rows = make_dimension("rows")
    with recording() as recorder:
        recorder.add_input((rows, 3), np.float32, "x")
        out = sizes_tensor((rows, 2 * rows + 1))
        program, _ = recorder.finish([out, sizes_tensor(())])
    sizes, none = program.function()(np.zeros((4, 3), np.float32))
    assert (sizes.tolist(), sizes.dtype, none.shape) == ([4, 9], np.int64, (0,))


def test_kinds():
    x = proa.ones([1], "bfloat16")
    assert proa.is_tensor(x)
    assert not proa.is_tensor(np.ones(1))
    assert proa.is_floating_point(x)
    assert not proa.is_integer(x)
    assert proa.is_integer(proa.ones([1], "uint8"))
    assert not proa.is_integer(proa.ones([1], "bool"))
    assert proa.is_complex(proa.to_tensor([1j]))
    assert x.is_floating_point()
    assert x.is_tensor()


def test_lists_and_mode():
    assert proa.tolist(proa.to_tensor([[1, 2]])) == [[1, 2]]
    assert proa.in_dynamic_mode()


def test_limits_of_floats():
    limits = proa.finfo("float32")
    want = np.finfo(np.float32)
    assert (limits.min, limits.max, limits.eps) == (want.min, want.max, want.eps)
    assert (limits.tiny, limits.bits, limits.dtype) == (want.tiny, 32, "float32")
    assert proa.finfo(proa.float16).max == 65504.0
    assert proa.finfo("bfloat16").eps == 0.0078125
    assert repr(limits) == (
        "paddle.finfo(min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, resolution=1e-06, "
        "smallest_normal=1.17549e-38, tiny=1.17549e-38, bits=32, dtype=float32)"
    )


def test_limits_of_integers():
    limits = proa.iinfo("int8")
    assert (limits.min, limits.max, limits.bits, limits.dtype) == (-128, 127, 8, "int8")
    assert repr(limits) == "paddle.iinfo(min=-128, max=127, bits=8, dtype=int8)"


ERRORS = [
    (lambda: proa.is_complex([1]), "`is_complex` of a list"),
    (lambda: proa.is_floating_point(1), "`is_floating_point` of a int"),
    (lambda: proa.is_integer(1), "`is_integer` of a int"),
    (lambda: proa.finfo("int8"), "`finfo` of int8"),
    (lambda: proa.iinfo("float32"), "`iinfo` of float32"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS)
def test_errors(call, message):
    with pytest.raises(TypeError, match=message):
        call()
