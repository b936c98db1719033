from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import proa
from proa.ops import _promote


def test_floating_makes_float32_of_integers_and_leaves_the_rest():
    for dtype in ("bool", "uint8", "int32", "int64"):
        assert _promote.floating(jnp.ones(1, dtype)).dtype == "float32"
    for dtype in ("float16", "bfloat16", "float64", "complex64"):
        assert _promote.floating(jnp.ones(1, dtype)).dtype == dtype


def test_widened_changes_half_precisions_only():
    assert _promote.widened(jnp.ones(1, "bfloat16")).dtype == "float32"
    assert _promote.widened(jnp.ones(1, "float16")).dtype == "float32"
    assert _promote.widened(jnp.ones(1, "float64")).dtype == "float64"


def test_kinds():
    half, complex_, truth = (jnp.ones(1, d) for d in ("bfloat16", "complex64", "bool"))
    assert _promote.is_floating(half)
    assert not _promote.is_floating(complex_)
    assert _promote.is_complex(complex_)
    assert _promote.is_integral(truth)
    assert not _promote.is_integral(half)


def test_promote_casts_all():
    x, y = _promote.promote(jnp.ones(1, "int64"), jnp.ones(1, "float32"))
    assert (x.dtype, y.dtype) == ("float32", "float32")


def test_reduced_axes():
    assert _promote.reduced_axes(None, 2) is None
    assert _promote.reduced_axes((), 2) is None
    assert _promote.reduced_axes(-1, 2) == (1,)
    assert _promote.reduced_axes((0, -1), 3) == (0, 2)
    assert _promote.reduced_axes(-1, 0) is None


def test_reduced_axes_of_a_zero_dimensional_tensor_stop_at_one():
    with pytest.raises(IndexError, match="`axis` is 1"):
        _promote.reduced_axes(1, 0)


def test_refuse_complex_names_the_op():
    with pytest.raises(TypeError, match="`max` of a complex64 tensor"):
        _promote.refuse_complex("max", jnp.ones(1, "complex64"))


def test_quotients_are_rounded_right_and_keep_infinities():
    x, y = jnp.float32([41, 1, -1, 0, jnp.inf]), jnp.float32([41, 0, 0, 0, 2])
    found = _promote.quotient(x, y)
    np.testing.assert_array_equal(found, [1, jnp.inf, -jnp.inf, jnp.nan, jnp.inf])
    first, second = jax.grad(_promote.quotient, (0, 1))(3.0, 2.0)
    assert (float(first), float(second)) == (0.5, -0.75)


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        ([1 + 2j], "float32", [1.0]),
        ([0j, 2j], "bool", [False, True]),
        ([-1.0], "uint8", [255]),
        ([-1.7, 300.0], "int8", [-1, 44]),
    ],
)
def test_converted_follows_cast(values, dtype, expected):
    found = _promote.converted(jnp.asarray(values), proa.core.as_dtype(dtype))
    assert (found.tolist(), found.dtype) == (expected, dtype)


def test_floating_as_takes_floating_dtypes():
    x = jnp.ones(1, "int32")
    assert _promote.floating_as(x, None, "softmax").dtype == "float32"
    assert _promote.floating_as(x, proa.float64, "softmax").dtype == "float64"
    with pytest.raises(TypeError, match="`dtype` of `softmax` is int32"):
        _promote.floating_as(x, proa.int32, "softmax")


def test_half_precision_is_not_decomposed():
    assert _promote.precise(jnp.ones(1, "int32")).dtype == "float32"
    with pytest.raises(TypeError, match="dtype bfloat16 is to be decomposed"):
        _promote.precise(jnp.ones(1, "bfloat16"))
