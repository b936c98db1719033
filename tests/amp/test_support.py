from __future__ import annotations

import pytest

import proa
from proa import amp


@pytest.mark.parametrize("device", ["cpu", proa.CPUPlace()])
def test_a_cpu_has_bfloat16_only(device):
    assert amp.is_bfloat16_supported(device)
    assert not amp.is_float16_supported(device)


def test_the_current_device_is_the_default():
    assert amp.is_float16_supported() is not proa.get_device().startswith("cpu")
    assert amp.is_bfloat16_supported()
