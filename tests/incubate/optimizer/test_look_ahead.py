from __future__ import annotations

import pytest

import proa
from proa.incubate import LookAhead


def made(k=2, alpha=0.5, rate=0.1):
    weight = proa.to_tensor([1.0, 1.0], stop_gradient=False)
    weight.name = "w"
    return weight, LookAhead(proa.optimizer.SGD(rate, parameters=[weight]), alpha, k)


def step(weight, optimizer):
    (weight * proa.to_tensor([1.0, 2.0])).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    return weight.tolist()


def test_slow_weights_follow():
    # Values of Paddle 3.3.1.
    weight, optimizer = made()
    found = [step(weight, optimizer) for _ in range(5)]
    expected = [[0.9, 0.8], [0.85, 0.7], [0.75, 0.5], [0.75, 0.5], [0.65, 0.3]]
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_minimize_is_a_step():
    weight, optimizer = made(k=1)
    (weight * 1.0).sum().backward()
    optimizer.minimize(weight)
    assert weight.tolist() == pytest.approx([0.9, 0.9])


def test_state_and_rate():
    weight, optimizer = made(k=3)
    step(weight, optimizer)
    other_weight, other = made(k=3)
    other_weight.set_value(weight)
    other.set_state_dict(optimizer.state_dict())
    assert sorted(optimizer.state_dict()) == ["w_slow_0", "w_slow_steps_0"]
    for _ in range(2):
        assert step(weight, optimizer) == step(other_weight, other)
    optimizer.set_lr(0.5)
    assert optimizer.get_lr() == 0.5
    optimizer.set_lr_scheduler(proa.optimizer.lr.StepDecay(0.25, 2))
    assert optimizer.get_lr() == 0.25


def test_a_vetoed_step_counts_for_nobody():
    weight, optimizer = made(k=1)
    optimizer._set_auxiliary_var("found_inf", proa.to_tensor([True]))
    assert step(weight, optimizer) == [1.0, 1.0]


@pytest.mark.parametrize(("alpha", "k"), [(-0.1, 5), (2, 5), ("a", 5), (0.5, 0), (0.5, 1.5)])
def test_bad_numbers(alpha, k):
    with pytest.raises(proa.core.InvalidArgumentError, match="LookAhead with `alpha`"):
        made(k, alpha)


def test_no_optimizer():
    with pytest.raises(proa.core.InvalidTypeError, match="`inner_optimizer` is a NoneType"):
        LookAhead(None)
