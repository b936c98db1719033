"""Metrics: numbers that sum up how good predictions are."""

from __future__ import annotations

from ._accuracy import Accuracy as Accuracy
from ._accuracy import accuracy as accuracy
from ._binary import Auc as Auc
from ._binary import Precision as Precision
from ._binary import Recall as Recall
from ._metric import Metric as Metric
