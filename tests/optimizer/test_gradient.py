"""SGD, Momentum, Rprop and ASGD against parameters recorded from paddle 3.3.1."""

from __future__ import annotations

import pytest

from proa.core import InvalidArgumentError, InvalidTypeError
from proa.optimizer import ASGD, SGD, Momentum, Rprop, lr
from proa.regularizer import L1Decay

# Both parameters after the four steps of conftest.py; source: paddle 3.3.1.
RECORDED = {
    "sgd": (
        lambda p: SGD(0.1, p),
        [0.43, -0.92, 1.98, 0.04, 0.0, -0.28, 0.185, -0.5, 1.47],
    ),
    "sgd_l2": (
        lambda p: SGD(0.1, p, weight_decay=0.05),
        [
            *(0.420274752, -0.900198503, 1.9405465, 0.0395062126, 0.00015, -0.275932375),
            *(0.181402406, -0.494047313, 1.44024413),
        ],
    ),
    "sgd_l1": (
        lambda p: SGD(0.1, p, weight_decay=L1Decay(0.05)),
        [0.41, -0.9, 1.96, 0.04, 0.005, -0.26, 0.165, -0.48, 1.45],
    ),
    "momentum": (
        lambda p: Momentum(0.1, 0.9, p),
        [
            *(0.393910001, -0.914420001, 1.94373, -0.199399987, -0.0269999993, 0.0187999822),
            *(0.126050003, -0.184100019, 1.466841),
        ],
    ),
    "momentum_nesterov_l2": (
        lambda p: Momentum(0.1, 0.8, p, use_nesterov=True, weight_decay=0.05),
        [
            *(0.322759612, -0.802760194, 1.84185398, -0.154165715, -0.0187140006, -0.0758240794),
            *(0.128440594, -0.376743444, 1.36609081),
        ],
    ),
    "momentum_l2": (
        lambda p: Momentum(0.1, 0.8, p, weight_decay=0.05),
        [
            *(0.377574001, -0.877517002, 1.8748481, -0.146819023, -0.0238500004, -0.0436026776),
            *(0.132520945, -0.246684384, 1.40666521),
        ],
    ),
    "momentum_l1": (
        lambda p: Momentum(0.1, 0.8, p, weight_decay=L1Decay(0.05)),
        [
            *(0.356719999, -0.876799999, 1.91408, -0.135760006, -0.0190000004, -0.0186399921),
            *(0.0984399981, -0.215839992, 1.426608),
        ],
    ),
    "rprop": (
        lambda p: Rprop(0.1, (1e-3, 0.15), p),
        [0.29, -0.95, 1.72, -0.18, -0.1, -0.31, 0.05, -0.24, 1.22],
    ),
    "asgd": (
        lambda p: ASGD(0.1, 2, p),
        [0.435, -0.955, 1.985, -0.005, -0.015, -0.15, 0.155, -0.4, 1.4845],
    ),
    "asgd_l2": (
        lambda p: ASGD(0.1, 3, p, weight_decay=0.05),
        [
            *(0.45346299, -0.943631479, 1.92058808, -0.0788404958, -0.00998333333, -0.0798169146),
            *(0.149905466, -0.210532737, 1.45798274),
        ],
    ),
}


@pytest.mark.parametrize(("make", "expected"), RECORDED.values(), ids=RECORDED)
def test_parameters_equal_the_recorded_ones(make, expected, check_recorded):
    check_recorded(make, expected)


def test_rescale_grad_counts_before_weight_decay(parameter, run_steps):
    # paddle 3.3.1 ignores it in dynamic mode; its documentation describes this.
    weight = parameter([1.0])
    optimizer = Momentum(0.5, 0.0, [weight], weight_decay=0.5, rescale_grad=0.25)
    assert run_steps(optimizer, [weight], [[2.0]]) == [[0.5]]


def test_rprop_starts_at_the_rate_of_its_schedule(parameter, run_steps):
    weight = parameter([1.0])
    optimizer = Rprop(lr.StepDecay(0.25, 2), parameters=[weight])
    assert run_steps(optimizer, [weight], [[3.0]]) == [[0.75]]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda p: Momentum(0.1, -1.0, [p]), InvalidArgumentError, "`momentum` is -1.0"),
        (lambda p: Momentum(0.1, None, [p]), InvalidTypeError, "`momentum` is a NoneType"),
        (lambda p: Momentum(0.1, 0.9, [p], rescale_grad="a"), InvalidTypeError, "`rescale_grad`"),
        (lambda p: Rprop(0.1, (1.0, 2.0), [p]), InvalidArgumentError, "`learning_rate_range`"),
        (lambda p: Rprop("a", parameters=[p]), InvalidTypeError, "`learning_rate` is a str"),
        (lambda p: Rprop(0.1, parameters=[p], etas=(2, 3)), InvalidArgumentError, "`etas`"),
        (lambda p: ASGD(0.1, 0, [p]), InvalidArgumentError, "`batch_num` is 0"),
        (lambda p: ASGD(0.1, None, [p]), InvalidTypeError, "`batch_num` is a NoneType"),
    ],
)
def test_wrong_arguments_are_named(make, error, message, parameter):
    with pytest.raises(error, match=message):
        make(parameter([1.0]))
