from __future__ import annotations

from proa.device import cuda


def test_no_gpus():
    assert cuda.device_count() == 0


def test_two_gpus(gpus):
    assert cuda.device_count() == 2
