"""Waves and ramps against values recorded from paddle 3.3.1."""

from __future__ import annotations

import pytest

from proa.optimizer import lr

# The first ten rates of each schedule, recorded with paddle 3.3.1 (12 digits).
RECORDED = [
    (
        lambda: lr.CosineAnnealingDecay(0.5, 4, 0.01),
        [
            0.5,
            0.428241161391,
            0.255,
            0.0817588386093,
            0.01,
            0.0817588386093,
            0.255,
            0.428241161391,
            0.5,
            0.428241161391,
        ],
    ),
    (
        lambda: lr.CosineAnnealingWarmRestarts(0.5, 2, 2, 0.01),
        [
            0.5,
            0.255,
            0.5,
            0.428241161391,
            0.255,
            0.0817588386093,
            0.5,
            0.481350485465,
            0.428241161391,
            0.348757440929,
        ],
    ),
    (
        lambda: lr.CosineAnnealingWarmRestarts(0.5, 3),
        [0.5, 0.375, 0.125, 0.5, 0.375, 0.125, 0.5, 0.375, 0.125, 0.5],
    ),
    (
        lambda: lr.OneCycleLR(1.0, 10),
        [
            0.04,
            0.52,
            1.0,
            0.950489385508,
            0.811763726439,
            0.611299340931,
            0.388800659069,
            0.188336273561,
            0.0496106144922,
            0.0001,
        ],
    ),
    (
        lambda: lr.OneCycleLR(1.0, 10, 10.0, 0.01, 0.4, "linear", True),
        [0.1, 0.4, 0.7, 1.0, 0.7, 0.4, 0.1, 0.07, 0.04, 0.01],
    ),
    (
        lambda: lr.CyclicLR(0.1, 0.5, 3),
        [
            0.1,
            0.233333333333,
            0.366666666667,
            0.5,
            0.366666666667,
            0.233333333333,
            0.1,
            0.233333333333,
            0.366666666667,
            0.5,
        ],
    ),
    (
        lambda: lr.CyclicLR(0.1, 0.5, 3, 2, mode="triangular2"),
        [
            0.1,
            0.233333333333,
            0.366666666667,
            0.5,
            0.3,
            0.1,
            0.166666666667,
            0.233333333333,
            0.3,
            0.2,
        ],
    ),
    (
        lambda: lr.CyclicLR(0.1, 0.5, 2, mode="exp_range", exp_gamma=0.9),
        [0.1, 0.28, 0.424, 0.2458, 0.1, 0.218098, 0.3125764, 0.19565938, 0.1, 0.1774840978],
    ),
    (
        lambda: lr.CyclicLR(0.1, 0.5, 2, scale_fn=lambda x: 1 / (1 + x), scale_mode="iterations"),
        [0.1, 0.2, 0.233333333333, 0.15, 0.1, 0.133333333333, 0.157142857143, 0.125, 0.1, 0.12],
    ),
    (
        lambda: lr.LinearLR(0.5, 5),
        [
            0.166666666667,
            0.233333333333,
            0.3,
            0.366666666667,
            0.433333333333,
            0.5,
            0.5,
            0.5,
            0.5,
            0.5,
        ],
    ),
]


@pytest.mark.parametrize(("make", "expected"), RECORDED)
def test_rates_equal_the_recorded_ones(make, expected, check_schedule):
    check_schedule(make, expected)


def test_last_epoch_starts_in_the_middle_of_the_formula():
    # paddle 3.3.1 gives 1.68 here: its recursion starts at the wrong place.
    schedule = lr.CosineAnnealingDecay(0.5, 4, 0.01, last_epoch=4)
    assert schedule.last_epoch == 5
    assert schedule() == pytest.approx(0.08175883860929586)
    assert lr.StepDecay(0.5, 3, 0.8, last_epoch=3)() == pytest.approx(0.4)
    assert lr.MultiplicativeDecay(0.5, lambda _: 0.5, last_epoch=1)() == 0.125


def test_one_cycle_stays_at_its_end():
    # paddle 3.3.1 continues the line to -0.02 here.
    schedule = lr.OneCycleLR(1.0, 10, 10.0, 0.01, 0.4, "linear", True)
    schedule.step(10)
    assert schedule() == 0.01


def test_warm_restarts_take_fractions_of_an_epoch():
    schedule = lr.CosineAnnealingWarmRestarts(0.5, 2, 2)
    schedule.step(2.5)
    assert schedule.last_epoch == 2
    assert schedule() == pytest.approx(0.4809698831278217)
