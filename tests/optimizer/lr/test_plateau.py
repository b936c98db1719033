"""ReduceOnPlateau against values recorded from paddle 3.3.1."""

from __future__ import annotations

import numpy as np
import pytest

from proa.core._errors import InvalidArgumentError, InvalidTypeError
from proa.optimizer import lr

METRICS = [1.0, 0.9, 0.95, 0.94, 0.93, 0.5, 0.6, 0.6, 0.6, 0.6, 0.55, 0.6]

# Rates after each metric, ReduceOnPlateau(1.0, factor=0.5, patience=1, ...), paddle 3.3.1.
RECORDED = [
    ({}, [1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.125, 0.125, 0.0625]),
    (
        {"mode": "max"},
        [1, 1, 0.5, 0.5, 0.25, 0.25, 0.125, 0.125, 0.0625, 0.0625, 0.03125, 0.03125],
    ),
    (
        {"threshold_mode": "abs", "threshold": 0.1},
        [1, 1, 0.5, 0.5, 0.25, 0.25, 0.25, 0.125, 0.125, 0.0625, 0.0625, 0.03125],
    ),
    ({"cooldown": 2}, [1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25]),
    ({"min_lr": 0.2}, [1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.2, 0.2, 0.2]),
    ({"epsilon": 0.3}, [1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]),
]


@pytest.mark.parametrize(("options", "expected"), RECORDED)
def test_rates_equal_the_recorded_ones(options, expected):
    schedule = lr.ReduceOnPlateau(1.0, factor=0.5, patience=1, **options)
    found = []
    for metric in METRICS:
        schedule.step(metric)
        found.append(schedule())
    assert found == expected


def test_metric_may_be_an_array_with_one_element():
    schedule = lr.ReduceOnPlateau(1.0)
    schedule.step(np.float32([0.25]))
    assert schedule.best == 0.25


def test_metrics_in_cooldown_are_ignored():
    schedule = lr.ReduceOnPlateau(1.0, factor=0.5, patience=0, cooldown=1)
    for metric in (1.0, 2.0, 0.1):
        schedule.step(metric)
    assert schedule.state_dict() == {
        "cooldown_counter": 0,
        "best": 1.0,
        "num_bad_epochs": 0,
        "last_epoch": 3,
        "last_lr": 0.5,
    }


def test_resumed_schedule_goes_on():
    first = lr.ReduceOnPlateau(1.0, factor=0.5, patience=1)
    second = lr.ReduceOnPlateau(1.0, factor=0.5, patience=1)
    for metric in METRICS[:3]:
        first.step(metric)
    second.set_state_dict(first.state_dict())
    second.step(METRICS[3])
    assert second() == 0.5


def test_epoch_can_be_given():
    schedule = lr.ReduceOnPlateau(1.0)
    schedule.step(0.3, epoch=5)
    assert schedule.last_epoch == 5


def test_verbose_prints_reductions_only(capsys):
    schedule = lr.ReduceOnPlateau(1.0, factor=0.5, patience=0, verbose=True)
    schedule.step(1.0)
    schedule.step(1.0)
    assert capsys.readouterr().out == "Epoch 2: ReduceOnPlateau set learning rate to 0.5.\n"


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda: lr.ReduceOnPlateau("a"), InvalidTypeError, "`learning_rate` is a str"),
        (lambda: lr.ReduceOnPlateau(1.0, mode="x"), InvalidArgumentError, "min or max"),
        (lambda: lr.ReduceOnPlateau(1.0, factor=1.0), InvalidArgumentError, "`factor` is 1.0"),
        (
            lambda: lr.ReduceOnPlateau(1.0, threshold_mode="x"),
            InvalidArgumentError,
            "rel or abs",
        ),
        (lambda: lr.ReduceOnPlateau(1.0).step([0.1]), InvalidTypeError, "`metrics` is a list"),
        (lambda: lr.ReduceOnPlateau(1.0).step("a"), InvalidTypeError, "`metrics` is a str"),
        (lambda: lr.ReduceOnPlateau(1.0).step(), InvalidTypeError, "`metrics` is a NoneType"),
        (
            lambda: lr.ReduceOnPlateau(1.0).step(np.zeros(2)),
            InvalidArgumentError,
            r"has shape \[2\]",
        ),
    ],
)
def test_wrong_arguments_are_named(act, error, message):
    with pytest.raises(error, match=message):
        act()
