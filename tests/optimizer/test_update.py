"""The pure update of all parameters: clips, vetoes, master weights, low precision."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from proa.nn._clip import ClipRule
from proa.optimizer._rules import MomentumRule, SGDRule
from proa.optimizer._update import ParameterPlan, UpdatePlan, compute_dtype, run_plan, update_op

RATE = jnp.asarray(1.0, "float32")


def arrays(*values):
    return [jnp.asarray(value, "float32") for value in values]


def lists(outputs):
    return [np.asarray(output).tolist() for output in outputs]


def test_order_of_inputs_and_outputs():
    plan = UpdatePlan((ParameterPlan(SGDRule(), ()), ParameterPlan(MomentumRule(0.5), (-1,))))
    grads, state = arrays([1.0], [2.0]), arrays([10.0], [20.0], [4.0])
    assert lists(run_plan(plan, RATE, [*grads, *state])) == [[9.0], [16.0], [4.0]]


def test_rate_factor_gradient_factor_and_penalty():
    each = ParameterPlan(SGDRule(), (), rate_factor=0.5, grad_factor=0.25, penalty=("l2", 0.1))
    (new,) = run_plan(UpdatePlan((each,)), RATE, arrays([8.0], [10.0]))
    assert new.tolist() == [10.0 - 0.5 * (2.0 + 1.0)]


def test_clipping_comes_before_weight_decay_and_once_a_clip():
    plan = UpdatePlan(
        (
            ParameterPlan(SGDRule(), (), clip=0, penalty=("l1", 1.0)),
            ParameterPlan(SGDRule(), (), clip=1),
            ParameterPlan(SGDRule(), ()),
        ),
        (ClipRule("value", 2.0, -2.0), ClipRule("global_norm", 1.0)),
    )
    flat = arrays([5.0], [3.0, 4.0], [7.0]), arrays([0.5], [0.0, 0.0], [0.0])
    count, *new = run_plan(plan, RATE, [*flat[0], jnp.asarray(3, "int32"), *flat[1]])
    assert int(count) == 3
    assert new[0].tolist() == [-2.5]
    assert new[1].tolist() == pytest.approx([-0.6, -0.8])
    assert new[2].tolist() == [-7.0]


@pytest.mark.parametrize("kind", ["norm", "global_norm"])
@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_step_with_a_norm_that_is_not_finite_changes_nothing(kind, bad):
    plan = UpdatePlan(
        (ParameterPlan(MomentumRule(), (-1,), clip=0), ParameterPlan(SGDRule(), ())),
        (ClipRule(kind, 1.0),),
    )
    grads, state = arrays([bad, 1.0], [1.0]), arrays([1.0, 2.0], [3.0, 4.0], [5.0])
    count, *new = run_plan(plan, RATE, [*grads, jnp.asarray(3, "int32"), *state])
    assert int(count) == 4
    assert lists(new) == lists(state)


@pytest.mark.parametrize(("veto", "expected"), [(True, [10.0]), (False, [9.0])])
def test_veto_from_outside(veto, expected):
    plan = UpdatePlan((ParameterPlan(SGDRule(), ()),), has_veto=True)
    flat = [jnp.asarray([veto]), *arrays([1.0]), jnp.asarray(0, "int32"), *arrays([10.0])]
    count, new = run_plan(plan, RATE, flat)
    assert int(count) == int(veto)
    assert new.tolist() == expected


def test_master_weight_gathers_what_the_parameter_cannot_hold():
    plan = UpdatePlan((ParameterPlan(SGDRule(), (), rate_factor=1e-3, has_master=True),))
    param, master = jnp.asarray([1.0], "bfloat16"), jnp.asarray([0.0], "float32")
    grad = jnp.asarray([1.0], "bfloat16")
    for _ in range(4):
        param, master = run_plan(plan, RATE, [grad, param, master])
    assert param.dtype == jnp.bfloat16
    assert np.asarray(master).tolist() == pytest.approx([0.996], abs=1e-6)
    assert param.tolist() == [0.99609375]


def test_master_weight_follows_a_parameter_that_was_written_from_outside():
    plan = UpdatePlan((ParameterPlan(SGDRule(), (), has_master=True),))
    param, master = jnp.asarray([1.0, 8.0], "bfloat16"), jnp.asarray([1.001, 2.0], "float32")
    grad = jnp.asarray([0.0, 1.0], "bfloat16")
    _, master = run_plan(plan, RATE, [grad, param, master])
    assert np.asarray(master).tolist() == pytest.approx([1.001, 7.0])


def test_half_precision_without_master_is_computed_in_float32():
    plan = UpdatePlan((ParameterPlan(MomentumRule(0.5), (-1,)),))
    half, wide = jnp.asarray([300.0], "float16"), jnp.asarray([0.0], "float32")
    grad = jnp.asarray([60000.0], "float16")
    param, velocity = run_plan(plan, jnp.asarray(1e-3, "float32"), [grad, half, wide])
    param, velocity = run_plan(plan, jnp.asarray(1e-3, "float32"), [grad, param, velocity])
    assert velocity.tolist() == [90000.0]
    assert param.dtype == jnp.float16
    assert param.tolist() == [150.0]


def test_plans_with_equal_content_share_compiled_code():
    first, second = (UpdatePlan((ParameterPlan(MomentumRule(0.5), (-1,)),)) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    assert first != UpdatePlan((ParameterPlan(MomentumRule(0.25), (-1,)),))


def test_shapes_of_the_outputs_are_known_without_tracing():
    plan = UpdatePlan((ParameterPlan(SGDRule(), ()), ParameterPlan(MomentumRule(0.5), (-1,))))
    inputs = [RATE, *arrays([1.0], [2.0, 3.0]), *arrays([10.0], [2.0, 3.0], [4.0, 5.0])]
    outputs = jax.eval_shape(update_op.array_fn(plan), *inputs)
    assert update_op.infer(plan, inputs) == tuple((o.shape, o.dtype) for o in outputs)


def test_arithmetic_is_float32_at_least():
    dtypes = ("float16", "bfloat16", "float32", "float64", "int64")
    found = [np.dtype(compute_dtype(jnp.dtype(dtype))).name for dtype in dtypes]
    assert found == ["float32", "float32", "float32", "float64", "int64"]
