"""Convolution kernels: the same numbers as XLA's convolution, in all directions."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from proa.native import has_kernels
from proa.ops._conv_kernels import convolution

NCHW = ("NCHW", "OIHW", "NCHW")
# batch, channels, height, width, outputs, kernel, steps, pads, dilations, depthwise
CASES = {
    "same size": (2, 5, 9, 7, 11, (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), False),
    "stride, odd pads": (2, 3, 8, 8, 4, (3, 5), (2, 2), ((1, 0), (2, 1)), (1, 1), False),
    "stride 3, dilation": (1, 2, 10, 11, 17, (3, 3), (3, 2), ((0, 0), (1, 2)), (2, 1), False),
    "more pads than kernel": (3, 3, 6, 6, 64, (1, 1), (1, 1), ((2, 1), (0, 2)), (1, 1), False),
    "stem": (2, 3, 20, 20, 16, (7, 7), (2, 2), ((3, 3), (3, 3)), (1, 1), False),
    "many channels": (9, 20, 7, 7, 50, (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), False),
    "one position": (1, 4, 3, 3, 2, (3, 3), (1, 1), ((0, 0), (0, 0)), (1, 1), False),
    "memory that is not kept": (
        *(1, 1, 100, 100, 1024, (3, 3), (1, 1)),
        *(((1, 1), (1, 1)), (1, 1), False),
    ),
    "tiles": (3, 32, 9, 7, 40, (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), False),
    "tiles, odd pads": (1, 33, 17, 20, 35, (3, 3), (1, 1), ((0, 2), (2, 1)), (1, 1), False),
    "tiles, wide pads": (2, 40, 8, 8, 64, (3, 3), (1, 1), ((3, 4), (0, 3)), (1, 1), False),
    "tiles, parts": (20, 150, 7, 7, 70, (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), False),
    "pointwise": (3, 20, 7, 5, 40, (1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), False),
    "pointwise, large": (2, 33, 40, 30, 70, (1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), False),
    "pointwise, one position": (5, 17, 1, 1, 13, (1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), False),
    "pointwise, stride": (2, 6, 9, 8, 5, (1, 1), (2, 2), ((0, 0), (0, 0)), (1, 1), False),
    "unused border": (1, 2, 8, 9, 3, (2, 2), (3, 3), ((0, 0), (0, 0)), (1, 1), False),
    "depthwise": (2, 5, 9, 7, 5, (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), True),
    "depthwise, multiplier": (2, 3, 8, 8, 6, (3, 5), (2, 2), ((1, 1), (2, 2)), (1, 1), True),
    "depthwise, dilation": (1, 2, 10, 11, 2, (3, 3), (3, 1), ((0, 1), (1, 0)), (2, 2), True),
    "depthwise, pads": (2, 3, 6, 6, 3, (1, 1), (1, 1), ((2, 2), (2, 0)), (1, 1), True),
}


def arrays(case, seed=0):
    n, c, h, w, o, kernel, *_, depthwise = case
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, c, h, w)).astype("float32")
    weight = rng.standard_normal((o, 1 if depthwise else c, *kernel)).astype("float32")
    return x, weight


def ours(case, last=False):
    *_, steps, pads, dilations, depthwise = case
    return lambda x, w: convolution(x, w, steps, pads, dilations, last, depthwise=depthwise)


def reference(case):
    _, channels, *_, steps, pads, dilations, depthwise = case
    groups = channels if depthwise else 1
    return lambda x, w: lax.conv_general_dilated(
        x, w, steps, pads, None, dilations, NCHW, feature_group_count=groups
    )


def close(got, expected, bound=2e-5):
    scale = max(1.0, float(np.abs(expected).max()))
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, rtol=0, atol=bound * scale)


@pytest.mark.skipif(not has_kernels(), reason="no C++ compiler")
@pytest.mark.parametrize("name", CASES)
def test_forward_and_both_gradients(name):
    x, weight = arrays(CASES[name])

    def all_three(fn):
        def run(x, weight, dy):
            y, pull = jax.vjp(fn, x, weight)
            return y, *pull(dy)

        return jax.jit(run)

    dy = np.cos(np.arange(np.prod(reference(CASES[name])(x, weight).shape), dtype="float32"))
    dy = dy.reshape(reference(CASES[name])(x, weight).shape)
    lowered = all_three(ours(CASES[name])).lower(x, weight, dy)
    assert lowered.as_text().count("proa_") >= 3
    for got, expected in zip(
        lowered.compile()(x, weight, dy),
        all_three(reference(CASES[name]))(x, weight, dy),
        strict=True,
    ):
        close(np.asarray(got), np.asarray(expected))


@pytest.mark.parametrize("name", ["stride, odd pads", "depthwise, multiplier"])
def test_second_derivatives_forward_mode_and_vmap(name):
    x, weight = arrays(CASES[name])
    dx, dw = arrays(CASES[name], seed=1)

    def energy(fn):
        return lambda x, w: (jnp.sin(fn(x, w)) ** 2).sum()

    def second(fn):
        slope = lambda x, w: jax.grad(energy(fn), argnums=(0, 1))(x, w)  # noqa: E731
        return jax.jit(lambda x, w: jax.jvp(slope, (x, w), (dx, dw))[1])(x, weight)

    for got, expected in zip(
        second(ours(CASES[name])), second(reference(CASES[name])), strict=True
    ):
        close(np.asarray(got), np.asarray(expected), 1e-4)
    batch = np.stack([weight, dw])
    mapped = [
        jax.vmap(f, in_axes=(None, 0))(x, batch)
        for f in (ours(CASES[name]), reference(CASES[name]))
    ]
    close(np.asarray(mapped[0]), np.asarray(mapped[1]))


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_other_dtypes_take_xlas_form(dtype):
    x, weight = (a.astype(dtype) for a in arrays(CASES["depthwise"]))
    fn = jax.jit(ours(CASES["depthwise"]))
    assert "proa_" not in fn.lower(x, weight).as_text()
    assert fn(x, weight).dtype == x.dtype


@pytest.mark.parametrize("name", ["stem", "depthwise, multiplier"])
def test_channels_last(name):
    x, weight = arrays(CASES[name])
    moved = np.moveaxis(x, 1, -1)
    expected, pull = jax.vjp(reference(CASES[name]), x, weight)
    got, own = jax.vjp(jax.jit(ours(CASES[name], last=True)), moved, weight)
    close(np.moveaxis(np.asarray(got), -1, 1), np.asarray(expected))
    slopes, own_slopes = pull(jnp.sin(expected)), own(jnp.sin(got))
    close(np.moveaxis(np.asarray(own_slopes[0]), -1, 1), np.asarray(slopes[0]))
    close(np.asarray(own_slopes[1]), np.asarray(slopes[1]))


@pytest.mark.parametrize("last", [False, True])
def test_the_form_of_xla_in_float64(last):
    x, weight = (a.astype("float64") for a in arrays(CASES["depthwise, multiplier"]))
    fn = ours(CASES["depthwise, multiplier"], last)
    expected, pull = jax.vjp(reference(CASES["depthwise, multiplier"]), x, weight)
    got, own = jax.vjp(fn, np.moveaxis(x, 1, -1) if last else x, weight)
    first = lambda a: np.moveaxis(np.asarray(a), -1, 1) if last else np.asarray(a)  # noqa: E731
    close(first(got), np.asarray(expected), 1e-14)
    dx, dw = own(got)
    for mine, other in zip((first(dx), np.asarray(dw)), pull(expected), strict=True):
        close(mine, np.asarray(other), 1e-13)


@pytest.mark.parametrize("batch", [0, 1])
def test_an_empty_batch(batch):
    x, weight = np.zeros((batch, 3, 4, 4), "float32"), np.ones((2, 3, 3, 3), "float32")
    fn = lambda x, w: convolution(x, w, (1, 1), ((1, 1), (1, 1)), (1, 1), False, depthwise=False)  # noqa: E731
    y, pull = jax.vjp(jax.jit(fn), x, weight)
    dx, dw = pull(jnp.zeros_like(y))
    assert (y.shape, dx.shape) == ((batch, 2, 4, 4), x.shape)
    np.testing.assert_array_equal(np.asarray(dw), np.zeros_like(weight))


def test_many_threads_at_once_get_their_own_answers():
    cases = [CASES[n] for n in ("same size", "stem", "depthwise", "many channels")]
    compiled = [jax.jit(ours(c)) for c in cases]
    expected = {}
    for number, case in enumerate(cases):
        for seed in range(4):
            expected[number, seed] = np.asarray(reference(case)(*arrays(case, seed)))
    start = threading.Barrier(8)

    def work(thread):
        start.wait()
        for turn in range(24):
            number, seed = (thread + turn) % 4, turn % 4
            got = compiled[number](*arrays(cases[number], seed))
            close(np.asarray(got), expected[number, seed])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
