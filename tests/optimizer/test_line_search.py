from __future__ import annotations

import math

import pytest

from proa.optimizer._line_search import Trial, cubic_minimum, strong_wolfe


def along(f, slope):
    seen = []

    def evaluate(step):
        seen.append(step)
        return Trial(step, f(step), slope(step), ("at", step))

    return evaluate, seen


def test_a_cubic_has_its_minimum_where_it_is():
    def at(t):
        return Trial(t, t**3 - 3 * t, 3 * t * t - 3)

    assert cubic_minimum(at(0.0), at(3.0), 0.0, 3.0) == pytest.approx(1.0)
    assert cubic_minimum(at(3.0), at(0.0), 0.0, 3.0) == pytest.approx(1.0)
    assert cubic_minimum(at(0.0), at(3.0), 2.0, 3.0) == 2.0


def test_no_minimum_gives_the_middle():
    line = Trial(0.0, 0.0, -1.0), Trial(1.0, -2.0, -4.0)
    assert cubic_minimum(*line, 0.0, 1.0) == 0.5
    assert cubic_minimum(Trial(0.0, 0.0, -1.0), Trial(1.0, math.nan, 1.0), 0.0, 1.0) == 0.5
    assert cubic_minimum(Trial(0.0, 0.0, -1.0), Trial(1.0, math.inf, 1.0), 0.0, 1.0) == 0.5


@pytest.mark.parametrize("first", [1e-3, 0.1, 1.0, 10.0, 300.0])
def test_the_found_step_satisfies_both_conditions(first):
    evaluate, seen = along(lambda t: (t - 2.0) ** 4 + t, lambda t: 4 * (t - 2.0) ** 3 + 1)
    start = evaluate(0.0)
    found, count = strong_wolfe(evaluate, start, first)
    assert found.value <= start.value + 1e-4 * found.step * start.slope
    assert abs(found.slope) <= 0.9 * abs(start.slope)
    assert found.extra == ("at", found.step)
    assert count == len(seen) - 1


def test_nan_is_too_high():
    evaluate, _ = along(
        lambda t: t * t - t if t < 1 else math.nan, lambda t: 2 * t - 1 if t < 1 else math.nan
    )
    found, _ = strong_wolfe(evaluate, evaluate(0.0), 4.0)
    assert 0 < found.step < 1


def test_the_number_of_trials_is_limited():
    evaluate, seen = along(lambda t: -t, lambda t: -1.0)
    found, count = strong_wolfe(evaluate, Trial(0.0, 0.0, -1.0), 1.0, max_trials=3)
    assert count == len(seen) == 4
    assert found.value < 0


def test_a_short_interval_ends_the_search():
    evaluate, seen = along(lambda t: 1.0 if t else 0.0, lambda t: 1.0)
    found, _ = strong_wolfe(evaluate, Trial(0.0, 0.0, -1.0), 1e-3, size=1.0, smallest=1e-2)
    assert found.step == 0.0
    assert len(seen) == 1
