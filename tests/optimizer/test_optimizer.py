"""The shell: steps, rates, schedules, clips, what is skipped, whole compiled steps."""

from __future__ import annotations

import dataclasses
import gc
import weakref

import numpy as np
import pytest

import proa.ops as ops
from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionError,
    Tensor,
    UnsupportedError,
    context,
    interceptors,
)
from proa.jit import to_static
from proa.nn._clip import ClipGradBase, ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from proa.optimizer import SGD, Adam, AdamW, Momentum, Optimizer, lr
from proa.optimizer._rules import Rule
from proa.optimizer._update import update_op
from proa.program import Recorder
from proa.regularizer import L2Decay, WeightDecayRegularizer


@dataclasses.dataclass(frozen=True)
class SignRule(Rule):
    size: float

    def update(self, rate, param, grad, *state):
        return (param - rate * self.size * (grad > 0),)


class SignDescent(Optimizer):
    def __init__(self, learning_rate, size, parameters):
        super().__init__(learning_rate, parameters, size=size)

    def _make_rule(self, options, param):
        return SignRule(options["size"])


def test_an_optimizer_of_ones_own(parameter, run_steps):
    first, second = parameter([1.0]), parameter([1.0], "q")
    groups = [{"params": [first]}, {"params": [second], "size": 0.5}]
    assert run_steps(SignDescent(0.5, 1.0, groups), [first, second], [[3.0], [3.0]]) == [
        [0.5],
        [0.75],
    ]


def test_base_has_no_rule(parameter, run_steps):
    weight = parameter([1.0])
    with pytest.raises(UnsupportedError, match="Optimizer has no update rule"):
        run_steps(Optimizer(0.1, [weight]), [weight], [[1.0]])


def test_parameters_without_gradient_or_with_stop_gradient_are_left_out(parameter, run_steps):
    moved, without, stopped = (parameter([1.0], name) for name in "abc")
    stopped.stop_gradient = True
    params = [moved, without, stopped]
    optimizer = Momentum(0.5, 0.9, params)
    assert run_steps(optimizer, params, [[1.0], None, [1.0]]) == [[0.5], [1.0], [1.0]]
    assert list(optimizer.state_dict()) == ["a_velocity_0"]


def test_step_without_any_gradient_does_nothing(parameter):
    weight = parameter([1.0])
    SGD(0.5, [weight]).step()
    assert weight.numpy().tolist() == [1.0]


@pytest.mark.parametrize(
    ("set_to_zero", "expected"), [(True, [1 - 0.1 - 0.09]), (False, [1 - 0.1])]
)
def test_cleared_gradient_counts_as_zeros_or_not_at_all(
    parameter, run_steps, set_to_zero, expected
):
    # Recorded with paddle 3.3.1: after clear_grad() momentum goes on.
    weight = parameter([1.0])
    optimizer = Momentum(0.1, 0.9, [weight])
    run_steps(optimizer, [weight], [[1.0]])
    optimizer.clear_grad(set_to_zero)
    optimizer.step()
    assert weight.numpy().tolist() == pytest.approx(expected)


@pytest.mark.parametrize("name", ["clear_grad", "clear_gradients"])
def test_both_names_of_clearing(parameter, name):
    weight = parameter([1.0])
    weight.grad = Tensor([3.0])
    getattr(SGD(0.1, [weight]), name)()
    assert weight.grad.tolist() == [0.0]


def test_zero_grad_drops_gradients_unless_told_otherwise(parameter):
    weight = parameter([1.0])
    weight.grad = Tensor([3.0])
    SGD(0.1, [weight]).zero_grad(set_to_none=False)
    assert weight.grad.tolist() == [0.0]
    SGD(0.1, [weight]).zero_grad()
    assert weight.grad is None


def test_step_keeps_the_handles_and_views_follow(parameter, run_steps):
    weight = parameter([1.0, 2.0])
    view, version = weight.detach(), weight.inplace_version
    run_steps(SGD(0.5, [weight]), [weight], [[1.0, 1.0]])
    assert view.tolist() == [0.5, 1.5]
    assert weight.inplace_version == version + 1


def test_step_is_one_op(parameter, run_steps):
    seen = []

    def watch(op, tensors, key, proceed):
        seen.append(op.name)
        return proceed(op, tensors, key)

    params = [parameter([1.0], name) for name in "abc"]
    optimizer = Adam(0.1, parameters=params, grad_clip=ClipGradByGlobalNorm(1.0))
    for param in params:
        param.grad = Tensor([1.0])
    interceptors.append(watch)
    try:
        optimizer.step()
    finally:
        interceptors.remove(watch)
    assert seen == ["optimizer_update"]


# Memory: what a step overwrites is reused, unless somebody else holds it


