"""The pure update rules: state, dtypes, and what four recorded steps do not reach."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from proa.optimizer import _rules
from proa.optimizer._rules import Slot

ALL = [
    _rules.SGDRule(),
    _rules.MomentumRule(),
    _rules.MomentumRule(use_nesterov=True),
    _rules.AdamRule(),
    _rules.AdamRule(amsgrad=True, decay=0.1),
    _rules.AdamaxRule(),
    _rules.AdagradRule(),
    _rules.AdadeltaRule(),
    _rules.RMSPropRule(),
    _rules.RMSPropRule(centered=True),
    _rules.LambRule(),
    _rules.NAdamRule(),
    _rules.RAdamRule(),
    _rules.RpropRule(),
    _rules.ASGDRule(2),
]


def start(rule, param):
    return [
        jnp.full(slot.shape_for(param.shape), slot.fill, "int64" if slot.is_counter else None)
        if slot.is_counter
        else jnp.full(slot.shape_for(param.shape), slot.fill, param.dtype)
        for slot in rule.slots()
    ]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rule", ALL, ids=lambda rule: type(rule).__name__)
def test_update_keeps_shapes_and_dtypes(rule, dtype):
    param = jnp.ones((2, 3), dtype)
    state = start(rule, param)
    rate = jnp.asarray(0.1, dtype)
    new = jax.jit(rule.update)(rate, param, 2 * param, *state)
    assert [(x.shape, x.dtype) for x in new] == [(x.shape, x.dtype) for x in (param, *state)]
    assert (np.asarray(new[0]) < 1).all()


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: type(rule).__name__)
def test_scalar_parameter_moves_against_its_gradient(rule):
    param = jnp.asarray(1.0)
    new, *_ = rule.update(jnp.asarray(0.1), param, jnp.asarray(-1.0), *start(rule, param))
    assert new > 1


def test_equal_rules_are_one_key_of_a_cache():
    assert hash(_rules.AdamRule(0.5)) == hash(_rules.AdamRule(0.5))
    assert _rules.AdamRule(0.5) != _rules.AdamRule(0.25)


def test_slot_shapes():
    assert Slot("m").shape_for((2, 3)) == (2, 3)
    assert Slot("pow", 0.9, 0).shape_for((2, 3)) == (1,)
    assert Slot("y", 0.0, 4).shape_for((2, 3)) == (4, 2, 3)


def test_radam_scales_once_it_has_seen_enough():
    # Recorded with paddle 3.3.1: RAdam(0.1, 0.8, 0.99, 1e-2), gradient cos([0, 1, 2] + step).
    recorded = {
        5: [0.3465235046710908, -0.9413448030442215, 2.2169504771494517],
        9: [0.33804930002064715, -0.9401721787850907, 2.227063956270375],
    }
    rule = _rules.RAdamRule(0.8, 0.99, 1e-2)
    param = jnp.asarray([0.5, -1.0, 2.0], "float64")
    state = start(rule, param)
    for step in range(10):
        grad = jnp.cos(jnp.arange(3.0) + step)
        param, *state = rule.update(jnp.asarray(0.1, "float64"), param, grad, *state)
        if step in recorded:
            assert np.asarray(param).tolist() == pytest.approx(recorded[step], abs=1e-6)


def test_lamb_without_norm_takes_the_step_as_it_is():
    rule = _rules.LambRule(0.1, 0.0, 0.0, 0.0)
    param = jnp.zeros(2)
    state = start(rule, param)
    moved, *_ = rule.update(jnp.asarray(0.5), param, jnp.asarray([1.0, -4.0]), *state)
    assert np.asarray(moved).tolist() == [-0.5, 0.5]
    kept, *_ = _rules.LambRule(0.1).update(jnp.asarray(0.5), param, param, *state)
    assert np.asarray(kept).tolist() == [0.0, 0.0]


def test_adam_makes_a_first_step_of_the_rate_for_any_gradient_size():
    # By hand: both corrections cancel, m / sqrt(v) is the gradient's sign.
    rule = _rules.AdamRule(epsilon=0.0)
    param = jnp.zeros(3, "float64")
    grad = jnp.asarray([1e-8, 1.0, -1e8], "float64")
    moved, *_ = rule.update(jnp.asarray(0.25, "float64"), param, grad, *start(rule, param))
    assert np.asarray(moved) == pytest.approx([-0.25, -0.25, 0.25])
