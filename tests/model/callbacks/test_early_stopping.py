from __future__ import annotations

from typing import Any

import pytest

from proa.callbacks import EarlyStopping
from proa.core import InvalidArgumentError
from tests.model.callbacks.fake import FakeModel, attach


def _drive(
    values: list[float], monitor: str = "loss", **options: Any
) -> tuple[Any, FakeModel, int]:
    stopping = EarlyStopping(monitor, verbose=0, **options)
    model = attach(stopping)
    count = 0
    for value in values:
        stopping.on_eval_end({monitor: [value]})
        count += 1
        if model.stop_training:
            break
    return stopping, model, count


# The cases but for patience 0 give what paddle 3.3.1 gives.
@pytest.mark.parametrize(
    ("values", "options", "stops_at", "best"),
    [
        ([1.0, 0.9, 0.95, 0.91, 0.92], {"patience": 2}, 4, 0.9),
        ([1.0, 0.99, 0.98, 0.5], {"patience": 2, "min_delta": 0.05}, 3, 1.0),
        ([1.0, 0.99, 0.98, 0.5], {"patience": 2, "baseline": 0.6}, 2, 0.6),
        ([1.0, 0.99, 0.98, 0.5], {"patience": 2, "mode": "max"}, 3, 1.0),
        ([0.75, 0.75, 0.8], {"monitor": "acc", "patience": 1}, 2, 0.75),
        ([0.75, 0.76, 0.7], {"monitor": "acc", "patience": 0}, 3, 0.76),
        ([1.0, 0.9, 0.8], {"patience": 1}, 0, 0.8),
    ],
)
def test_training_ends_when_a_value_no_longer_gets_better(
    values: list[float], options: dict[str, Any], stops_at: int, best: float
) -> None:
    stopping, model, count = _drive(values, **options)
    assert model.stop_training is (stops_at > 0)
    assert stopping.stopped_epoch == stops_at
    assert count == (stops_at or len(values))
    assert stopping.best_value == best


def test_the_best_model_is_saved(tmp_path: Any) -> None:
    for wanted, expected in ((True, 2), (False, 0)):
        stopping = EarlyStopping(patience=5, save_best_model=wanted)
        model = attach(stopping, save_dir=str(tmp_path))
        for value in (1.0, 2.0, 0.5):
            stopping.on_eval_end({"loss": [value]})
        assert model.saved == [f"{tmp_path}/best_model"] * expected


def test_the_end_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    stopping = EarlyStopping(patience=1)
    attach(stopping)
    stopping.on_eval_end({"loss": [1.0]})
    assert capsys.readouterr().out == ""
    stopping.on_eval_end({"loss": [1.0]})
    assert capsys.readouterr().out == "EarlyStopping: loss was not better than 1 for 1 evaluation\n"


def test_a_run_starts_anew_or_goes_on() -> None:
    stopping, _, _ = _drive([1.0, 2.0, 2.0], patience=3)
    state = stopping.state_dict()
    assert state == {"best_value": 1.0, "wait_epoch": 2, "evaluations": 3}
    again = EarlyStopping(patience=3, verbose=0)
    model = attach(again)
    again.load_state_dict(state)
    assert not model.stop_training
    again.on_eval_end({"loss": [2.0]})
    assert (model.stop_training, again.stopped_epoch) == (True, 4)
    again.on_train_begin()
    assert again.state_dict()["wait_epoch"] == 0


def test_a_run_that_had_ended_ends_at_once() -> None:
    again = EarlyStopping(patience=2, verbose=0)
    model = attach(again)
    again.load_state_dict({"best_value": 1.0, "wait_epoch": 2, "evaluations": 3})
    assert model.stop_training


def test_other_patience_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="EarlyStopping: `patience` is -1"):
        EarlyStopping(patience=-1)
