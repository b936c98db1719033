"""Gradient clips: the rules on arrays, and the classes when a user calls them."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from proa.core import InvalidArgumentError, InvalidTypeError, Parameter, Tensor
from proa.nn._clip import (
    ClipGradByGlobalNorm,
    ClipGradByNorm,
    ClipGradByValue,
    ClipRule,
    square_sum,
)

GRADS = ([3.0, 4.0], [0.0, 12.0], [0.0, 0.0])


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (ClipRule("value", 3.5, -1.0), [[3.0, 3.5], [0.0, 3.5], [0.0, 0.0]]),
        (ClipRule("norm", 6.0), [[3.0, 4.0], [0.0, 6.0], [0.0, 0.0]]),
        # By hand: the norm is sqrt(25 + 144) = 13.
        (ClipRule("global_norm", 6.5), [[1.5, 2.0], [0.0, 6.0], [0.0, 0.0]]),
        (ClipRule("global_norm", 20.0), [[3.0, 4.0], [0.0, 12.0], [0.0, 0.0]]),
    ],
)
def test_rules_on_arrays(rule, expected):
    clipped, is_bad = rule([jnp.asarray(grad) for grad in GRADS])
    assert [grad.tolist() for grad in clipped] == expected
    assert is_bad is None or not bool(is_bad)


@pytest.mark.parametrize("kind", ["norm", "global_norm"])
@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_norm_that_is_not_finite_is_told(kind, bad):
    _, is_bad = ClipRule(kind, 1.0)([jnp.asarray([1.0]), jnp.asarray([bad, 1.0])])
    assert bool(is_bad)


def test_norm_of_half_precision_does_not_overflow():
    grad = jnp.full(4, 40000.0, "float16")
    assert square_sum(grad).dtype == jnp.float32
    (clipped,), is_bad = ClipRule("global_norm", 1.0)([grad])
    assert not bool(is_bad)
    assert clipped.dtype == jnp.float16
    assert clipped.tolist() == [0.5] * 4


def test_norm_of_double_precision_is_double():
    assert square_sum(jnp.ones(2, "float64")).dtype == jnp.float64


def test_called_clip_gives_pairs():
    clipped, free, without = (Parameter([1.0, 2.0]) for _ in range(3))
    free.need_clip = False
    pairs = [(clipped, Tensor([3.0, 4.0])), (free, Tensor([30.0, 40.0])), (without, None)]
    result = ClipGradByGlobalNorm(1.0)(pairs)
    assert [param for param, _ in result] == [clipped, free]
    assert result[0][1].tolist() == pytest.approx([0.6, 0.8])
    assert result[1][1].tolist() == [30.0, 40.0]
    assert ClipGradByNorm(1.0)([(without, None)]) == []


def test_clips_say_what_they_do():
    assert str(ClipGradByValue(1.0)) == "clip each gradient element to [-1.000000, 1.000000]"
    assert str(ClipGradByNorm(1.0)) == "clip each gradient to norm 1.000000"
    assert str(ClipGradByGlobalNorm(2)) == "clip all gradients to a global norm of 2.000000"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ClipGradByValue(-1.0), InvalidArgumentError, "`max` is -1.0 and there is no"),
        (lambda: ClipGradByValue(1.0, 2.0), InvalidArgumentError, "`min` is 2.0 and `max` is 1.0"),
        (lambda: ClipGradByValue("a"), InvalidTypeError, "`max` is a str"),
        (lambda: ClipGradByValue(1.0, "a"), InvalidTypeError, "`min` is a str"),
        (lambda: ClipGradByNorm(0.0), InvalidArgumentError, "ClipGradByNorm: `clip_norm` is 0.0"),
        (lambda: ClipGradByNorm(float("nan")), InvalidArgumentError, "`clip_norm` is nan"),
        (lambda: ClipGradByGlobalNorm("a"), InvalidTypeError, "`clip_norm` is a str"),
        (lambda: ClipGradByGlobalNorm(-2.0), InvalidArgumentError, "`clip_norm` is -2.0"),
    ],
)
def test_wrong_limits_are_named(make, error, message):
    with pytest.raises(error, match=message):
        make()
