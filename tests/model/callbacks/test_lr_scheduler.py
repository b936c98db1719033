from __future__ import annotations

import pytest

import proa
from proa.callbacks import LRScheduler
from proa.core import InvalidArgumentError
from proa.model.callbacks import schedule_of
from tests.model.callbacks.fake import attach


@pytest.mark.parametrize(
    ("by_step", "by_epoch", "expected"),
    [
        (True, False, [0.5, 0.25, 0.25, 0.125, 0.0625, 0.0625]),
        (False, True, [1.0, 1.0, 0.5, 0.5, 0.5, 0.25]),
        (False, False, [1.0] * 6),
    ],
)
def test_the_schedule_moves_by_step_or_by_epoch(
    by_step: bool, by_epoch: bool, expected: list[float]
) -> None:
    callback = LRScheduler(by_step, by_epoch)
    model = attach(callback, proa.optimizer.lr.StepDecay(1.0, 1, 0.5))
    seen = []
    for epoch in range(2):
        for step in range(2):
            callback.on_train_batch_end(step)
            seen.append(model._optimizer.get_lr())
        callback.on_epoch_end(epoch)
        seen.append(model._optimizer.get_lr())
    assert seen == expected


def test_a_plain_rate_stays() -> None:
    callback = LRScheduler()
    model = attach(callback, 0.3)
    callback.on_train_batch_end(0)
    assert schedule_of(model) is None
    assert model._optimizer.get_lr() == 0.3


def test_both_ways_at_once_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="`by_step` and `by_epoch` are both True"):
        LRScheduler(True, True)
