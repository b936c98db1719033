"""Losses and metrics that are fetched from the device late, and many at a time.

A training loop that reads its loss at each step waits for each step. Here a step only notes
its results; they are fetched when somebody looks at them.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np

from proa.core import Tensor

# So many steps may be under way at once: enough to keep a device busy, and few enough that
# their batches fit into memory.
_DEPTH = 8
# Results that wait for their metric hold memory: whole predictions, if a metric takes them.
_MAX_PENDING, _MAX_PENDING_BYTES = 64, 2**26


class Losses:
    """The losses of one step: a list of numbers, once they are looked at."""

    __slots__ = ("_tensors", "_values")

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self._tensors: list[Any] | None = [t._data for t in tensors]
        self._values: list[float] = []

    def value(self) -> list[float]:
        """Returns the losses, waiting for the step if it is not done."""
        if self._tensors is not None:
            arrays = jax.device_get(self._tensors)
            self._values = [float(np.mean(array)) for array in arrays]
            self._tensors = None
        return self._values


class Throttle:
    """Keeps the host from running ahead of the device by more than a few steps."""

    def __init__(self) -> None:
        self._under_way: deque[Any] = deque()

    def add(self, tensors: Sequence[Tensor]) -> None:
        """Notes a step by its results; waits for the oldest when there are too many."""
        if tensors:
            self._under_way.append(tensors[0]._data)
        if len(self._under_way) > _DEPTH:
            jax.block_until_ready(self._under_way.popleft())


class MetricFeed:
    """Hands the results of steps to the metrics, in order, when a value is wanted.

    Args:
        metrics: the metrics.
    """

    def __init__(self, metrics: Sequence[Any]) -> None:
        self.metrics = list(metrics)
        self.names = [name for metric in self.metrics for name in metric_names(metric)]
        self._pending: list[tuple[int, Any]] = []
        self._count = self._bytes = 0
        self._wanted: dict[int, dict[str, Any] | None] = {}

    def reset(self) -> None:
        """Starts anew."""
        self._pending.clear()
        self._wanted.clear()
        for metric in self.metrics:
            metric.reset()

    def add(self, results: Sequence[Any]) -> MetricValues:
        """Takes in what the metrics' `compute` gave for one step."""
        self._count += 1
        if self.metrics:
            if all(isinstance(result, Tensor) for result in results):
                arrays = [result._data for result in results]
            else:
                arrays = jax.tree_util.tree_map(_array, list(results))
            self._pending.append((self._count, arrays))
            self._bytes += sum(getattr(a, "nbytes", 0) for a in jax.tree_util.tree_leaves(arrays))
            if len(self._pending) >= _MAX_PENDING or self._bytes >= _MAX_PENDING_BYTES:
                self.flush()
        return MetricValues(self, self._count)

    def want(self, number: int) -> None:
        """Asks to keep the values as they are after a step."""
        if self.metrics:
            self._wanted.setdefault(number, None)

    def flush(self) -> list[Any]:
        """Updates the metrics with all steps so far; returns what the last updates gave."""
        pending, self._pending, self._bytes = self._pending, [], 0
        given: list[Any] = []
        # One transfer for all of them.
        fetched = jax.device_get([arrays for _, arrays in pending])
        for (number, _), results in zip(pending, fetched, strict=True):
            given = [
                metric.update(*_as_arguments(result))
                for metric, result in zip(self.metrics, results, strict=True)
            ]
            if number in self._wanted:
                self._wanted[number] = self._accumulate()
        return given

    def values_after(self, number: int) -> dict[str, Any]:
        """Returns the metrics by name: as after a step if that was wanted, else as they are."""
        self.flush()
        kept = self._wanted.pop(number, None)
        return self._accumulate() if kept is None else kept

    def values(self) -> dict[str, Any]:
        """Returns the metrics by name, after all steps so far."""
        self.flush()
        return self._accumulate()

    def _accumulate(self) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for metric in self.metrics:
            result = metric.accumulate()
            names = metric_names(metric)
            parts = result if isinstance(result, list | tuple) else [result]
            values.update(zip(names, parts, strict=False))
        return values


@contextmanager
def preserved(metrics: Sequence[Any]) -> Iterator[None]:
    """Gives metrics their sums back, whatever is done with them meanwhile."""
    saved = [copy.deepcopy(vars(metric)) for metric in metrics]
    try:
        yield
    finally:
        for metric, values in zip(metrics, saved, strict=True):
            vars(metric).clear()
            vars(metric).update(values)


class MetricValues:
    """The metrics after one step, once they are looked at."""

    __slots__ = ("_feed", "_number", "_values")

    def __init__(self, feed: MetricFeed, number: int) -> None:
        self._feed, self._number = feed, number
        self._values: dict[str, Any] | None = None

    def keep(self) -> None:
        """Makes a later look see the values as they are after this step."""
        self._feed.want(self._number)

    def value(self) -> dict[str, Any]:
        """Returns the metrics by name."""
        if self._values is None:
            self._values = self._feed.values_after(self._number)
        return self._values


def metric_names(metric: Any) -> list[str]:
    """Returns the names of a metric's values."""
    names = metric.name()
    return list(names) if isinstance(names, list | tuple) else [names]


def _array(leaf: Any) -> Any:
    return leaf._data if isinstance(leaf, Tensor) else leaf


def _as_arguments(result: Any) -> Sequence[Any]:
    return result if isinstance(result, list | tuple) else [result]


class StepLogs(dict):
    """The `logs` of a step: a dict whose loss and metrics are fetched when they are read.

    Args:
        losses: the losses of the step.
        metrics: the metrics after the step.
        names: names of the metrics.
        plain: entries that are known already.
    """

    def __init__(
        self, losses: Losses | None, metrics: MetricValues, names: Iterable[str], **plain: Any
    ) -> None:
        super().__init__()
        self.losses, self.metrics = losses, metrics
        self._late = set(names)
        if losses is not None:
            self._late.add("loss")
            super().__setitem__("loss", None)
        for name in names:
            super().__setitem__(name, None)
        self.update(plain)

    def __getitem__(self, key: str) -> Any:
        if key in self._late:
            self._fetch(key)
        return super().__getitem__(key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._late.discard(key)
        super().__setitem__(key, value)

    def get(self, key: str, default: Any = None) -> Any:
        """Returns an entry, or the default."""
        return self[key] if key in self else default

    def _fetch(self, key: str) -> None:
        if key == "loss" and self.losses is not None:
            self[key] = self.losses.value()
            return
        for name, value in self.metrics.value().items():
            if name in self._late:
                self[name] = value
        self._late.discard(key)

    def _fetch_all(self) -> None:
        for key in list(self._late):
            if key in self._late:
                self._fetch(key)

    def __iter__(self) -> Iterator[str]:
        # Defined so that dict(logs) and {**logs} read through `__getitem__`.
        return super().__iter__()

    def items(self) -> Any:
        """Returns the entries, all of them fetched."""
        self._fetch_all()
        return super().items()

    def values(self) -> Any:
        """Returns the values, all of them fetched."""
        self._fetch_all()
        return super().values()

    def copy(self) -> dict[str, Any]:
        """Returns a plain dict with all values."""
        return dict(self.items())

    def __repr__(self) -> str:
        return repr(self.copy())

    def __eq__(self, other: object) -> bool:
        return self.copy() == other

    __hash__ = None  # type: ignore[assignment]
