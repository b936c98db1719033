"""Behaviours of arithmetic and reductions that other frameworks got wrong, by their reports."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import compiled, same

NAN, INF = float("nan"), float("inf")


def test_gradient_of_prod_with_a_zero():
    """Paddle 3.3.1 gives [nan, 0, 0]."""
    for zeros, want in (([0.0, 2.0, 3.0], [6.0, 0.0, 0.0]), ([0.0, 0.0, 3.0], [0.0, 0.0, 0.0])):
        x = proa.to_tensor(zeros, stop_gradient=False)
        proa.prod(x).backward()
        same(x.grad, want)


def test_argmax_agrees_with_max_about_nan():
    """Paddle 3.3.1 gives max nan but argmax 2; family of PT#1810."""
    x = proa.to_tensor([1.0, NAN, 2.0, NAN])
    same(proa.max(x), NAN)
    same(proa.argmax(x), 1, "int64")
    same(proa.min(x), NAN)
    same(proa.argmin(x), 1)
    same(proa.argmax(proa.to_tensor([[1.0, NAN, 2.0]]), axis=1), [1])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_means_accumulate_in_float32(dtype):
    """PT#91597, PT#44350, JAX PR#17792, P PR#78451."""
    same(proa.mean(proa.ones([100000], dtype)), 1.0, dtype)
    big = proa.full([3], 40000.0, dtype)
    same(proa.mean(big), float(big[0]), dtype)


def test_sums_of_half_precision_do_not_stall():
    """A running half-precision sum of ones stops at 2048 (256 for bfloat16)."""
    same(proa.ones([4096], "float16").sum(), 4096.0, "float16")
    same(proa.ones([4096], "bfloat16").sum(), 4096.0, "bfloat16")


def test_narrow_integers_and_booleans_sum_in_int64():
    """Paddle 3.3.1 gives int8 -56."""
    same(proa.sum(proa.to_tensor([100, 100], dtype="int8")), 200, "int64")
    same(proa.to_tensor([True, True]).sum(), 2, "int64")
    same(proa.cumsum(proa.to_tensor([100, 100], dtype="int8")), [100, 200], "int64")
    same(proa.prod(proa.to_tensor([100, 100], dtype="int8")), 10000, "int64")


def test_integer_powers_do_not_overflow_at_32_bits():
    """JAX#8604."""
    powers = 256 ** proa.to_tensor([1, 2, 3, 4])
    same(powers, [256, 65536, 16777216, 4294967296], "int64")
    same(1 / powers, 1 / 256.0 ** np.arange(1, 5), "float32")


def test_64_bit_integers_stay_whole():
    """JAX#18385, JAX PR#39273."""
    x = proa.to_tensor([2**32, 2**62 + 1])
    assert (x + 0).tolist() == [2**32, 2**62 + 1]
    assert compiled(lambda v: v + 0)(x).tolist() == [2**32, 2**62 + 1]
    with pytest.raises(ValueError, match="does not fit int32"):
        proa.to_tensor([2**32], dtype="int32")


def test_true_division_of_integers_is_floating():
    """P#37801, P#61635."""
    same(proa.to_tensor(327) / 80, 4.0875, "float32")
    x, y = proa.to_tensor([1, 2, 3], dtype="int32"), proa.to_tensor([3, 5, 2], dtype="int32")
    same(proa.divide(x, y), [1 / 3, 0.4, 1.5], "float32")


