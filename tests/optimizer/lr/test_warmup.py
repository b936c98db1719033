"""The warm-up against values recorded from paddle 3.3.1."""

from __future__ import annotations

import pytest

from proa.core._errors import ArtifactError
from proa.optimizer import lr

# The first ten rates of each schedule, recorded with paddle 3.3.1 (12 digits).
RECORDED = [
    (
        lambda: lr.LinearWarmup(0.5, 4, 0.0, 0.4),
        [0.0, 0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
    ),
    (
        lambda: lr.LinearWarmup(lr.ExponentialDecay(0.5, 0.5), 4, 0.0, 0.5),
        [0.0, 0.125, 0.25, 0.375, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625],
    ),
]


@pytest.mark.parametrize(("make", "expected"), RECORDED)
def test_rates_equal_the_recorded_ones(make, expected, check_schedule):
    check_schedule(make, expected)


def test_state_without_the_following_schedule_is_refused():
    schedule = lr.LinearWarmup(lr.StepDecay(0.5, 2), 3, 0.0, 0.5)
    with pytest.raises(ArtifactError, match="lacks LinearWarmup_LR"):
        schedule.set_state_dict({"last_epoch": 3, "last_lr": 0.1})


def test_state_holds_that_of_the_following_schedule():
    schedule = lr.LinearWarmup(lr.StepDecay(0.5, 2), 3, 0.0, 0.5)
    assert schedule.state_dict() == {
        "last_epoch": 0,
        "last_lr": 0.0,
        "LinearWarmup_LR": {"last_epoch": 0, "last_lr": 0.5},
    }