def test_step_reuses_the_memory_it_overwrites(parameter, run_steps):
    weight = parameter(np.zeros(1024), "w")
    optimizer = Momentum(0.5, parameters=[weight])
    run_steps(optimizer, [weight], [np.ones(1024)])
    velocity = optimizer.state_dict()["w_velocity_0"]
    before = [t._data.unsafe_buffer_pointer() for t in (weight, velocity)]
    run_steps(optimizer, [weight], [np.ones(1024)])
    assert [t._data.unsafe_buffer_pointer() for t in (weight, velocity)] == before


def test_tape_keeps_the_parameters_it_was_made_with(parameter):
    weight = parameter([[2.0], [3.0]])
    x = Tensor([[1.0, 1.0]])
    x.stop_gradient = False
    loss = ops.matmul(x, weight)
    weight.grad = Tensor([[1.0], [1.0]])
    SGD(0.5, [weight]).step()
    loss.backward()
    assert x.grad.tolist() == [[2.0, 3.0]]
    assert weight.tolist() == [[1.5], [2.5]]


def test_arrays_that_others_hold_stay_readable(parameter, run_steps):
    weight = parameter([1.0, 2.0])
    array, seen = weight._data, np.asarray(weight._data)
    run_steps(SGD(0.5, [weight]), [weight], [[1.0, 1.0]])
    del array
    run_steps(SGD(0.5, [weight]), [weight], [[1.0, 1.0]])
    assert seen.tolist() == [1.0, 2.0]
    assert weight.tolist() == [0.0, 1.0]


# Learning rate


def test_rate_is_state_and_needs_no_new_code(parameter, run_steps):
    weight = parameter([8.0])
    optimizer = SGD(1.0, [weight])
    run_steps(optimizer, [weight], [[1.0]])
    kernels = sum(fn._cache_size() for fn in update_op.kernels.values())
    optimizer.set_lr(0.5)
    assert optimizer.get_lr() == 0.5
    assert run_steps(optimizer, [weight], [[1.0]]) == [[6.5]]
    optimizer.set_lr(2)
    assert run_steps(optimizer, [weight], [[1.0]]) == [[4.5]]
    assert sum(fn._cache_size() for fn in update_op.kernels.values()) == kernels


def test_schedule_sets_the_rate(parameter, run_steps):
    weight = parameter([8.0])
    schedule = lr.StepDecay(1.0, 1, 0.5)
    optimizer = SGD(schedule, [weight])
    run_steps(optimizer, [weight], [[1.0]])
    schedule.step()
    assert optimizer.get_lr() == 0.5
    assert run_steps(optimizer, [weight], [[1.0]]) == [[6.5]]


def test_schedule_can_be_exchanged(parameter):
    old, new = lr.StepDecay(1.0, 1, 0.5), lr.StepDecay(0.25, 1, 0.5)
    optimizer = SGD(old, [parameter([1.0])])
    optimizer.set_lr_scheduler(new)
    old.step()
    assert optimizer.get_lr() == 0.25
    assert float(optimizer._rate) == 0.25


def test_schedule_does_not_keep_the_optimizer_alive(parameter):
    schedule = lr.StepDecay(1.0, 1)
    optimizer = SGD(schedule, [parameter([1.0])])
    watched = weakref.ref(optimizer)
    del optimizer
    gc.collect()
    assert watched() is None


def test_rate_has_the_precision_of_the_parameters(parameter):
    assert SGD(0.1, [parameter([1.0])])._rate.dtype.name == "float32"
    assert SGD(0.1, [parameter([1.0], "p", "float64")])._rate.dtype.name == "float64"


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda p: SGD("a", [p]), InvalidTypeError, "the learning rate is a str"),
        (lambda p: SGD(None, [p]), InvalidTypeError, "the learning rate is a NoneType"),
        (lambda p: SGD(0.1, [p]).set_lr("a"), InvalidTypeError, "the learning rate is a str"),
        (
            lambda p: SGD(0.1, [p]).set_lr(lr.StepDecay(0.1, 2)),
            InvalidTypeError,
            "set_lr with a StepDecay",
        ),
        (
            lambda p: SGD(lr.StepDecay(0.1, 2), [p]).set_lr(0.5),
            PreconditionError,
            "rate follows StepDecay",
        ),
        (
            lambda p: SGD(0.1, [p]).set_lr_scheduler(0.1),
            InvalidTypeError,
            "set_lr_scheduler with a float",
        ),
    ],
)
def test_wrong_rates_are_named(parameter, act, error, message):
    with pytest.raises(error, match=message):
        act(parameter([1.0]))


