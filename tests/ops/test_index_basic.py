from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from proa.core import InvalidArgumentError
from proa.ops._index_basic import NEW, WHOLE, basic_assign, basic_index, broadcast_value

A = jnp.arange(2 * 3 * 4).reshape(2, 3, 4)
AT = ("at",)

# A spec with dynamic places, its starts, and the same with static places.
SPECS = [
    ((AT,), [1], (1,)),
    ((WHOLE, AT), [2], (WHOLE, 2)),
    ((("span", 1, 1), NEW, AT), [1, 0], ((1, 2, None), NEW, 0)),
    ((WHOLE, ("span", 2, 2), ("span", 3, -1)), [0, 3], (WHOLE, (0, 3, 2), (3, 0, -1))),
    ((WHOLE, ("span", 0, 1)), [0], (WHOLE, (2, 2, 1))),
    ((NEW, WHOLE, WHOLE, AT), [3], (NEW, WHOLE, WHOLE, -1)),
]


@pytest.mark.parametrize(("dynamic", "starts", "static"), SPECS)
def test_dynamic_and_static_places_agree(dynamic, starts, static):
    take, put = basic_index.op.fn, basic_assign.op.fn
    starts = np.array(starts)
    part = take(A, starts, dynamic)
    assert np.array_equal(part, take(A, None, static))
    changed = put(A, part * 0 - 1, starts, dynamic)
    assert np.array_equal(changed, put(A, part * 0 - 1, None, static))
    assert (np.asarray(changed) == -1).sum() == part.size


def test_the_inverse_puts_a_part_back():
    for dynamic, starts, _ in SPECS:
        starts = np.array(starts)
        part = basic_index.op.fn(A, starts, dynamic)
        whole = basic_index.op.inverse.fn(A, part, starts, dynamic)
        assert np.array_equal(whole, A)


def test_values_broadcast_and_lose_leading_axes_of_extent_1():
    assert broadcast_value(np.ones((1, 1, 3)), (2, 3)).shape == (2, 3)
    assert broadcast_value(np.ones((1, 1)), ()).shape == ()
    with pytest.raises(InvalidArgumentError, match=r"shape \[2, 3\] is assigned to a part"):
        broadcast_value(np.ones((2, 3)), (3,))
