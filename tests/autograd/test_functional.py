from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.autograd import hessian, jacobian, jvp, vjp
from proa.core import InvalidArgumentError, InvalidTypeError
from tests.ops.harness import same


def wanted(*values):
    return proa.to_tensor(np.array(values, "float32"), stop_gradient=False)


def test_jacobian_of_vectors_and_numbers():
    x = wanted(1.0, 2.0, 3.0)
    same(jacobian(x * x, x), np.diag([2.0, 4.0, 6.0]), "float32")
    same(jacobian((x * x).sum(), x), [2.0, 4.0, 6.0], "float32")
    s = proa.to_tensor(2.0, stop_gradient=False)
    same(jacobian(s * proa.to_tensor([1.0, 3.0]), s), [1.0, 3.0], "float32")
    same(jacobian(s * s, s), 4.0, "float32")


def test_jacobian_of_rows_of_a_batch():
    rows = np.arange(6.0, dtype="float32").reshape(3, 2)
    x = proa.to_tensor(rows, stop_gradient=False)
    found = jacobian(proa.stack([x[:, 0] * x[:, 1], x[:, 0]], 1), x, batch_axis=0)
    want = [[[b, a], [1.0, 0.0]] for a, b in rows]
    same(found, want, "float32")
    same(jacobian(x.sum(1), x, batch_axis=0), np.ones((3, 1, 2)), "float32")


def test_jacobian_of_sequences():
    x, y = wanted(1.0, 2.0), wanted(3.0, 4.0)
    table = jacobian([x * y, x + 0 * y], [x, y])
    want = [[np.diag([3.0, 4.0]), np.diag([1.0, 2.0])], [np.eye(2), np.zeros((2, 2))]]
    for got_row, want_row in zip(table, want, strict=True):
        for got, expected in zip(got_row, want_row, strict=True):
            same(got, expected, "float32")


def test_jacobian_of_something_else_is_zero_and_can_be_differentiated():
    x, other = wanted(1.0, 2.0), wanted(3.0, 4.0)
    same(jacobian(x * x, other), np.zeros((2, 2)), "float32")
    (second,) = proa.grad(jacobian(x * x * x, x).sum(), x)
    same(second, [6.0, 12.0], "float32")


def test_hessian():
    x, y = wanted(1.0, 2.0), wanted(3.0, 4.0)
    same(hessian((x * x * x).sum(), x), np.diag([6.0, 12.0]), "float32")
    (xx, xy), (yx, yy) = hessian((x * x * y).sum(), [x, y])
    same(xx, np.diag([6.0, 8.0]), "float32")
    same(xy, np.diag([2.0, 4.0]), "float32")
    same(yx, np.diag([2.0, 4.0]), "float32")
    same(yy, np.zeros((2, 2)), "float32")
    rows = proa.to_tensor(np.ones((3, 2), "float32"), stop_gradient=False)
    same(hessian((rows**3).sum(-1), rows, batch_axis=0), 6 * np.stack([np.eye(2)] * 3), "float32")


def test_products_with_jacobians():
    x, y = proa.to_tensor([1.0, 2.0]), proa.to_tensor([3.0, 4.0])
    outputs, product = vjp(lambda a: a * a, x, proa.to_tensor([1.0, 10.0]))
    same(outputs, [1.0, 4.0], "float32")
    same(product, [2.0, 40.0], "float32")
    _, (first, second, third) = vjp(lambda a, b, c: a * b, [x, y, y])
    same(first, [3.0, 4.0], "float32")
    same(second, [1.0, 2.0], "float32")
    same(third, [0.0, 0.0], "float32")
    _, forward = jvp(lambda a: a * a, x, proa.to_tensor([1.0, 10.0]))
    same(forward, [2.0, 40.0], "float32")
    outputs, (product, linear) = jvp(lambda a, b: (a * b, a), [x, y])
    same(product, [4.0, 6.0], "float32")
    same(linear, [1.0, 1.0], "float32")
    _, nothing = jvp(lambda a: a.detach(), x)
    same(nothing, [0.0, 0.0], "float32")


ERRORS = [
    (lambda x: jacobian(x * x, x), r"`ys` has shape \[1, 2\]"),
    (lambda x: jacobian(x.sum(), x), "`xs` has shape .* at most one axis"),
    (lambda x: jacobian(x.sum(), x, batch_axis=1), "`batch_axis` is 1"),
    (lambda x: jacobian(x.unsqueeze(0), x, batch_axis=0), "one or two axes"),
    (lambda x: hessian(x[0] * 1, x), r"hessian of `ys` of shape \[2\]"),
    (lambda x: vjp(lambda a: a, x, [x, x]), "`v` holds 2 Tensors for 1"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS, ids=[e[1] for e in ERRORS])
def test_errors(call, message):
    with pytest.raises(InvalidArgumentError, match="(?s)" + message):
        call(proa.to_tensor([[1.0, 2.0]], stop_gradient=False))


WRONG_TYPES = [
    (lambda x: vjp(x, x), "`func` is Tensor"),
    (lambda x: jvp(None, x), "`func` is None"),
    (lambda x: vjp(lambda a: a, [1.5]), "`xs` holds 1.5"),
]


@pytest.mark.parametrize(("call", "message"), WRONG_TYPES, ids=[e[1] for e in WRONG_TYPES])
def test_wrong_types(call, message):
    with pytest.raises(InvalidTypeError, match=message):
        call(proa.to_tensor([1.0]))
