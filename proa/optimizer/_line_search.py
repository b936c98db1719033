"""How far to go along a direction: a step that satisfies the strong Wolfe conditions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: A zoom ends after as many trials in all; a function that is not smooth may never satisfy it.
MAX_TRIALS = 25


@dataclass(frozen=True)
class Trial:
    """The function along the direction at one step.

    Args:
        step: how far.
        value: the function there.
        slope: its derivative along the direction there.
        extra: what else belongs to the place, such as the gradient.
    """

    step: float
    value: float
    slope: float
    extra: Any = None


def cubic_minimum(a: Trial, b: Trial, low: float, high: float) -> float:
    """Returns the minimum of the cubic through two trials with their slopes, within bounds.

    Where the cubic has none, the middle of the bounds.

    References:
        Nocedal and Wright, "Numerical optimization", 2nd edition, equation 3.59.
    """
    if a.step > b.step:
        a, b = b, a
    width = b.step - a.step
    if width:
        mean = a.slope + b.slope - 3 * (b.value - a.value) / width
        square = mean * mean - a.slope * b.slope
        if 0 <= square < math.inf:
            root = math.sqrt(square)
            bottom = b.slope - a.slope + 2 * root
            if bottom:
                found = b.step - width * (b.slope + root - mean) / bottom
                return min(max(found, low), high)
    return (low + high) / 2


def strong_wolfe(
    evaluate: Callable[[float], Trial],
    start: Trial,
    step: float,
    *,
    size: float = 1.0,
    decrease: float = 1e-4,
    curvature: float = 0.9,
    smallest: float = 1e-9,
    max_trials: int = MAX_TRIALS,
) -> tuple[Trial, int]:
    """Finds a step with enough decrease and a flat enough slope.

    `f(t) <= f(0) + decrease * t * f'(0)` and `|f'(t)| <= curvature * |f'(0)|`. First an interval
    that holds such a step is looked for by going further, then it is made smaller. Steps are
    minima of cubics, as in M. Schmidt's minFunc.

    Args:
        evaluate: the trial at a step.
        start: the trial at 0.
        step: the first step to try.
        size: largest entry of the direction; an interval shorter than `smallest` ends the search.
        decrease: see above.
        curvature: see above.
        smallest: see `size`.
        max_trials: how many more trials than the first one are made at most.

    Returns:
        The best trial, and how many were made.

    References:
        Nocedal and Wright, "Numerical optimization", 2nd edition, algorithms 3.5 and 3.6.
    """
    goal = curvature * abs(start.slope)

    def is_high(t: Trial) -> bool:
        return not t.value <= start.value + decrease * t.step * start.slope

    before, now, count = start, evaluate(step), 1
    ends = (start, now)
    while count <= max_trials:
        if is_high(now) or (count > 2 and now.value >= before.value):
            ends = (before, now)
            break
        if abs(now.slope) <= goal:
            return now, count
        if now.slope >= 0:
            ends = (before, now)
            break
        nearest = now.step + 0.01 * (now.step - before.step)
        further = cubic_minimum(before, now, nearest, 10 * now.step)
        before, now, count = now, evaluate(further), count + 1
        ends = (start, now)
    return _zoom(evaluate, ends, count, is_high, goal, smallest / size, max_trials)


def _zoom(
    evaluate: Callable[[float], Trial],
    ends: tuple[Trial, Trial],
    count: int,
    is_high: Callable[[Trial], bool],
    goal: float,
    smallest: float,
    max_trials: int,
) -> tuple[Trial, int]:
    # NaN is not better than anything.
    best, other = ends[::-1] if ends[1].value < ends[0].value else ends
    is_stuck = False
    while count <= max_trials and abs(best.step - other.step) >= smallest:
        low, high = sorted((best.step, other.step))
        step = cubic_minimum(best, other, low, high)
        # Close to an end the interval hardly shrinks: the second time, keep away from it.
        margin = 0.1 * (high - low)
        if min(high - step, step - low) < margin:
            if is_stuck or step >= high or step <= low:
                step = high - margin if high - step < step - low else low + margin
                is_stuck = False
            else:
                is_stuck = True
        else:
            is_stuck = False
        now, count = evaluate(step), count + 1
        if is_high(now) or now.value >= best.value:
            other = now
            continue
        if abs(now.slope) <= goal:
            return now, count
        if now.slope * (other.step - best.step) >= 0:
            other = best
        best = now
    return best, count
