"""A rising start in front of a rate or of another schedule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proa.core._errors import ArtifactError, InvalidTypeError

from ._checks import require, require_count, require_number
from ._scheduler import LRScheduler, line_between


class LinearWarmup(LRScheduler):
    """A straight line from `start_lr` to `end_lr`, then a rate or another schedule.

    Formula: `start_lr + (end_lr - start_lr) * last_epoch / warmup_steps` while
    `last_epoch < warmup_steps`; then `learning_rate`, or its value at
    `last_epoch - warmup_steps` if it is a schedule.

    Args:
        learning_rate (float | LRScheduler): what holds after the warm-up.
        warmup_steps (int): number of steps in which the rate rises.
        start_lr (float): the rate at the start.
        end_lr (float): the rate that the line ends at, above `start_lr`.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidTypeError: `learning_rate` is neither a number nor a schedule.
        InvalidArgumentError: `warmup_steps` is not positive, or the line does not rise.

    Examples:
        >>> import proa
        >>> after = proa.optimizer.lr.ExponentialDecay(0.5, gamma=0.5)
        >>> schedule = proa.optimizer.lr.LinearWarmup(after, 2, start_lr=0.0, end_lr=0.5)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [0.0, 0.25, 0.5, 0.25]
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        warmup_steps: int,
        start_lr: float,
        end_lr: float,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        owner = "LinearWarmup"
        is_number = isinstance(learning_rate, int | float) and not isinstance(learning_rate, bool)
        if not is_number and not isinstance(learning_rate, LRScheduler):
            raise InvalidTypeError(
                f"{owner}: `learning_rate` is a {type(learning_rate).__name__}",
                expected="a number or a schedule",
                fix="give the rate that follows the warm-up, for example 0.1",
            )
        require_count(owner, "warmup_steps", warmup_steps)
        require_number(owner, "start_lr", start_lr)
        require_number(owner, "end_lr", end_lr)
        require(end_lr > start_lr, owner, "end_lr", end_lr, f"above `start_lr`, {start_lr}")
        self.learning_rate = learning_rate
        self.warmup_steps = warmup_steps
        self.start_lr = start_lr
        self.end_lr = end_lr
        super().__init__(start_lr, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`; moves the schedule that follows."""
        if self.last_epoch < self.warmup_steps:
            return line_between(self.start_lr, self.end_lr, self.last_epoch / self.warmup_steps)
        if isinstance(self.learning_rate, LRScheduler):
            self.learning_rate.step(self.last_epoch - self.warmup_steps)
            return self.learning_rate()
        return float(self.learning_rate)

    def state_dict(self) -> dict[str, Any]:
        """Returns the state, with that of the schedule that follows under `LinearWarmup_LR`."""
        state = super().state_dict()
        if isinstance(self.learning_rate, LRScheduler):
            state["LinearWarmup_LR"] = self.learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes up a state that `state_dict` returned.

        Args:
            state_dict (dict): the saved state.

        Raises:
            ArtifactError: an entry is missing.
        """
        own = {key: value for key, value in state_dict.items() if key != "LinearWarmup_LR"}
        super().set_state_dict(own)
        if isinstance(self.learning_rate, LRScheduler):
            if "LinearWarmup_LR" not in state_dict:
                raise ArtifactError(
                    "the state for LinearWarmup lacks LinearWarmup_LR",
                    expected="the state of the schedule that follows the warm-up",
                    fix="load a state that `state_dict()` of the same schedule returned",
                )
            self.learning_rate.set_state_dict(state_dict["LinearWarmup_LR"])
