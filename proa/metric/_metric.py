"""The base of all metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from proa.core._errors import InvalidTypeError
from proa.core._tensor import Tensor


class Metric(ABC):
    """A number that sums up how good predictions are, gathered batch by batch.

    A metric of your own defines `reset`, `update`, `accumulate` and `name`. It may define
    `compute` too: that part runs on Tensors, with the model, and is compiled with it; what
    it returns is passed to `update`, which runs on the host.

    Examples:
        >>> import proa
        >>> class MeanError(proa.metric.Metric):
        ...     def __init__(self):
        ...         self.reset()
        ...     def reset(self):
        ...         self.total, self.count = 0.0, 0
        ...     def update(self, predictions, labels):
        ...         self.total += float(abs(predictions - labels).sum())
        ...         self.count += len(labels)
        ...     def accumulate(self):
        ...         return self.total / max(self.count, 1)
        ...     def name(self):
        ...         return "mean_error"
        >>> import numpy
        >>> metric = MeanError()
        >>> metric.update(numpy.array([1.0, 2.0]), numpy.array([1.0, 4.0]))
        >>> metric.accumulate()
        1.0
    """

    @abstractmethod
    def reset(self) -> None:
        """Starts anew."""

    @abstractmethod
    def update(self, *args: Any) -> Any:
        """Takes in one batch; the arguments are what `compute` returned."""

    @abstractmethod
    def accumulate(self) -> Any:
        """Returns the metric over all batches since the start."""

    @abstractmethod
    def name(self) -> Any:
        """Returns the metric's name, or a list of names if it gives several numbers."""

    def compute(self, *args: Any) -> Any:
        """Prepares what `update` takes, from predictions and labels; as given by default."""
        return args


def host_array(owner: str, name: str, value: Any) -> np.ndarray:
    """Returns a Tensor's or array's values.

    Raises:
        InvalidTypeError: neither a Tensor nor an array.
    """
    if isinstance(value, Tensor):
        return value.numpy()
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    raise InvalidTypeError(
        f"{owner}: `{name}` is a {type(value).__name__}",
        expected="a Tensor or a NumPy array",
        fix=f"convert it: numpy.asarray({name})",
    )
