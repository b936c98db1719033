from __future__ import annotations

import jax
import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.program import Printing, record_effect, verify
from proa.program.passes import apply_passes, recompute
from tests.program.passes.programs import bound, normal, ops, record, same


def deep(x):
    for _ in range(8):
        x = proa.sin(proa.exp(x * 0.1))
    return x


def gradient(program, x):
    fn = program.function()
    outputs, pull = jax.vjp(lambda a: fn(a)[0], x)
    kept = sum(leaf.size for leaf in jax.tree_util.tree_leaves(pull) if hasattr(leaf, "size"))
    return pull(np.ones_like(outputs))[0], kept


def test_gradients_are_the_same_and_less_is_kept():
    before = bound(deep, ("batch", 4))
    after, report = apply_passes(before, [("recompute", {"segments": 3})])
    assert ops(after) == ["region"] * 3
    assert report.steps[0].notes == {"segments made": 3}
    x = normal(2, 4)
    same(before, after, x)
    (expected, much), (got, little) = gradient(before, x), gradient(after, x)
    np.testing.assert_allclose(got, expected, rtol=1e-5)
    assert little < much / 2
    assert recompute(after) == (after, {})
    assert len(ops(recompute(before)[0])) == 5


def test_segments_follow_layers():
    net = proa.nn.Sequential(*[proa.nn.Linear(3, 3) for _ in range(4)])
    program, arrays = record(lambda x: proa.exp(net(proa.sin(x))), (2, 3))
    for i, value in enumerate(program.captures):
        value.name = f"blocks.{i // 4}.{'ab'[i // 2 % 2]}.{'wb'[i % 2]}"
    after = verify(recompute(program, layers=["blocks.*"])[0])
    assert ops(after) == ["sin", "region", "region", "exp"]
    same(program, after, normal(2, 3), *arrays)
    with pytest.raises(InvalidArgumentError, match=r"no call belongs .*\n.*blocks.0.a"):
        recompute(program, layers=["encoder.*"])


def test_effects_are_not_done_twice():
    def fn(x):
        y = proa.exp(x)
        record_effect(Printing(["y"]), [y])
        return proa.sin(proa.cos(y))

    program = bound(fn, (3,))
    after = recompute(program, segments=1)[0]
    assert after is program


def test_a_number_of_segments_is_positive():
    with pytest.raises(InvalidArgumentError, match="`segments` of the pass recompute is 0"):
        recompute(bound(deep, (3,)), segments=0)
