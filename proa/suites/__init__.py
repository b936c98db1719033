"""Pipelines in few lines: the check of the data, the report of a run."""

from __future__ import annotations

from ._data_check import DataReport as DataReport
from ._data_check import check_dataset as check_dataset