@pytest.mark.parametrize("call", [lambda x: x // 0, lambda x: x % 0, lambda x: 1 // (x - x)])
def test_integer_division_by_zero_raises(call):
    """Array-API PR#311 leaves it open; JAX silently gives -2."""
    with pytest.raises(ZeroDivisionError, match="by zero"):
        call(proa.to_tensor([1, 2]))


@pytest.mark.parametrize("exponent", [-1, [-1], [2, -3]])
def test_negative_powers_of_integers_raise(exponent):
    """Paddle 3.3.1 loops for ever."""
    with pytest.raises(ZeroDivisionError, match="negative integer power"):
        proa.pow(proa.to_tensor([2, 3]), proa.to_tensor(exponent))
    with pytest.raises(ZeroDivisionError, match="negative integer power"):
        proa.to_tensor([2]) ** -1


def test_arange_with_a_floating_step_counts_in_double_precision():
    """Paddle 3.3.1 gives 3 values."""
    same(proa.arange(1, 1.3, 0.1), [1.0, 1.1, 1.2, 1.3], "float32")
    assert proa.arange(0, 1, 0.1).shape == [10]
    same(proa.arange(0.0, 1.0, 0.25), [0.0, 0.25, 0.5, 0.75])


PROMOTIONS = [
    ("int64", "float32", "float32"),
    ("int32", "float16", "float16"),
    ("bfloat16", "float16", "float32"),
    ("int8", "bfloat16", "bfloat16"),
]


@pytest.mark.parametrize(("left", "right", "want"), PROMOTIONS)
def test_integers_beside_floats_promote_to_the_float(left, right, want):
    """Paddle 3.3.1 raises for the first two."""
    x, y = proa.ones([1]).astype(left), proa.full([1], 0.5, right)
    same(x + y, [1.5], want)
    same(y * x, [0.5], want)
    assert proa.maximum(x, y).dtype == want


EMPTY = [
    (lambda: proa.sum(proa.zeros([0])), 0.0),
    (lambda: proa.prod(proa.zeros([0])), 1.0),
    (lambda: proa.mean(proa.zeros([0])), NAN),
    (lambda: proa.mean(proa.zeros([2, 0, 4]), axis=-1), np.zeros([2, 0])),
    (lambda: proa.mean(proa.zeros([2, 0, 4]), axis=1), np.full([2, 4], NAN)),
    (lambda: proa.sum(proa.zeros([2, 0, 4]), axis=1), np.zeros([2, 4])),
    (lambda: proa.max(proa.zeros([0, 3]), axis=1), np.zeros([0])),
    (lambda: proa.all(proa.zeros([0])), True),
    (lambda: proa.any(proa.zeros([0])), False),
    (lambda: proa.cummin(proa.zeros([0]))[0], np.zeros([0])),
    (lambda: proa.cumsum(proa.zeros([0])), np.zeros([0])),
    (lambda: proa.logsumexp(proa.zeros([0])), -INF),
    (lambda: proa.median(proa.zeros([2, 0]), axis=1), [NAN, NAN]),
    (lambda: proa.numel(proa.zeros([2, 0])), 0),
]


@pytest.mark.parametrize(("call", "want"), EMPTY)
def test_reductions_of_nothing(call, want):
    """P#72693, P#71826, P#71164: signals and endless waits."""
    same(call(), want)


@pytest.mark.parametrize("fn", [proa.max, proa.min, proa.argmax, proa.argmin, proa.amax])
def test_extrema_of_nothing_raise(fn):
    """P#72693."""
    with pytest.raises(ValueError, match="over nothing"):
        fn(proa.zeros([2, 0]))


@pytest.mark.parametrize(
    ("fn", "at", "want"),
    [
        (proa.sin, 2 * np.pi, [1.0, 0.0, -1.0, 0.0]),
        (proa.exp, 0.0, [1.0] * 4),
        (proa.tanh, 0.0, [1.0, 0.0, -2.0, 0.0]),
        (lambda x: x**4, 1.0, [4.0, 12.0, 24.0, 24.0]),
        (proa.log1p, 0.0, [1.0, -1.0, 2.0, -6.0]),
    ],
)
def test_derivatives_up_to_the_fourth(fn, at, want):
    """P#42867: Paddle 3.3.1 fails at order 4."""
    x = proa.to_tensor(at, dtype="float64", stop_gradient=False)
    y = fn(x)
    for expected in want:
        (y,) = proa.grad(y, x, create_graph=True)
        np.testing.assert_allclose(float(y), expected, atol=1e-9)
