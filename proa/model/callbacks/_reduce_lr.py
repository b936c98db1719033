"""Lowers the learning rate when it no longer helps."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from proa.core import InvalidArgumentError

from ._lr_scheduler import schedule_of
from ._monitor import Monitor


class ReduceLROnPlateau(Monitor):
    """Lowers the learning rate when a value of the evaluation has stopped getting better.

    The new rate is `max(rate * factor, min_lr)`.

    Args:
        monitor (str): `"loss"` or the name of a metric.
        factor (float): factor of a reduction, below 1.
        patience (int): the rate is lowered at this many evaluations in a row without
            improvement.
        verbose (int): 0 is silent, 1 prints each reduction.
        mode (str): `"min"` if lower is better, `"max"` if higher is, or `"auto"`: `"max"` for
            names with `acc`, else `"min"`.
        min_delta (float): smallest change that counts as an improvement.
        cooldown (int): number of evaluations after a reduction that do not count.
        min_lr (float): lower bound of the rate.

    Raises:
        InvalidArgumentError: `mode` is unknown, or `factor` not below 1.

    Examples:
        >>> import proa
        >>> plateau = proa.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=3)
    """

    def __init__(
        self,
        monitor: str = "loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 1,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        if not factor < 1.0:
            raise InvalidArgumentError(
                f"ReduceLROnPlateau: `factor` is {factor}",
                expected="a factor below 1",
                fix="pass for example factor=0.1",
            )
        self.factor = factor
        self.patience = patience
        self.verbose = verbose
        self.cooldown = cooldown
        self.min_lr = min_lr
        self._start()

    def _start(self) -> None:
        self.best = self.worst()
        self.wait = self.cooldown_counter = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Starts anew."""
        self._start()

    def on_eval_end(self, logs: Any = None) -> None:
        """Compares the value with the best one."""
        value = self.read(logs)
        optimizer = self.model._optimizer
        if value is None or optimizer is None:
            return
        if schedule_of(self.model) is not None:
            name = type(schedule_of(self.model)).__name__
            warnings.warn(
                f"ReduceLROnPlateau leaves the learning rate alone: it follows {name}; give the "
                "optimizer a number instead",
                stacklevel=2,
            )
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.is_better(value, self.best):
            self.best, self.wait = value, 0
        elif self.cooldown_counter == 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(optimizer)

    def _reduce(self, optimizer: Any) -> None:
        rate = optimizer.get_lr()
        reduced = max(rate * self.factor, self.min_lr)
        if reduced >= rate:
            return
        optimizer.set_lr(reduced)
        self.cooldown_counter, self.wait = self.cooldown, 0
        if self.verbose > 0:
            print(
                f"ReduceLROnPlateau: {self.monitor} was not better than {self.best:.6g}, the "
                f"learning rate is now {reduced:.6g}"
            )

    def in_cooldown(self) -> bool:
        """Whether evaluations do not count now, since the rate was reduced a short time ago."""
        return self.cooldown_counter > 0

    def state_dict(self) -> dict[str, Any]:
        """Returns the best value and the counters."""
        return {"best": self.best, "wait": self.wait, "cooldown_counter": self.cooldown_counter}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up a state that `state_dict` returned."""
        self.best = float(state["best"])
        self.wait, self.cooldown_counter = int(state["wait"]), int(state["cooldown_counter"])
