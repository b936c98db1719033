from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.ops._attention_masks import interval_mask, packed_mask, padded_mask, pattern_mask


def ints(*values):
    return proa.to_tensor(np.array(values, "int32"))


def packed(query_lengths, key_lengths, total_q, total_k, left, right):
    """The same mask, one sequence after the other."""
    mask = np.zeros([total_q, total_k], bool)
    q = k = 0
    for num_q, num_k in zip(query_lengths, key_lengths, strict=True):
        for i in range(num_q):
            for j in range(num_k):
                at = i + num_k - num_q
                seen = (left < 0 or j >= at - left) and (right < 0 or j <= at + right)
                mask[q + i, k + j] = seen
        q, k = q + num_q, k + num_k
    return mask


@pytest.mark.parametrize(("left", "right"), [(-1, -1), (-1, 0), (1, 1)])
def test_packed_mask(left, right):
    query_lengths, key_lengths = [2, 0, 3], [3, 1, 2]
    found = packed_mask(
        *(ints(0, 2, 2), ints(*query_lengths), ints(0, 3, 4), ints(*key_lengths)),
        *(6, 7, left, right),
    )
    expected = packed(query_lengths, key_lengths, 6, 7, left, right)
    np.testing.assert_array_equal(found.numpy(), expected)


def test_padded_mask():
    found = padded_mask(ints(2, 1), ints(3, 2), 2, 3, 0).numpy()
    assert found.shape == (2, 1, 2, 3)
    np.testing.assert_array_equal(found[0, 0], [[1, 0, 0], [1, 1, 0]])
    np.testing.assert_array_equal(found[1, 0], [[1, 0, 0], [0, 0, 0]])
    free = padded_mask(ints(2, 1), ints(3, 2), 2, 3, -1).numpy()
    np.testing.assert_array_equal(free[1, 0], [[1, 1, 0], [0, 0, 0]])


def dense(bounds, num_queries, causal):
    """FlashMask's description, place by place."""
    batch, heads, num_keys, count = bounds.shape
    mask = np.ones([batch, heads, num_queries, num_keys], bool)
    for b, h, j in np.ndindex(batch, heads, num_keys):
        first, *others = bounds[b, h, j]
        if count == (2 if causal else 4):
            mask[b, h, first : others.pop(0), j] = False
        else:
            mask[b, h, first:, j] = False
        if causal:
            mask[b, h, :j, j] = False
        elif count == 2:
            mask[b, h, : others[0], j] = False
        else:
            mask[b, h, others[0] : others[1], j] = False
    return mask


@pytest.mark.parametrize(("causal", "count"), [(True, 1), (True, 2), (False, 2), (False, 4)])
def test_interval_mask(causal, count):
    bounds = np.random.default_rng(count).integers(0, 5, [2, 1, 4, count]).astype("int32")
    found = interval_mask(proa.to_tensor(bounds), 4, 4, causal, -1, -1)
    np.testing.assert_array_equal(found.numpy(), dense(bounds, 4, causal))


def test_a_window_alone():
    found = interval_mask(None, 3, 3, False, 1, 0).numpy()[0, 0]
    np.testing.assert_array_equal(found, [[1, 0, 0], [1, 1, 0], [0, 1, 1]])


def test_bounds_that_do_not_fit():
    with pytest.raises(proa.core.InvalidArgumentError, match=r"\[batch, heads, 4, 2 or 4\]"):
        interval_mask(proa.zeros([1, 1, 4, 1], "int32"), 4, 4, False, -1, -1)


def test_pattern_mask():
    offsets = ints(0, 2, 2, 3).reshape([1, 1, 4])
    columns = ints(0, 2, 1, 0).reshape([1, 1, 4])
    found = pattern_mask(offsets, columns, 3).numpy()[0, 0]
    np.testing.assert_array_equal(found, [[1, 0, 1], [0, 0, 0], [0, 1, 0]])
