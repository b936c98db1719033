from __future__ import annotations

import proa
from proa.autograd import ir_backward


def test_gradients_by_list_and_by_tensor():
    x = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    y = proa.to_tensor([3.0, 4.0], stop_gradient=False)
    unused = proa.to_tensor([0.0], stop_gradient=False)
    z = x * y
    found = ir_backward.calc_gradient(z, [x, unused], proa.to_tensor([1.0, 10.0]))
    assert found[0].tolist() == [3.0, 40.0]
    assert found[1] is None
    by_tensor = ir_backward.calc_gradient_helper([x * y], [x, y])
    assert by_tensor[x].tolist() == [3.0, 4.0]
    assert by_tensor[y].tolist() == [1.0, 2.0]


def test_constant_tensors_get_none():
    x = proa.to_tensor([2.0], stop_gradient=False)
    middle = x * x
    out = middle * x
    (found,) = ir_backward.calc_gradient(out, x, no_grad_set={middle})
    assert found.tolist() == [4.0]
    assert ir_backward.grad is proa.grad
