"""The base of metrics, and reading what `update` is given."""

from __future__ import annotations

import numpy as np
import pytest

from proa.core import InvalidTypeError, Tensor
from proa.metric import Metric
from proa.metric._metric import host_array


class Count(Metric):
    def __init__(self):
        self.reset()

    def reset(self):
        self.total = 0

    def update(self, *args):
        self.total += len(args)

    def accumulate(self):
        return self.total

    def name(self):
        return "count"


def test_compute_passes_its_arguments_on():
    metric = Count()
    metric.update(*metric.compute(1, 2))
    assert metric.accumulate() == 2


def test_incomplete_metric_cannot_be_made():
    class Incomplete(Metric):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Incomplete()


def test_tensors_and_arrays_are_read():
    assert host_array("o", "x", Tensor([1.0])).tolist() == [1.0]
    assert host_array("o", "x", np.ones(1)).tolist() == [1.0]
    with pytest.raises(InvalidTypeError, match="o: `x` is a list"):
        host_array("o", "x", [1.0])
