from __future__ import annotations

import pytest

import proa
from proa.core import InvalidArgumentError

A = proa.incubate.autograd


def test_jacobian_of_several_inputs():
    x = proa.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    made = A.Jacobian(proa.matmul, [x, x])
    assert made.shape == (4, 8)
    assert made[:, :].tolist() == [
        [1, 3, 0, 0, 1, 0, 2, 0],
        [2, 4, 0, 0, 0, 1, 0, 2],
        [0, 0, 1, 3, 3, 0, 4, 0],
        [0, 0, 2, 4, 0, 3, 0, 4],
    ]
    assert made[0, :].tolist() == [1, 3, 0, 0, 1, 0, 2, 0]
    assert made[..., 0].tolist() == [1, 2, 0, 0]
    assert made[-1, 1:3].tolist() == [0, 2]
    assert made[2:2].shape == [0, 8]


def test_rows_are_worked_out_when_asked_for():
    made = A.Jacobian(lambda x: x * x, proa.to_tensor([1.0, 2.0, 3.0]))
    assert made[1].tolist() == [0, 4, 0]
    assert list(made._rows) == [1]


def test_several_outputs():
    x, y = proa.to_tensor([1.0, 2.0]), proa.to_tensor([3.0, 4.0])
    made = A.Jacobian(lambda x, y: (x * x * y, x.sum()), [x, y])
    assert made[:].tolist() == [[6, 0, 1, 0], [0, 16, 0, 4], [1, 1, 0, 0]]


def test_batches():
    x = proa.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    made = A.Jacobian(lambda x: x * x, x, is_batched=True)
    assert made.shape == (3, 2, 2)
    assert made[:, 0].tolist() == [[2, 0], [6, 0], [10, 0]]
    assert made[0, 1, 1].item() == 4
    assert made[1].tolist() == [[6, 0], [0, 8]]
    second = A.Hessian(lambda x: (x * x * x).sum(1), x, is_batched=True)
    assert second.shape == (3, 2, 2)
    assert second[0].tolist() == [[6, 0], [0, 12]]


def test_hessian_of_several_inputs():
    x, y = proa.to_tensor([1.0, 2.0]), proa.to_tensor([3.0, 4.0])
    made = A.Hessian(lambda x, y: (x * x * y).sum(), [x, y])
    assert made[:].tolist() == [[6, 0, 2, 0], [0, 8, 0, 4], [2, 0, 0, 0], [0, 4, 0, 0]]
    assert made[0:2, 0:3].tolist() == [[6, 0, 2], [0, 8, 0]]


def test_products():
    x = proa.ones([2, 2])
    v = proa.to_tensor([[1.0, 0.0], [0.0, 0.0]])
    for product in (A.vjp, A.jvp):
        assert product(lambda x: proa.matmul(x, x), x)[1].tolist() == [[4, 4], [4, 4]]
        assert product(lambda x: proa.matmul(x, x), x, v)[1].tolist() == [[2, 1], [1, 0]]


def test_gradients_of_what_is_on_the_tape():
    x = proa.to_tensor([3.0], stop_gradient=False)
    other = proa.to_tensor([1.0], stop_gradient=False)
    y = x * x * x
    first = A.grad(y, x)
    assert first.tolist() == [27.0]
    assert A.grad(first, x).tolist() == [18.0]
    assert [g.tolist() for g in A.grad(y, [x, other], proa.to_tensor([2.0]))] == [[54.0], [0.0]]
    assert A.forward_grad(y, x).tolist() == [27.0]
    assert A.forward_grad([y, x], [x], [proa.to_tensor([2.0])])[0].tolist() == [54.0]
    assert A.forward_grad(x * x, other).tolist() == [0.0]


def test_bad_arguments():
    x = proa.to_tensor([1.0, 2.0])
    with pytest.raises(InvalidArgumentError, match="the function of a Hessian returned shapes"):
        A.Hessian(lambda x: x * x, x)
    with pytest.raises(InvalidArgumentError, match="a batched Jacobian of a tensor without axes"):
        A.Jacobian(lambda x: x.sum(), x, is_batched=True)
    with pytest.raises(InvalidArgumentError, match="3 indices into a matrix"):
        A.Jacobian(lambda x: x, x)[0, 0, 0]


@pytest.mark.parametrize("make", [A.vjp, A.jvp])
def test_products_stay_on_the_tape(make):
    x = proa.to_tensor([2.0], stop_gradient=False)
    made = make(lambda x: x * x * x, x)[1]
    made.backward()
    assert x.grad.tolist() == [12.0]


def test_a_jacobian_can_be_differentiated():
    x = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    A.Jacobian(lambda x: x * x * x, x)[:].sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]
