"""Fused convolutions: the numbers of a convolution and what follows it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from proa.core import get_op, set_flags
from proa.native import has_kernels
from proa.ops._conv_fused import pack_weight

#: The image's shape, that of the weight, then stride, padding and dilation.
CASES = {
    "1x1": (1, 5, 7, 7, (19, 5, 1, 1), 1, 0, 1),
    "1x1, large": (2, 40, 20, 21, (33, 40, 1, 1), 1, 0, 1),
    "1x1, one position": (2, 37, 1, 1, (9, 37, 1, 1), 1, 0, 1),
    "1x1, one position, large": (1, 700, 1, 1, (515, 700, 1, 1), 1, 0, 1),
    "1x1, step": (1, 3, 9, 8, (4, 3, 1, 1), 2, 0, 1),
    "1x1, padded": (1, 2, 3, 3, (4, 2, 1, 1), 1, ((0, 0), (0, 0), (1, 2), (0, 3)), 1),
    "3x3": (2, 6, 9, 7, (11, 6, 3, 3), 1, 1, 1),
    "3x3, large": (1, 32, 30, 33, (40, 32, 3, 3), 1, "SAME", 1),
    "3x3, deep and small": (1, 600, 7, 7, (24, 600, 3, 3), 1, 1, 1),
    "3x3, planes of many channels": (2, 300, 14, 13, (24, 300, 3, 3), 1, 1, 1),
    "stem": (1, 3, 31, 33, (16, 3, 7, 7), 2, 3, 1),
    "stride 3, dilation": (1, 2, 12, 11, (9, 2, 3, 2), (3, 2), (2, 1), (2, 3)),
    "valid": (1, 2, 5, 6, (3, 2, 5, 2), 1, "VALID", 1),
    "depthwise": (2, 5, 9, 7, (5, 1, 3, 3), 1, 1, 1),
    "depthwise, step": (1, 20, 14, 15, (20, 1, 5, 5), 2, 2, 1),
    "depthwise, multiplier": (2, 3, 8, 8, (6, 1, 3, 5), (2, 3), (1, 2), (1, 2)),
    "depthwise, large": (1, 64, 40, 40, (64, 1, 3, 3), 1, 1, 1),
}
ACTIVATIONS = {
    "": lambda v: v,
    "relu": lambda v: np.maximum(v, 0),
    "clip": lambda v: np.clip(v, -1.0, 2.0),
    "leaky_relu": lambda v: np.where(v < 0, 0.1 * v, v),
    "hardswish": lambda v: v * np.clip(v / 6 + 0.5, 0, 1),
    "hardsigmoid": lambda v: np.clip(v / 6 + 0.5, 0, 1),
}
NUMBERS = {"clip": (-1.0, 2.0), "leaky_relu": (0.1, 0.0)}


def made(case, seed=0):
    batch, channels, height, width, shape, *rest = CASES[case]
    random = np.random.default_rng(seed)
    x = random.normal(size=(batch, channels, height, width)).astype(np.float32)
    weight = random.normal(size=shape).astype(np.float32)
    bias = random.normal(size=shape[0]).astype(np.float32)
    return x, weight, bias, rest


def fused(x, weight, bias, added, rest, activation, channels):
    stride, padding, dilation = rest
    depthwise = weight.shape[1] == 1 and channels > 1
    given = weight if depthwise else pack_weight(weight)
    layout = (True, True, True, added is not None)
    numbers = NUMBERS.get(activation, (1 / 6, 0.5))
    how = (weight.shape, stride, padding, dilation, depthwise, activation, *numbers)
    fn = get_op("conv2d_fused").array_fn((layout, how))
    arrays = [x, given, bias, *([] if added is None else [added])]
    return np.asarray(jax.jit(fn)(*arrays))


def expected(x, weight, bias, rest):
    stride, padding, dilation = rest
    groups = x.shape[1] if weight.shape[1] == 1 and x.shape[1] > 1 else 1
    values = (stride, padding, dilation, groups, "NCHW")
    fn = get_op("conv2d").array_fn(((True, True, True), values))
    set_flags({"FLAGS_native_kernels": False})
    try:
        return np.asarray(jax.jit(fn)(*[jnp.asarray(a) for a in (x, weight, bias)]))
    finally:
        set_flags({"FLAGS_native_kernels": True})


@pytest.mark.parametrize("case", CASES)
def test_kernel_and_form_give_the_numbers_of_a_convolution(case):
    x, weight, bias, rest = made(case)
    wanted = expected(x, weight, bias, rest)
    other = np.random.default_rng(1).normal(size=wanted.shape).astype(np.float32)
    scale = np.abs(wanted).max()
    for activation, added in (("", None), ("relu", other)):
        total = wanted if added is None else np.maximum(wanted + added, 0)
        got = fused(x, weight, bias, added, rest, activation, x.shape[1])
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, total, atol=3e-6 * scale)
    set_flags({"FLAGS_native_kernels": False})
    try:
        got = fused(x, weight, bias, other, rest, "relu", x.shape[1])
    finally:
        set_flags({"FLAGS_native_kernels": True})
    np.testing.assert_allclose(got, np.maximum(wanted + other, 0), atol=3e-6 * scale)


@pytest.mark.parametrize("has_kernel", [True, False])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations_keep_nan_and_infinities(activation, has_kernel):
    if has_kernel and not has_kernels():
        pytest.skip("no kernels on this machine")
    values = np.array([-np.inf, -4, -3, -0.5, 0, 0.5, 3, 4, np.inf, np.nan], np.float32)
    x = np.tile(values, 3).reshape(1, 1, 3, 10)
    one, none = np.ones((1, 1, 1, 1), np.float32), np.zeros(1, np.float32)
    set_flags({"FLAGS_native_kernels": has_kernel})
    try:
        got = fused(x, one, none, None, (1, 0, 1), activation, 1)[0, 0, 1]
    finally:
        set_flags({"FLAGS_native_kernels": True})
    with np.errstate(invalid="ignore"):
        wanted = ACTIVATIONS[activation](values.copy())
    if activation == "hardswish":
        wanted[0] = 0.0
    np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_many_threads_get_the_same_numbers():
    x, weight, bias, rest = made("3x3, large")
    wanted = fused(x, weight, bias, None, rest, "relu", x.shape[1])

    def run(_):
        return fused(x, weight, bias, None, rest, "relu", x.shape[1])

    with ThreadPoolExecutor(8) as threads:
        for got in threads.map(run, range(24)):
            np.testing.assert_array_equal(got, wanted)