def test_rate_cannot_be_set_while_a_function_is_compiled(parameter, monkeypatch):
    optimizer = SGD(0.1, [parameter([1.0])])
    monkeypatch.setattr(context, "recorder", Recorder())
    with pytest.raises(PreconditionError, match="the learning rate was set while"):
        optimizer.set_lr(0.5)


# Clips, regularizers, skipped steps


@pytest.mark.parametrize(
    ("clip", "expected"),
    [
        # Recorded with paddle 3.3.1.
        (ClipGradByGlobalNorm(1.0), [[-2.0, -2.0], [0.4, 1.2]]),
        (ClipGradByNorm(1.0), [[-2.0, -2.0], [0.4, 1.2]]),
        (ClipGradByValue(3.5), [[-2.0, -2.0], [-2.0, -1.5]]),
    ],
)
def test_clip_leaves_out_parameters_that_need_none(parameter, run_steps, clip, expected):
    free = parameter([1.0, 2.0], "free", need_clip=False)
    clipped = parameter([1.0, 2.0], "clipped")
    optimizer = SGD(1.0, [free, clipped], grad_clip=clip)
    values = run_steps(optimizer, [free, clipped], [[3.0, 4.0], [3.0, 4.0]])
    assert values == [pytest.approx(each) for each in expected]


def test_each_group_has_its_own_global_norm(parameter, run_steps):
    # Recorded with paddle 3.3.1.
    first, second = parameter([1.0, 2.0], "first"), parameter([1.0, 2.0], "second")
    groups = [{"params": [first]}, {"params": [second]}]
    optimizer = SGD(1.0, groups, grad_clip=ClipGradByGlobalNorm(1.0))
    values = run_steps(optimizer, [first, second], [[3.0, 4.0], [3.0, 4.0]])
    assert values == [pytest.approx([0.4, 1.2])] * 2


def test_limit_of_a_clip_may_change(parameter, run_steps):
    weight, clip = parameter([0.0]), ClipGradByNorm(1.0)
    optimizer = SGD(1.0, [weight], grad_clip=clip)
    run_steps(optimizer, [weight], [[3.0]])
    clip.clip_norm = 2.0
    assert run_steps(optimizer, [weight], [[3.0]]) == [pytest.approx([-3.0])]


def test_infinite_gradient_is_skipped_and_counted(parameter, run_steps):
    # paddle 3.3.1 and torch 2.13 give [nan, 2].
    weight = parameter([1.0, 2.0])
    optimizer = Adam(0.1, parameters=[weight], grad_clip=ClipGradByGlobalNorm(1.0))
    assert run_steps(optimizer, [weight], [[np.inf, 1.0]]) == [[1.0, 2.0]]
    assert optimizer.skipped_steps == 1
    assert optimizer.state_dict()["p_moment1_0"].tolist() == [0.0, 0.0]
    assert run_steps(optimizer, [weight], [[1.0, 1.0]]) == [pytest.approx([0.9, 1.9])]
    assert optimizer.skipped_steps == 1


def test_step_can_be_vetoed_from_outside(parameter, run_steps):
    weight = parameter([1.0])
    optimizer = SGD(0.5, [weight])
    optimizer._set_auxiliary_var("found_inf", Tensor([True]))
    assert run_steps(optimizer, [weight], [[1.0]]) == [[1.0]]
    optimizer._set_auxiliary_var("found_inf", Tensor([False]))
    assert run_steps(optimizer, [weight], [[1.0]]) == [[0.5]]
    assert optimizer._get_auxiliary_var("found_inf").tolist() == [False]
    assert optimizer.skipped_steps == 1


class HalvingClip(ClipGradBase):
    def __call__(self, params_grads):
        return [(param, Tensor(grad.numpy() / 2)) for param, grad in params_grads]


class Pull(WeightDecayRegularizer):
    def __call__(self, param, grad, block=None):
        return Tensor(param.numpy() - 3.0)


def test_clips_and_regularizers_of_ones_own_run_in_that_order(parameter, run_steps):
    weight, other = parameter([1.0], "weight"), parameter([1.0], "other", regularizer=L2Decay(0.5))
    optimizer = SGD(1.0, [weight, other], weight_decay=Pull(), grad_clip=HalvingClip())
    values = run_steps(optimizer, [weight, other], [[4.0], [4.0]])
    assert values == [[1 - (2 + 1 - 3)], [1 - (2 + 0.5)]]


def test_built_in_clip_comes_before_a_regularizer_of_ones_own(parameter, run_steps):
    weight = parameter([1.0])
    optimizer = SGD(1.0, [weight], weight_decay=Pull(), grad_clip=ClipGradByValue(1.0))
    assert run_steps(optimizer, [weight], [[4.0]]) == [[1 - (1 + 1 - 3)]]


# Other ways to step


