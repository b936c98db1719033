from __future__ import annotations

import pytest

import proa
from proa.core import UnknownNameError, UnsupportedError


def test_ops_run_at_once_anyway():
    proa.disable_static()
    proa.disable_static("cpu")
    assert proa.in_dynamic_mode()
    with pytest.raises(UnknownNameError, match="device"):
        proa.disable_static("gpu:7")


def test_there_is_no_mode_that_records_everything():
    with pytest.raises(UnsupportedError, match=r"enable_static\(\)\n.*compiled whole"):
        proa.enable_static()
