from __future__ import annotations

from typing import Any

import pytest

import proa
from proa.core import InvalidArgumentError, PreconditionError
from proa.model import Model
from proa.model._conflicts import check_conflicts, describe_run
from proa.model._run_state import named_tensors
from tests.model.toy import Points


def _describe(
    width: int = 4, rate: Any = 0.1, optimizer: Any = proa.optimizer.SGD, **options: Any
) -> dict[str, Any]:
    network = proa.nn.Sequential(proa.nn.Linear(3, width), proa.nn.Linear(width, 2))
    model = Model(network)
    model.prepare(
        optimizer(rate, parameters=model.parameters()),
        options.get("loss", proa.nn.CrossEntropyLoss()),
    )
    loader = proa.io.DataLoader(
        options.get("data", Points()), batch_size=options.get("batch_size", 4), shuffle=True
    )
    tensors = named_tensors(model.network, model._loss)
    return describe_run(model, tensors, loader, options.get("accumulate", 1))


_lr = proa.optimizer.lr
SAVED = _describe()


def test_equal_settings_are_no_conflict() -> None:
    assert check_conflicts(SAVED, _describe(), ()) == []
    schedule = _describe(rate=_lr.StepDecay(0.1, 5))
    assert check_conflicts(schedule, _describe(rate=_lr.StepDecay(0.1, 5)), ()) == []


@pytest.mark.parametrize(
    ("changes", "name", "message"),
    [
        ({"rate": 0.2}, "learning_rate", r"learning_rate: 0.1 in the checkpoint, 0.2 now"),
        (
            {"rate": _lr.StepDecay(0.1, 5)},
            "learning_rate",
            r"learning_rate: 0.1 in the checkpoint, StepDecay\(base_lr=0.1.*step_size=5\) now",
        ),
        ({"optimizer": proa.optimizer.Adam}, "optimizer", r"optimizer: SGD\(.*Adam\("),
        ({"batch_size": 5}, "batch_size", r"batch_size: 4 in the checkpoint, 5 now"),
        ({"data": Points(8)}, "data", r"data: Points\(length=20.*Points\(length=8"),
        ({"accumulate": 2}, "accumulate", r"accumulate: 1 in the checkpoint, 2 now"),
        ({"loss": proa.nn.MSELoss()}, "loss", r"loss: 'CrossEntropyLoss' .*, 'MSELoss' now"),
    ],
)
def test_a_changed_setting_is_named_and_can_be_accepted(
    changes: dict[str, Any], name: str, message: str
) -> None:
    now = _describe(**changes)
    with pytest.raises(PreconditionError, match=rf"{message}(.|\n)*accept_changes=\['{name}'\]"):
        check_conflicts(SAVED, now, ())
    assert check_conflicts(SAVED, now, [name]) == [name]


def test_all_conflicts_are_in_one_message() -> None:
    now = _describe(rate=_lr.StepDecay(0.1, 5), batch_size=2, accumulate=3)
    with pytest.raises(PreconditionError) as raised:
        check_conflicts(SAVED, now, ["accumulate"])
    text = str(raised.value)
    assert "learning_rate: " in text
    assert "batch_size: 4 in the checkpoint, 2 now" in text
    assert "accept_changes=['batch_size', 'learning_rate']" in text


def test_other_parameters_cannot_be_accepted() -> None:
    with pytest.raises(PreconditionError) as raised:
        check_conflicts(SAVED, _describe(width=5), ())
    text = str(raised.value)
    assert "0.weight is float32[3, 4] in the checkpoint, float32[3, 5] now" in text
    assert "(4 in the checkpoint, 4 now)" in text
    assert "accept_changes" not in text
    fewer = {**SAVED, "parameters": {"0.weight": ["float32", [3, 4]], "x": ["float32", [1]]}}
    with pytest.raises(PreconditionError, match=r"3 missing here: 0.bias, 1.weight, 1.bias"):
        check_conflicts(SAVED, fewer, ())
    with pytest.raises(PreconditionError, match=r"1 not in the checkpoint: x"):
        check_conflicts(SAVED, fewer, ())


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"`accept_changes` has 'rate'"):
        check_conflicts(SAVED, SAVED, ["rate"])


def test_a_function_is_described_by_its_name() -> None:
    assert _describe(loss=proa.nn.functional.cross_entropy)["loss"] == "cross_entropy"
