"""A schedule that waits for a metric to stop improving."""

from __future__ import annotations

from typing import Any

import numpy as np

from proa.core._errors import InvalidArgumentError, InvalidTypeError

from ._checks import require, require_number
from ._scheduler import LRScheduler


class ReduceOnPlateau(LRScheduler):
    """Lowers the rate when a metric has not improved for more than `patience` steps.

    A reduction sets the rate to `max(rate * factor, min_lr)`, unless that changes it by
    `epsilon` or less.

    Args:
        learning_rate (float): the rate that the schedule starts from.
        mode (str): `"min"` if a lower metric is better, `"max"` if a higher one is.
        factor (float): factor of a reduction, below 1.
        patience (int): number of steps without improvement that are tolerated.
        threshold (float): what counts as an improvement.
        threshold_mode (str): `"rel"`: by a share `threshold` of the best value;
            `"abs"`: by `threshold`.
        cooldown (int): number of steps after a reduction in which metrics are ignored.
        min_lr (float): lower bound of the rate.
        epsilon (float): smallest change of the rate that is made.
        verbose (bool): prints each reduction.

    Raises:
        InvalidTypeError: `learning_rate` is not a number.
        InvalidArgumentError: a mode is unknown, or `factor` is not below 1.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.ReduceOnPlateau(1.0, factor=0.5, patience=1)
        >>> for loss in [0.9, 0.9, 0.9]:
        ...     schedule.step(loss)
        >>> schedule()
        0.5
    """

    def __init__(
        self,
        learning_rate: float,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float = 0,
        epsilon: float = 1e-8,
        verbose: bool = False,
    ) -> None:
        owner = "ReduceOnPlateau"
        require(mode in ("min", "max"), owner, "mode", mode, "min or max")
        require_number(owner, "factor", factor)
        require(factor < 1, owner, "factor", factor, "a factor below 1")
        is_known = threshold_mode in ("rel", "abs")
        require(is_known, owner, "threshold_mode", threshold_mode, "rel or abs")
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.min_lr = min_lr
        self.epsilon = epsilon
        self.cooldown_counter = 0
        self.best: float | None = None
        self.num_bad_epochs = 0
        # The first rate is no reduction.
        super().__init__(learning_rate, -1, False)
        self.verbose = verbose

    def get_lr(self) -> float:
        """Returns the current rate; only `step` with a metric changes it."""
        return self.last_lr

    def state_keys(self) -> None:
        """Names the attributes that `state_dict` saves, in `self.keys`."""
        self.keys = ["cooldown_counter", "best", "num_bad_epochs", "last_epoch", "last_lr"]

    def step(self, metrics: Any = None, epoch: int | None = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Takes the metric of one step and lowers the rate if it is time.

        Args:
            metrics (Tensor | float): the metric, one number.
            epoch (int, optional): the counter's new value; the next one by default.

        Raises:
            InvalidTypeError: `metrics` is not a number.
            InvalidArgumentError: `metrics` holds several numbers.
        """
        if metrics is None and self.last_epoch == -1:
            super().step()
            return
        value = _single_number(metrics)
        self._move(epoch)
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self.best is None or self._is_better(value, self.best):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
            reduced = max(self.last_lr * self.factor, self.min_lr)
            if self.last_lr - reduced > self.epsilon:
                self.last_lr = reduced
                self._report()

    def _is_better(self, value: float, best: float) -> bool:
        margin = self.threshold * best if self.threshold_mode == "rel" else self.threshold
        return value < best - margin if self.mode == "min" else value > best + margin


def _single_number(metrics: Any) -> float:
    if hasattr(metrics, "numpy"):
        metrics = metrics.numpy()
    if isinstance(metrics, str | list | tuple) or metrics is None:
        raise InvalidTypeError(
            f"ReduceOnPlateau.step: `metrics` is a {type(metrics).__name__}",
            expected="one number: a Tensor, an array or a float",
            fix="give the metric that the schedule shall watch, for example the mean loss",
        )
    array = np.asarray(metrics)
    if array.size != 1:
        raise InvalidArgumentError(
            f"ReduceOnPlateau.step: `metrics` has shape {list(array.shape)}",
            expected="one number",
            fix="reduce it first, for example with `mean()`",
        )
    return float(array.reshape(()))
