"""Moves the learning-rate schedule."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError
from proa.optimizer.lr import LRScheduler as Schedule

from ._callback import Callback


def schedule_of(model: Any) -> Schedule | None:
    """Returns the schedule of a model's optimizer, if it has one."""
    source = getattr(model._optimizer, "_learning_rate", None)
    return source if isinstance(source, Schedule) else None


class LRScheduler(Callback):
    """Moves the optimizer's learning-rate schedule after each step, or after each epoch.

    `Model.fit` adds one by step when it is given none.

    Args:
        by_step (bool): moves it after each step of training.
        by_epoch (bool): moves it after each epoch.

    Raises:
        InvalidArgumentError: both are set.

    Examples:
        >>> import proa
        >>> by_epoch = proa.callbacks.LRScheduler(by_step=False, by_epoch=True)
    """

    def __init__(self, by_step: bool = True, by_epoch: bool = False) -> None:
        super().__init__()
        if by_step and by_epoch:
            raise InvalidArgumentError(
                "LRScheduler: `by_step` and `by_epoch` are both True",
                expected="one of them at most",
                fix="pass LRScheduler(by_step=False, by_epoch=True) to move it once an epoch",
            )
        self.by_step, self.by_epoch = by_step, by_epoch

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Moves the schedule, if it moves by step and the step was applied."""
        # A step that the loss scaler skipped does not count; only then there is a wait.
        if self.by_step and schedule_of(self.model) is not None:
            precision = getattr(self.model, "_precision", None)
            if precision is None or not precision.has_skipped():
                self._move()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Moves the schedule, if it moves by epoch."""
        if self.by_epoch:
            self._move()

    def _move(self) -> None:
        schedule = schedule_of(self.model)
        if schedule is not None:
            schedule.step()
