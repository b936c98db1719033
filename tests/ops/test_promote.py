from __future__ import annotations

import jax.numpy as jnp
import pytest

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
