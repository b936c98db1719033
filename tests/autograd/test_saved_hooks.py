from __future__ import annotations

import proa
from proa.autograd import PyLayer, saved_tensors_hooks
from tests.ops.harness import same


def logged():
    log = []

    def pack(t):
        log.append("pack")
        return t.numpy()

    def unpack(array):
        log.append("unpack")
        return proa.to_tensor(array)

    return log, saved_tensors_hooks(pack, unpack)


def test_inputs_of_ops_pass_through_the_hooks():
    x = proa.to_tensor([1.0, 3.0], stop_gradient=False)
    log, hooks = logged()
    with hooks:
        y = x * x
    z = (y * 2).sum()
    assert log == ["pack", "pack"]
    z.backward()
    assert log == ["pack", "pack", "unpack", "unpack"]
    same(x.grad, [4.0, 12.0], "float32")
    assert not proa.core.interceptors


def test_hooks_nest_and_higher_orders_work():
    x = proa.to_tensor([2.0], stop_gradient=False)
    log, outer = logged()
    inner_log, inner = logged()
    with outer:
        y = x * x
        with inner:
            z = y * x
        (first,) = proa.grad(z, x, create_graph=True)
    (second,) = proa.grad(first, x)
    assert (first.item(), second.item()) == (12.0, 12.0)
    assert inner_log.count("pack") == 2
    assert log.count("pack") >= 2


def test_several_outputs_share_what_was_saved():
    x = proa.to_tensor([[1.0, 2.0]], stop_gradient=False)
    log, hooks = logged()
    with hooks:
        parts = proa.split(x, 2, 1)
    (parts[0] + parts[1] * 3).backward()
    assert log == ["pack", "unpack"]
    same(x.grad, [[1.0, 3.0]], "float32")


def test_tensors_saved_by_a_py_layer_pass_through_the_hooks():
    class Square(PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2 * ctx.saved_tensor()[0]

    x = proa.to_tensor([3.0], stop_gradient=False)
    log, hooks = logged()
    with hooks:
        y = Square.apply(x)
    y.backward()
    assert log == ["pack", "unpack"]
    same(x.grad, [6.0], "float32")
