from __future__ import annotations

from typing import Any

import pytest

import proa
from proa.callbacks import ReduceLROnPlateau
from proa.core import InvalidArgumentError
from tests.model.callbacks.fake import attach


# What paddle 3.3.1 gives.
@pytest.mark.parametrize(
    ("values", "options", "rates"),
    [
        ([1.0] * 6, {"patience": 2}, [1, 1, 0.1, 0.1, 0.01, 0.01]),
        (
            [1.0] * 6,
            {"patience": 1, "cooldown": 2, "factor": 0.5},
            [1, 0.5, 0.5, 0.25, 0.25, 0.125],
        ),
        ([1.0, 0.99995, 0.9, 0.9], {"patience": 1, "factor": 0.5}, [1, 0.5, 0.5, 0.25]),
        ([1.0] * 4, {"patience": 1, "factor": 0.5, "min_lr": 0.3}, [1, 0.5, 0.3, 0.3]),
    ],
)
def test_the_rate_falls_when_a_value_no_longer_gets_better(
    values: list[float], options: dict[str, Any], rates: list[float]
) -> None:
    plateau = ReduceLROnPlateau(verbose=0, **options)
    model = attach(plateau)
    seen = []
    for value in values:
        plateau.on_eval_end({"loss": [value]})
        seen.append(model._optimizer.get_lr())
    assert seen == pytest.approx(rates)


def test_reductions_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    plateau = ReduceLROnPlateau(patience=1)
    attach(plateau)
    for _ in range(2):
        plateau.on_eval_end({"loss": 1.0})
    out = capsys.readouterr().out
    assert out == "ReduceLROnPlateau: loss was not better than 1, the learning rate is now 0.1\n"


def test_a_schedule_is_left_alone() -> None:
    plateau = ReduceLROnPlateau(patience=0)
    model = attach(plateau, proa.optimizer.lr.StepDecay(1.0, 3))
    with pytest.warns(UserWarning, match="leaves the learning rate alone: it follows StepDecay"):
        plateau.on_eval_end({"loss": [1.0]})
    assert model._optimizer.get_lr() == 1.0


def test_a_run_goes_on() -> None:
    plateau = ReduceLROnPlateau(patience=1, cooldown=3, verbose=0)
    attach(plateau)
    for _ in range(3):
        plateau.on_eval_end({"loss": 1.0})
    state = plateau.state_dict()
    assert state == {"best": 1.0, "wait": 0, "cooldown_counter": 2}
    again = ReduceLROnPlateau(patience=1)
    attach(again)
    again.load_state_dict(state)
    assert again.state_dict() == state


def test_a_factor_that_does_not_lower_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="ReduceLROnPlateau: `factor` is 1.0"):
        ReduceLROnPlateau(factor=1.0)


def test_it_tells_whether_evaluations_count():
    callback = proa.callbacks.ReduceLROnPlateau(cooldown=2)
    assert not callback.in_cooldown()
    callback.cooldown_counter = 1
    assert callback.in_cooldown()
