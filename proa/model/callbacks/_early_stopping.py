"""Ends training when it no longer helps."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from proa.core import InvalidArgumentError

from ._monitor import Monitor


class EarlyStopping(Monitor):
    """Ends training when a value of the evaluation has stopped getting better.

    Args:
        monitor (str): `"loss"` or the name of a metric.
        mode (str): `"min"` if lower is better, `"max"` if higher is, or `"auto"`: `"max"` for
            names with `acc`, else `"min"`.
        patience (int): training ends at this many evaluations in a row without improvement
            (with 0 as with 1, at the first one).
        verbose (int): 0 is silent, 1 prints when training ends.
        min_delta (float): smallest change that counts as an improvement.
        baseline (float, optional): a value to be better than from the start.
        save_best_model (bool): saves the model of the best evaluation as
            `<save_dir>/best_model`, if `Model.fit` has a `save_dir`.

    Attributes:
        best_value: the best value so far.
        wait_epoch: evaluations since then.
        stopped_epoch: number of the evaluation (from 1) that ended training, 0 before.

    Raises:
        InvalidArgumentError: `mode` or `patience` is out of range.

    Differs: Paddle 3.3.1 with `patience=0` ends training after the first evaluation, even
    when it is the best.

    Examples:
        >>> import proa
        >>> stopping = proa.callbacks.EarlyStopping("acc", patience=2)
        >>> stopping.mode
        'max'
    """

    def __init__(
        self,
        monitor: str = "loss",
        mode: str = "auto",
        patience: int = 0,
        verbose: int = 1,
        min_delta: float = 0,
        baseline: float | None = None,
        save_best_model: bool = True,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        if isinstance(patience, bool) or not isinstance(patience, int) or patience < 0:
            raise InvalidArgumentError(
                f"EarlyStopping: `patience` is {patience!r}",
                expected="an integer >= 0",
                fix="pass how many evaluations without improvement to wait for",
            )
        self.patience = patience
        self.verbose = verbose
        self.baseline = baseline
        self.save_best_model = save_best_model
        self.save_dir: str | None = None
        self._start()

    def _start(self) -> None:
        self.best_value = self.worst() if self.baseline is None else float(self.baseline)
        self.wait_epoch = self.stopped_epoch = self._evaluations = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Starts anew."""
        self._start()
        self.save_dir = self.params.get("save_dir") or self.save_dir

    def on_eval_end(self, logs: Any = None) -> None:
        """Compares the value with the best one."""
        value = self.read(logs)
        if value is None:
            return
        self._evaluations += 1
        if self.is_better(value, self.best_value):
            self.best_value, self.wait_epoch = value, 0
            if self.save_best_model and self.save_dir:
                self.model.save(os.path.join(self.save_dir, "best_model"))
            return
        self.wait_epoch += 1
        if self.wait_epoch >= self.patience:
            self.model.stop_training = True
            self.stopped_epoch = self._evaluations
            if self.verbose > 0:
                print(
                    f"EarlyStopping: {self.monitor} was not better than {self.best_value:.6g} for "
                    f"{self.wait_epoch} evaluation{'s' if self.wait_epoch > 1 else ''}"
                )

    def state_dict(self) -> dict[str, Any]:
        """Returns the best value and how long ago it was."""
        return {
            "best_value": self.best_value,
            "wait_epoch": self.wait_epoch,
            "evaluations": self._evaluations,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up a state that `state_dict` returned."""
        self.best_value = float(state["best_value"])
        self.wait_epoch = int(state["wait_epoch"])
        self._evaluations = int(state["evaluations"])
        if self.wait_epoch >= max(self.patience, 1):
            # The run had ended; with more patience it would go on.
            self.model.stop_training = True
