from __future__ import annotations

import pytest

import proa
from proa.autograd import PyLayer
from proa.core import InvalidArgumentError, InvalidTypeError, PreconditionError, UnsupportedError
from tests.ops.harness import same


def wanted(*values):
    return proa.to_tensor(list(values), stop_gradient=False)


class Exponential(PyLayer):
    @staticmethod
    def forward(ctx, x):
        y = proa.exp(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, gradient):
        (y,) = ctx.saved_tensor()
        return gradient * y


class Mixed(PyLayer):
    """Two tensors, a number; what `backward` returns is chosen by the test."""

    returns = staticmethod(lambda g, h, k: (g * k, h))

    @staticmethod
    def forward(ctx, x, y, factor=2):
        ctx.factor = factor
        return x * factor, "kept", y * 1

    @classmethod
    def backward(cls, ctx, g, h):
        return cls.returns(g, h, ctx.factor)


def test_values_and_gradients():
    x = wanted(0.0, 1.0)
    y = Exponential.apply(x)
    assert not y.stop_gradient
    y.sum().backward()
    same(x.grad, y.numpy(), "float32")


def test_derivatives_of_any_order_through_saved_outputs():
    x = proa.to_tensor(2.0, stop_gradient=False)
    y = Exponential.apply(x)
    for _ in range(3):
        (y,) = proa.grad(y, x, create_graph=True)
        assert y.item() == pytest.approx(7.389056)


def test_derivatives_of_any_order_through_saved_inputs():
    class Cube(PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None)
            return x * x * x

        @staticmethod
        def backward(ctx, gradient):
            x, nothing = ctx.saved_tensor()
            assert nothing is None
            return gradient * 3 * x * x

    x = wanted(2.0)
    (first,) = proa.grad(Cube.apply(x), x, create_graph=True)
    (second,) = proa.grad(first, x, create_graph=True)
    (third,) = proa.grad(second, x)
    assert [t.item() for t in (first, second, third)] == [12.0, 12.0, 6.0]


def test_the_graph_is_freed_with_the_rest():
    y = Exponential.apply(wanted(1.0))
    y.backward()
    with pytest.raises(PreconditionError, match="backward through `Exponential` a second time"):
        y.backward()


def test_other_arguments_and_results_pass_through():
    x, y = wanted(1.0), wanted(1.0)
    scaled, text, same_y = Mixed.apply(x, y=y, factor=5)
    assert text == "kept"
    (scaled + same_y).backward()
    assert (x.grad.item(), y.grad.item()) == (5.0, 1.0)


def test_inputs_without_gradient():
    x, constant = wanted(1.0), proa.ones([1])
    scaled, _, other = Mixed.apply(x, constant)
    assert not other.stop_gradient
    (scaled + other).backward()
    assert x.grad.item() == 2.0
    assert constant.grad is None
    assert Mixed.apply(constant, constant)[0].stop_gradient
    with proa.no_grad():
        assert Mixed.apply(x, x)[0].stop_gradient


@pytest.mark.parametrize("returns", [lambda g, h, k: (g, None), lambda g, h, k: g])
def test_gradients_may_be_left_out(returns, monkeypatch):
    monkeypatch.setattr(Mixed, "returns", staticmethod(returns))
    x, constant = wanted(1.0), proa.ones([1])
    scaled, _, other = Mixed.apply(x, constant)
    (scaled + other).backward()
    assert x.grad.item() == 1.0


BAD = [
    (lambda g, h, k: g, InvalidArgumentError, "Mixed.backward returned 1 gradients"),
    (lambda g, h, k: (g, h, g), InvalidArgumentError, "2, one per Tensor that Mixed.forward"),
    (lambda g, h, k: (1.0, h), InvalidTypeError, "returned a float as gradient 0"),
]


@pytest.mark.parametrize(("returns", "error", "message"), BAD, ids=[b[2] for b in BAD])
def test_bad_gradients_are_named(returns, error, message, monkeypatch):
    monkeypatch.setattr(Mixed, "returns", staticmethod(returns))
    scaled, _, other = Mixed.apply(wanted(1.0), wanted(1.0))
    with pytest.raises(error, match=message):
        (scaled + other).backward()


def test_missing_output_gradients_are_zeros_or_none():
    for materialize in (True, False):
        seen = []

        class Two(PyLayer):
            @staticmethod
            def forward(ctx, x, materialize=materialize):
                ctx.set_materialize_grads(materialize)
                return x * 2, x * 3

            @staticmethod
            def backward(ctx, g, h, seen=seen):
                seen.append(h if h is None else h.tolist())
                return g

        Two.apply(wanted(1.0, 2.0))[0].sum().backward()
        assert seen == [[0.0, 0.0] if materialize else None]


def test_outputs_can_be_marked_as_constant():
    class Half(PyLayer):
        @staticmethod
        def forward(ctx, x):
            y, z = x * 2, x * 3
            ctx.mark_non_differentiable(z)
            return y, z

        @staticmethod
        def backward(ctx, g, h):
            return g * 2

    x = wanted(1.0)
    y, z = Half.apply(x)
    assert z.stop_gradient
    y.backward()
    same(x.grad, [2.0], "float32")


def test_an_input_that_comes_back_keeps_its_own_place():
    class Reverse(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, gradient):
            return -gradient

    x = wanted(1.0)
    y = Reverse.apply(x)
    assert y is not x
    (y + x * 5).backward()
    same(x.grad, [4.0], "float32")


def test_an_input_that_is_written_in_place_moves_on():
    class Double(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x.multiply_(proa.to_tensor([2.0]))

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    x = wanted(3.0)
    y = x * 1
    assert Double.apply(y) is y
    (y * y).backward()
    same(x.grad, [24.0], "float32")


def test_tensors_in_a_list_have_gradients_in_a_list():
    class Weighted(PyLayer):
        @staticmethod
        def forward(ctx, parts, last):
            return parts[0] * 2 + parts[1] * 3 + last

        @staticmethod
        def backward(ctx, gradient):
            return [gradient * 2, gradient * 3], gradient

    x, y, z = wanted(1.0), wanted(1.0), wanted(1.0)
    Weighted.apply([x, y], z).backward()
    assert [t.grad.item() for t in (x, y, z)] == [2.0, 3.0, 1.0]


def test_saved_tensors_stay_as_they_were():
    class Square(PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2 * ctx.saved_tensor()[0]

    x = wanted(3.0)
    y = x * 1
    z = Square.apply(y)
    y.zero_()
    z.backward()
    same(x.grad, [6.0], "float32")


def test_a_layer_is_recorded_like_its_ops():
    def gradient(x):
        return proa.grad(Exponential.apply(x * 2), x)[0]

    x = wanted(1.0)
    same(proa.jit.to_static(gradient)(x), gradient(x).numpy(), "float32")


def test_what_must_be_written_is_named():
    class Empty(PyLayer):
        pass

    with pytest.raises(UnsupportedError, match="a PyLayer without `forward`"):
        Empty.apply(wanted(1.0))

    class NoBackward(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 1

    with pytest.raises(UnsupportedError, match="a PyLayer without `backward`"):
        NoBackward.apply(wanted(1.0)).backward()

    class Saves(PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(3)

    with pytest.raises(InvalidTypeError, match="save_for_backward got a int"):
        Saves.apply(wanted(1.0))
