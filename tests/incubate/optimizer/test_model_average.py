from __future__ import annotations

import pytest

import proa
from proa.incubate import ModelAverage


def test_windows():
    # Values of Paddle 3.3.1 (weight 1 - 0.1 * steps).
    weight = proa.to_tensor([1.0], stop_gradient=False)
    sgd = proa.optimizer.SGD(0.1, parameters=[weight])
    average = ModelAverage(0.5, [weight], min_average_window=2, max_average_window=4)
    found = []
    for _ in range(9):
        (weight * 1.0).sum().backward()
        sgd.step()
        average.step()
        sgd.clear_grad()
        now = weight.item()
        with average.apply():
            found.append(weight.item())
        assert weight.item() == now
    assert found == pytest.approx([0.9, 0.85, 0.8, 0.65, 0.6, 0.55, 0.4, 0.35, 0.3], abs=1e-5)


def test_restoring_later():
    weight = proa.to_tensor([1.0], stop_gradient=False)
    average = ModelAverage(1.0, [weight], 1, 10)
    for value in (1.0, 3.0):
        weight.set_value(proa.to_tensor([value]))
        (weight * 1.0).sum().backward()
        assert average.minimize(weight) is None
    with average.apply(need_restore=False):
        assert weight.item() == 2.0
    assert weight.item() == 2.0
    average.restore()
    assert weight.item() == 3.0
    names = {key.partition("_")[2] for key in average.state_dict()}
    assert len(names) == 6


def test_before_any_step():
    average = ModelAverage(0.5, [proa.to_tensor([1.0], stop_gradient=False)], 1, 2)
    with pytest.raises(proa.core.PreconditionError, match="before any step"), average.apply():
        pass


@pytest.mark.parametrize("numbers", [(-1.0, 1, 2), (0.5, 0, 2), (0.5, 3, 2)])
def test_bad_windows(numbers):
    rate, shortest, longest = numbers
    weight = proa.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(proa.core.InvalidArgumentError, match="ModelAverage with a window"):
        ModelAverage(rate, [weight], shortest, longest)
