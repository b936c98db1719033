"""Falling schedules against values recorded from paddle 3.3.1."""

from __future__ import annotations

import pytest

from proa.optimizer import lr

# The first ten rates of each schedule, recorded with paddle 3.3.1 (12 digits).
RECORDED = [
    (
        lambda: lr.NoamDecay(64, 5, 0.5),
        [
            0.0,
            0.00559016994375,
            0.0111803398875,
            0.0167705098312,
            0.022360679775,
            0.0279508497187,
            0.025515518154,
            0.0236227795631,
            0.0220970869121,
            0.0208333333333,
        ],
    ),
    (
        lambda: lr.PiecewiseDecay([3, 6], [1.0, 0.5, 0.1]),
        [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.1, 0.1, 0.1, 0.1],
    ),
    (
        lambda: lr.NaturalExpDecay(0.5, 0.1),
        [
            0.5,
            0.452418709018,
            0.409365376539,
            0.370409110341,
            0.335160023018,
            0.303265329856,
            0.274405818047,
            0.248292651896,
            0.224664482059,
            0.20328482987,
        ],
    ),
    (
        lambda: lr.InverseTimeDecay(0.5, 0.1),
        [
            0.5,
            0.454545454545,
            0.416666666667,
            0.384615384615,
            0.357142857143,
            0.333333333333,
            0.3125,
            0.294117647059,
            0.277777777778,
            0.263157894737,
        ],
    ),
    (
        lambda: lr.PolynomialDecay(0.5, 5, end_lr=0.01, power=2.0),
        [0.5, 0.3236, 0.1864, 0.0884, 0.0296, 0.01, 0.01, 0.01, 0.01, 0.01],
    ),
    (
        lambda: lr.PolynomialDecay(0.5, 3, cycle=True),
        [
            0.5,
            0.333366666667,
            0.166733333333,
            0.0001,
            0.166733333333,
            0.0834166666667,
            0.0001,
            0.111188888889,
            0.0556444444444,
            0.0001,
        ],
    ),
    (
        lambda: lr.ExponentialDecay(0.5, 0.9),
        [
            0.5,
            0.45,
            0.405,
            0.3645,
            0.32805,
            0.295245,
            0.2657205,
            0.23914845,
            0.215233605,
            0.1937102445,
        ],
    ),
    (
        lambda: lr.MultiStepDecay(0.5, [2, 5], 0.1),
        [0.5, 0.5, 0.05, 0.05, 0.05, 0.005, 0.005, 0.005, 0.005, 0.005],
    ),
    (
        lambda: lr.StepDecay(0.5, 3, 0.8),
        [0.5, 0.5, 0.5, 0.4, 0.4, 0.4, 0.32, 0.32, 0.32, 0.256],
    ),
    (
        lambda: lr.LambdaDecay(0.5, lambda epoch: 0.95**epoch),
        [
            0.5,
            0.475,
            0.45125,
            0.4286875,
            0.407253125,
            0.38689046875,
            0.367545945312,
            0.349168648047,
            0.331710215645,
            0.315124704862,
        ],
    ),
    (
        lambda: lr.MultiplicativeDecay(0.5, lambda epoch: 1 - 0.1 / (epoch + 1)),
        [
            0.5,
            0.475,
            0.459166666667,
            0.4476875,
            0.43873375,
            0.431421520833,
            0.42525835625,
            0.419942626797,
            0.41527659761,
            0.411123831634,
        ],
    ),
]


@pytest.mark.parametrize(("make", "expected"), RECORDED)
def test_rates_equal_the_recorded_ones(make, expected, check_schedule):
    check_schedule(make, expected)


def test_backward_jump_of_a_product():
    schedule = lr.MultiplicativeDecay(0.5, lambda _: 0.5)
    schedule.step(3)
    schedule.step(1)
    assert schedule() == 0.25