def test_minimize_applies_the_gradients_that_are_there(parameter):
    weight, other = parameter([1.0], "weight"), parameter([1.0], "other")
    optimizer = SGD(0.5, [weight, other])
    weight.grad, other.grad = Tensor([1.0]), Tensor([1.0])
    loss = Tensor(0.0)
    operators, pairs = optimizer.minimize(loss, parameters=[weight])
    assert operators == []
    assert [param.name for param, _ in pairs] == ["weight"]
    assert (weight.tolist(), other.tolist()) == ([0.5], [1.0])
    optimizer.minimize(loss, no_grad_set={weight})
    assert (weight.tolist(), other.tolist()) == ([0.5], [0.5])


def test_minimize_without_backward_warns(parameter):
    with pytest.warns(UserWarning, match="minimize: no parameter has a gradient"):
        SGD(0.5, [parameter([1.0])]).minimize(Tensor(0.0))


def test_given_gradients_are_applied(parameter):
    weight, other = parameter([1.0], "weight"), parameter([1.0], "other")
    optimizer = SGD(0.5, [weight, other])
    optimizer.apply_gradients([(weight, Tensor([1.0])), (other, None)])
    assert (weight.tolist(), other.tolist()) == ([0.5], [1.0])
    with pytest.raises(InvalidArgumentError, match="parameter 'stranger' is not this optimizer's"):
        optimizer.apply_gradients([(parameter([1.0], "stranger"), Tensor([1.0]))])


def test_regularization_can_be_appended_to_gradients(parameter):
    weight, own = parameter([2.0], "w"), parameter([2.0], "o", regularizer=L2Decay(0.5))
    pairs = [(weight, Tensor([1.0])), (own, Tensor([1.0])), (weight, None)]
    result = SGD(0.5, [weight]).append_regularization_ops(pairs, L2Decay(0.25))
    assert [None if grad is None else grad.tolist() for _, grad in result] == [[1.5], [2.0], None]


# Whole compiled steps


def compiled_and_eager(make, parameter, steps=4):
    results = []
    for compiled in (False, True):
        weight = parameter(np.linspace(-1, 1, 12).reshape(4, 3), "weight")
        optimizer, schedule = make(weight)

        def step(x, weight=weight, optimizer=optimizer):
            ops.gelu(ops.matmul(x, weight)).mean().backward()
            optimizer.step()
            optimizer.clear_grad()

        run = to_static(step) if compiled else step
        for number in range(steps):
            run(Tensor(np.cos(np.arange(8.0, dtype="float32") + number).reshape(2, 4)))
            schedule.step()
        state = {k: v.numpy().tolist() for k, v in optimizer.state_dict().items() if k[0] == "w"}
        results.append((weight.numpy().tolist(), state, optimizer.skipped_steps))
    return results


@pytest.mark.parametrize("clip", [None, ClipGradByGlobalNorm(0.1)], ids=["plain", "clipped"])
def test_compiled_step_equals_the_eager_one_while_the_rate_changes(parameter, clip):
    def make(weight):
        schedule = lr.ExponentialDecay(0.1, 0.5)
        return AdamW(schedule, parameters=[weight], grad_clip=clip), schedule

    eager, compiled = compiled_and_eager(make, parameter)
    assert compiled[0] == [pytest.approx(row, abs=1e-6) for row in eager[0]]
    assert compiled[1].keys() == eager[1].keys()


def test_compiled_step_is_compiled_once_while_the_rate_changes(parameter):
    weight = parameter([[1.0, 2.0]], "weight")
    schedule = lr.ExponentialDecay(0.1, 0.5)
    optimizer = Adam(schedule, parameters=[weight])
    recorded = []

    @to_static
    def step(x):
        recorded.append(1)
        ops.matmul(x, weight).sum().backward()
        optimizer.step()
        optimizer.clear_grad(False)

    for _ in range(4):
        step(Tensor([[1.0]]))
        schedule.step()
    assert len(recorded) == 1
    first = float(weight.numpy()[0, 0])
    # Adam with a constant gradient moves by the rate: 0.1 * (1 + 1/2 + 1/4 + 1/8).
    assert first == pytest.approx(1 - 0.1875, abs=1e-5)


def test_compiled_step_skips_an_infinite_gradient(parameter):
    weight = parameter([[1.0]], "weight")
    optimizer = SGD(0.5, [weight], grad_clip=ClipGradByGlobalNorm(1.0))

    @to_static
    def step(x):
        ops.matmul(x, weight).sum().backward()
        optimizer.step()
        optimizer.clear_grad(False)

    for value in (np.inf, 1.0, np.inf):
        step(Tensor([[value]]))
    assert weight.tolist() == [[0.5]]
    assert optimizer.skipped_steps == 2
