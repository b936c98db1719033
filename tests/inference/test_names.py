from __future__ import annotations

import pytest

from proa.inference import _get_phi_kernel_name

PAIRS = {
    "elementwise_add": "add",
    "matmul_v2": "matmul",
    "matmul": "legacy_matmul",
    "conv2d": "conv2d",
    "transpose2": "transpose",
    "top_k_v2": "topk",
    "hard_swish": "hardswish",
    "flatten2": "flatten2",
    "relu": "relu",
    "of no version": "of no version",
}


@pytest.mark.parametrize("name", PAIRS)
def test_kernels_have_the_names_that_paddle_tells(name):
    assert _get_phi_kernel_name(name) == PAIRS[name]
