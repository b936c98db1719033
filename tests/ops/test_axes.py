from __future__ import annotations

import jax.numpy as jnp
import pytest

from proa.core import InvalidArgumentError, OutOfRangeError
from proa.ops._axes import common_dtype, normal_axes, normal_axis


@pytest.mark.parametrize(("axis", "ndim", "want"), [(0, 3, 0), (-1, 3, 2), (-3, 3, 0), (2, 3, 2)])
def test_an_axis_is_counted_from_the_front(axis, ndim, want):
    assert normal_axis(axis, ndim) == want


@pytest.mark.parametrize(("axis", "ndim"), [(3, 3), (-4, 3), (0, 0)])
def test_an_axis_out_of_range_is_named(axis, ndim):
    with pytest.raises(OutOfRangeError, match=f"`dim` is {axis} for a tensor with {ndim} axes"):
        normal_axis(axis, ndim, "dim")


def test_axes_keep_their_order_and_differ():
    assert normal_axes((-1, 0), 3) == (2, 0)
    assert normal_axes(1, 3) == (1,)
    with pytest.raises(InvalidArgumentError, match="names an axis twice"):
        normal_axes((0, -3), 3)


def test_common_dtype_promotes_integers_to_floats_only():
    integers, halves = jnp.zeros(1, jnp.int64), jnp.zeros(1, jnp.float16)
    assert common_dtype(integers, halves) == jnp.float16
    assert common_dtype(halves, jnp.zeros(1, jnp.bfloat16)) == jnp.float32


@pytest.mark.parametrize("axis", ["x", 1.5, None, [0]])
def test_an_axis_is_an_integer(axis):
    with pytest.raises(TypeError, match="`axis` is "):
        normal_axis(axis, 2)
