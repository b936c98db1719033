from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from proa.ops import _attention, _attention_blocks
from tests.ops.harness import bools, randn

# 37 queries in blocks of 8: the last one holds 5.
LENGTH = 37
MASK = bools(2, 1, LENGTH, LENGTH)
MASK[:, :, 3] = False
MASK[:, :, LENGTH - 1] = False
ADDED = np.where(MASK, randn(2, 1, LENGTH, LENGTH), -np.inf)
CASES = {
    "causal": (None, True, None),
    "added": (ADDED, False, 3.0),
    "causal_bool": (MASK, True, None),
    "keys": (bools(2, 1, 1, LENGTH), False, None),
}


def inputs():
    return tuple(jnp.asarray(randn(2, LENGTH, heads, 4)) for heads in (4, 2, 2))


def outcomes(mask, causal, softcap, also):
    """Values, gradients and a second derivative (a Hessian times a vector)."""
    mask = None if mask is None else jnp.asarray(mask)
    query, key, value = INPUTS

    def loss(*args):
        out = _attention._attend(*args, mask, causal, None, True, softcap, also, None)
        finite = jax.tree.map(lambda x: jnp.where(jnp.isfinite(x), x, 0), out)
        return sum(jnp.sum(jnp.sin(leaf)) for leaf in jax.tree.leaves(finite)), out

    def both(*args):
        gradient = jax.grad(lambda *a: loss(*a)[0], (0, 1, 2))
        return loss(*args)[1], *jax.jvp(gradient, args, TANGENTS)

    return jax.jit(both)(query, key, value)


INPUTS = inputs()
TANGENTS = inputs()


@pytest.mark.parametrize("name", CASES)
def test_blocks_give_what_the_whole_gives(name, monkeypatch):
    also = "lse" if name == "added" else ""
    whole = outcomes(*CASES[name], also)
    monkeypatch.setattr(_attention_blocks, "LONG", 1)
    monkeypatch.setattr(_attention_blocks, "_FEWEST_ROWS", 8)
    monkeypatch.setattr(_attention_blocks, "_BLOCK", 1)
    assert _attention_blocks.rows_of_block(INPUTS[0], INPUTS[1]) == 8
    blocks = outcomes(*CASES[name], also)
    for a, b in zip(jax.tree.leaves(blocks), jax.tree.leaves(whole), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)
    if MASK is CASES[name][0]:
        assert not np.asarray(blocks[0])[:, [3, LENGTH - 1]].any()


def test_short_attention_is_done_at_once():
    query = jax.ShapeDtypeStruct((8, 128, 12, 64), np.float32)
    assert _attention_blocks.rows_of_block(query, query) is None


def test_memory_grows_with_the_length():
    def temporary(length):
        x = jax.ShapeDtypeStruct((1, length, 4, 16), np.float32)

        def loss(q, k, v):
            return _attention._attend(q, k, v, None, True, None, True, None, "", None).sum()

        step = jax.jit(jax.grad(loss, (0, 1, 2))).lower(x, x, x).compile()
        return step.memory_analysis().temp_size_in_bytes

    # The scores alone would be 1 GB.
    assert temporary(8192) < 120e6
