"""What callbacks that watch a value share: which way is better, and by how much."""

from __future__ import annotations

import math
import warnings
from typing import Any

from proa.core import InvalidArgumentError

from ._callback import Callback, number_of


class Monitor(Callback):
    """A callback that watches one value of an evaluation."""

    def __init__(self, monitor: str, mode: str, min_delta: float) -> None:
        super().__init__()
        if mode not in ("auto", "min", "max"):
            raise InvalidArgumentError(
                f"{type(self).__name__}: `mode` is {mode!r}",
                expected="'min' (lower is better), 'max', or 'auto'",
                fix="'auto' takes 'max' for a monitor with 'acc' in its name, else 'min'",
            )
        self.monitor = monitor
        self.mode = ("max" if "acc" in monitor else "min") if mode == "auto" else mode
        self.min_delta = abs(float(min_delta))

    def worst(self) -> float:
        """Returns a value that every other one is better than."""
        return math.inf if self.mode == "min" else -math.inf

    def is_better(self, value: float, best: float) -> bool:
        """Whether a value is better than the best one by more than `min_delta`."""
        if self.mode == "min":
            return value + self.min_delta < best
        return value - self.min_delta > best

    def read(self, logs: Any) -> float | None:
        """Returns the watched value; warns when there is none."""
        value = number_of(logs, self.monitor)
        if value is None:
            known = ", ".join(key for key in logs or {} if key not in ("step", "batch_size"))
            warnings.warn(
                f"{type(self).__name__} watches {self.monitor!r}, which the evaluation does not "
                f"give; it gives {known or 'nothing'}",
                stacklevel=2,
            )
        return value
