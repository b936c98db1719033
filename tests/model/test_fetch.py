from __future__ import annotations

from typing import Any

import jax
import pytest

import proa
from proa.model._fetch import Losses, MetricFeed, StepLogs, Throttle, metric_names, preserved


class Sum(proa.metric.Metric):
    """Adds numbers up, and notes how often it is asked to."""

    def __init__(self) -> None:
        self.updates = 0
        self.reset()

    def reset(self) -> None:
        self.total = 0.0

    def update(self, value: Any) -> float:
        self.updates += 1
        self.total += float(value)
        return float(value)

    def accumulate(self) -> float:
        return self.total

    def name(self) -> str:
        return "sum"


def _add(feed: MetricFeed, value: float) -> Any:
    return feed.add([proa.to_tensor(value)])


def test_metrics_are_updated_when_they_are_looked_at() -> None:
    metric = Sum()
    feed = MetricFeed([metric])
    late = [_add(feed, value) for value in (1.0, 2.0, 3.0)]
    assert metric.updates == 0
    assert late[2].value() == {"sum": 6.0}
    assert metric.updates == 3
    # Nobody asked to keep it, so it is the value of now.
    assert late[0].value() == {"sum": 6.0}


def test_kept_values_are_those_after_their_step() -> None:
    feed = MetricFeed([Sum()])
    late = []
    for value in (1.0, 2.0, 3.0):
        late.append(_add(feed, value))
        late[-1].keep()
    assert [each.value() for each in late] == [{"sum": 1.0}, {"sum": 3.0}, {"sum": 6.0}]


def test_many_waiting_results_are_fetched_by_themselves() -> None:
    metric = Sum()
    feed = MetricFeed([metric])
    for _ in range(65):
        _add(feed, 1.0)
    assert metric.updates == 64
    big = proa.zeros([2**24])
    feed.add([big.sum()])
    feed._bytes = 2**26
    _add(feed, 1.0)
    assert metric.updates == 67


def test_metrics_get_their_sums_back() -> None:
    metric = Sum()
    metric.update(5.0)
    with preserved([metric]):
        metric.reset()
        metric.update(1.0)
    assert (metric.accumulate(), metric.updates) == (5.0, 1)


def test_metrics_with_several_values() -> None:
    feed = MetricFeed([proa.metric.Accuracy(topk=(1, 2)), Sum()])
    assert feed.names == ["acc_top1", "acc_top2", "sum"]
    assert metric_names(Sum()) == ["sum"]
    matches = proa.to_tensor([[0.0, 1.0], [1.0, 0.0]])
    late = feed.add([matches, proa.to_tensor(2.0)])
    assert late.value() == {"acc_top1": 0.5, "acc_top2": 1.0, "sum": 2.0}


def _logs() -> tuple[StepLogs, Sum]:
    metric = Sum()
    feed = MetricFeed([metric])
    losses = Losses([proa.to_tensor(0.5), proa.to_tensor([1.5])])
    return StepLogs(losses, _add(feed, 7.0), feed.names, step=3, batch_size=4), metric


@pytest.mark.parametrize(
    "read", [dict, lambda logs: {**logs}, StepLogs.copy, lambda logs: dict(logs.items())]
)
def test_logs_read_as_a_dict_whatever_the_way(read: Any) -> None:
    expected = {"loss": [0.5, 1.5], "sum": 7.0, "step": 3, "batch_size": 4}
    assert read(_logs()[0]) == expected
    assert list(_logs()[0].values()) == list(expected.values())
    assert repr(_logs()[0]) == repr(expected)
    assert _logs()[0] == expected


def test_reading_the_step_fetches_nothing() -> None:
    logs, metric = _logs()
    assert (logs["step"], logs.get("batch_size"), "loss" in logs) == (3, 4, True)
    assert logs.get("nothing", 9) == 9
    assert metric.updates == 0
    assert logs["loss"] == [0.5, 1.5]
    assert metric.updates == 0
    assert logs["sum"] == 7.0
    assert metric.updates == 1


def test_what_is_written_into_logs_stays() -> None:
    logs, _ = _logs()
    logs["loss"] = 9.0
    assert logs["loss"] == 9.0
    assert logs.copy()["loss"] == 9.0


def test_the_host_waits_for_the_oldest_step(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[Any] = []
    monkeypatch.setattr(jax, "block_until_ready", waited.append)
    throttle = Throttle()
    steps = [[proa.to_tensor(float(i))] for i in range(10)]
    for step in steps:
        throttle.add(step)
    assert [float(array) for array in waited] == [0.0, 1.0]
    throttle.add([])
