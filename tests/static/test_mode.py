from __future__ import annotations

import pytest

import proa
from proa.core import UnknownNameError


def test_ops_run_at_once_anyway():
    proa.disable_static()
    proa.disable_static("cpu")
    assert proa.in_dynamic_mode()
    with pytest.raises(UnknownNameError, match="device"):
        proa.disable_static("gpu:7")


def test_static_mode_is_entered_and_left():
    proa.enable_static()
    proa.enable_static()
    assert not proa.in_dynamic_mode()
    proa.disable_static()
    assert proa.in_dynamic_mode()
