from __future__ import annotations

import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError
from proa.incubate.distributed.fleet import recompute_hybrid, recompute_sequential


def layers():
    proa.seed(2)
    nn = proa.nn
    return nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Tanh(), nn.Linear(4, 2))


def gradients(run, model):
    x = proa.to_tensor([[1.0, 2.0, 3.0]], stop_gradient=False)
    proa.seed(7)
    made = run(model, x)
    made.sum().backward()
    found = [made.tolist(), x.grad.tolist(), *(p.grad.tolist() for p in model.parameters())]
    model.clear_gradients()
    return found


@pytest.mark.parametrize("segments", [1, 2, 4])
def test_gradients_are_the_same(segments):
    model = layers()
    plain = gradients(lambda m, x: m(x), model)
    again = gradients(lambda m, x: recompute_sequential({"segments": segments}, m, x), model)
    assert again == plain
    hybrid = gradients(lambda m, x: recompute_hybrid({"mp_group": None}, m, x), model)
    assert hybrid == plain


def test_compiled_steps_recompute_with_the_same_random_numbers():
    model = layers()
    optimizer = proa.optimizer.SGD(0.5, parameters=model.parameters())
    start = [p.clone() for p in model.parameters()]

    def trained(run):
        for parameter, value in zip(model.parameters(), start, strict=True):
            parameter.set_value(value)

        @proa.jit.to_static(full_graph=True)
        def step(x):
            run(x).sum().backward()
            optimizer.step()
            optimizer.clear_grad()

        proa.seed(3)
        for _ in range(2):
            step(proa.to_tensor([[1.0, 2.0, 3.0]], stop_gradient=False))
        return [p.tolist() for p in model.parameters()]

    again = trained(lambda x: recompute_sequential({"segments": 2}, model, x))
    for one, other in zip(trained(model), again, strict=True):
        assert proa.allclose(proa.to_tensor(one), proa.to_tensor(other)).item()


def test_inner_values_are_computed_again():
    calls = []

    def square(x):
        calls.append(x)
        return x * x, x

    x = proa.to_tensor([3.0], stop_gradient=False)
    run = recompute_sequential({"segments": 2}, [square, lambda y, x: y + x], x)
    assert len(calls) == 1
    run.backward()
    assert len(calls) == 2
    assert x.grad.tolist() == [7.0]


def test_nothing_is_kept_without_gradients():
    x = proa.to_tensor([3.0])
    assert recompute_hybrid({}, lambda x, scale: x * scale, x, scale=2).tolist() == [6.0]


def test_too_many_segments():
    with pytest.raises(InvalidArgumentError, match="3 segments of 1 functions"):
        recompute_sequential({"segments": 3}, [lambda x: x], proa.ones([1]))


@pytest.mark.parametrize("run", [recompute_hybrid, recompute_sequential])
def test_settings_come_first(run):
    with pytest.raises(InvalidTypeError, match="the settings of a recomputation are a function"):
        run(lambda x: x, proa.ones([1]))
