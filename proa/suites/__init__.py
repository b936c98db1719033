"""Pipelines in few lines: the check of the data, the report of a run."""

from __future__ import annotations

from ._data_check import BadItem as BadItem
from ._data_check import DataReport as DataReport
from ._data_check import SplitReport as SplitReport
from ._data_check import check_dataset as check_dataset
from ._report import render_report as render_report
from ._report import write_report as write_report
from ._run_record import LAYERS as LAYERS
from ._run_record import run_verdict as run_verdict
from ._tables import check_table as check_table
from ._tables import verify_table as verify_table
