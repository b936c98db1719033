from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from tests.ops.harness import Case, case_ids, check_case, complexes, randn, same

# Elements only move, whatever their dtype: one low precision is enough.
MOVE = {"low": ("bfloat16",)}

CASES = [
    Case(
        proa.reshape,
        (randn(4, 6), [2, 0, -1]),
        ref=lambda x, _: x.reshape(2, 6, 2),
        low=("float16",),
    ),
    Case(proa.transpose, (randn(4, 2, 3), [2, 0, 1]), ref=np.transpose, **MOVE),
    Case(proa.t, (randn(4, 3),), ref=np.transpose, **MOVE),
    Case(proa.swapaxes, (randn(4, 2, 3), 0, -1), ref=np.swapaxes, **MOVE),
    Case(proa.moveaxis, (randn(4, 2, 3), [0, 1], [-1, 0]), ref=np.moveaxis, **MOVE),
    Case(proa.squeeze, (randn(4, 1, 3, 1), [1, 2]), ref=lambda x, _: x.squeeze(1), **MOVE),
    Case(proa.unsqueeze, (randn(4, 3), [0, 2]), ref=lambda x, _: x[None, :, None], **MOVE),
    Case(proa.flatten, (randn(4, 2, 3), 1), ref=lambda x, _: x.reshape(4, 6), **MOVE),
    Case(proa.unflatten, (randn(4, 6), 1, [2, -1]), ref=lambda x, *_: x.reshape(4, 2, 3), **MOVE),
    Case(proa.as_complex, (randn(4, 2),), ref=lambda x: x[..., 0] + 1j * x[..., 1]),
    Case(
        proa.as_real,
        (complexes(4),),
        ref=lambda x: np.stack([x.real, x.imag], -1),
    ),
    Case(proa.ravel, (randn(4, 3),), ref=np.ravel, **MOVE),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_manipulate(case):
    check_case(case)


def numbers(*shape):
    return proa.to_tensor(np.arange(np.prod(shape, dtype=int)).reshape(shape).astype("float32"))


SHAPES = [
    ("reshape one by one", lambda: numbers(2, 6).reshape(3, -1), [3, 4]),
    ("reshape by a tensor", lambda: numbers(2, 6).reshape(proa.to_tensor([4, 3])), [4, 3]),
    ("reshape of an empty tensor", lambda: numbers(0, 3).reshape([-1, 3]), [0, 3]),
    ("reshape to 0-d", lambda: numbers(1).reshape([]), []),
    ("view one by one", lambda: numbers(2, 6).view(3, 4), [3, 4]),
    ("view_as", lambda: numbers(6).view_as(numbers(2, 3)), [2, 3]),
    ("transpose of two axes", lambda: numbers(2, 3, 4).transpose(0, 2), [4, 3, 2]),
    ("permute", lambda: numbers(2, 3, 4).permute(1, 0, 2), [3, 2, 4]),
    ("permute of a list", lambda: proa.permute(numbers(2, 3), [1, 0]), [3, 2]),
    ("t of a vector", lambda: numbers(3).t(), [3]),
    ("T", lambda: numbers(2, 3, 4).T, [4, 3, 2]),
    ("mT", lambda: numbers(2, 3, 4).mT, [2, 4, 3]),
    ("squeeze leaves other axes", lambda: numbers(2, 1).squeeze(0), [2, 1]),
    ("squeeze of all", lambda: numbers(1, 2, 1).squeeze(), [2]),
    ("unsqueeze one after another", lambda: numbers(2, 3).unsqueeze([-1, 0]), [1, 2, 3, 1]),
    ("flatten of 0-d", lambda: proa.to_tensor(3.0).flatten(), [1]),
    ("atleast_1d", lambda: proa.atleast_1d(proa.to_tensor(1.0)), [1]),
    ("atleast_2d", lambda: proa.atleast_2d(numbers(3)), [1, 3]),
    ("atleast_3d of a vector", lambda: proa.atleast_3d(numbers(3)), [1, 3, 1]),
    ("atleast_3d of a matrix", lambda: proa.atleast_3d(numbers(2, 3)), [2, 3, 1]),
]


@pytest.mark.parametrize(("make", "shape"), [s[1:] for s in SHAPES], ids=[s[0] for s in SHAPES])
def test_shapes(make, shape):
    assert make().shape == shape


def test_atleast_gives_a_list_for_several_inputs():
    first, second = proa.atleast_2d(numbers(3), 2.0)
    assert (first.shape, second.shape) == ([1, 3], [1, 1])


def test_view_reads_bytes_as_another_dtype():
    x = proa.to_tensor(np.array([[1.0, -2.0], [0.5, 3.0]], "float32"))
    for name in ("int32", "int16", "float64", "int8"):
        same(x.view(name), x.numpy().view(name), name)


ERRORS = [
    (
        lambda x: x.reshape([5]),
        InvalidArgumentError,
        r"reshape of \[2, 3\] \(6 elements\) to \[5\]",
    ),
    (lambda x: x.reshape([-1, -1]), InvalidArgumentError, "at most one -1"),
    (lambda x: x.reshape([-1, 4]), InvalidArgumentError, "a shape of 6 elements"),
    (lambda x: x.transpose([0]), InvalidArgumentError, "`perm` is .0. for a tensor with 2 axes"),
    (lambda x: x.transpose([0, 0]), InvalidArgumentError, "names an axis twice"),
    (lambda x: x.transpose([0, 2]), OutOfRangeError, "`perm` is 2 for a tensor with 2 axes"),
    (lambda x: x.unsqueeze(0).t(), InvalidArgumentError, "at most two axes"),
    (lambda x: x.moveaxis([0, 1], [0]), InvalidArgumentError, "as many destinations"),
    (lambda x: x.unsqueeze(4), OutOfRangeError, "`axis` is 4"),
    (lambda x: x.squeeze(2), OutOfRangeError, "`axis` is 2"),
    (lambda x: x.flatten(1, 0), InvalidArgumentError, "start_axis <= stop_axis"),
    (lambda x: x.unflatten(1, [2, -1]), InvalidArgumentError, "extents with product 3"),
    (lambda x: proa.as_complex(x), InvalidArgumentError, "a last axis of extent 2"),
    (lambda x: proa.as_real(x), InvalidTypeError, "as_real of a float32 tensor"),
    (lambda x: x.view("float64"), InvalidArgumentError, "a last axis divisible by 2"),
    (lambda x: x.view("bool"), InvalidTypeError, "dtypes other than bool"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS, ids=[e[2] for e in ERRORS])
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(numbers(2, 3))


INPLACE = [
    (lambda x: x.reshape_([3, 2]), [3, 2]),
    (lambda x: x.flatten_(), [6]),
    (lambda x: x.unsqueeze_(0), [1, 2, 3]),
    (lambda x: x.unsqueeze(0).squeeze_(0), [2, 3]),
    (lambda x: x.transpose_([1, 0]), [3, 2]),
    (lambda x: x.t_(), [3, 2]),
]


@pytest.mark.parametrize(("call", "shape"), INPLACE)
def test_inplace_forms_change_the_handle_and_keep_views(call, shape):
    x = numbers(2, 3)
    flat = x.reshape([6])
    changed = call(x)
    assert changed.shape == shape
    changed.zero_()
    assert flat.tolist() == [0.0] * 6


def test_inplace_form_of_a_wanted_leaf_is_refused():
    x = numbers(2, 3)
    x.stop_gradient = False
    with pytest.raises(RuntimeError, match="in-place write to leaf"):
        x.reshape_([6])


def test_inplace_form_keeps_the_gradient():
    x = numbers(2, 3)
    x.stop_gradient = False
    y = x * 2
    y.reshape_([6])
    (y * y).sum().backward()
    same(x.grad, 8 * np.arange(6.0).reshape(2, 3), "float32")
