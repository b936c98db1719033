"""Executors: training equals dynamic training, feeds are checked."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn, static
from proa.core import InvalidArgumentError, InvalidTypeError, PreconditionError

GIVEN = np.random.default_rng(0).normal(size=(6, 4)).astype("float32")
LABELS = (GIVEN[:, 0] > 0).astype("int64")


def network():
    proa.seed(3)
    return nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1D(5), nn.ReLU(), nn.Linear(5, 2))


def train_dynamic(make_optimizer):
    net = network()
    optimizer = make_optimizer(net.parameters())
    losses = []
    for size in (6, 4, 5):
        loss = nn.functional.cross_entropy(
            net(proa.to_tensor(GIVEN[:size])), proa.to_tensor(LABELS[:size])
        )
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
    return losses, [p.numpy() for p in net.parameters()]


def train_static(make_optimizer):
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x, y = static.data("x", [None, 4]), static.data("y", [None], "int64")
        net = network()
        loss = nn.functional.cross_entropy(net(x), y)
        make_optimizer(None).minimize(loss)
    executor = static.Executor()
    assert executor.run(startup) == []
    losses = [
        executor.run(main, {"x": GIVEN[:size], "y": LABELS[:size]}, [loss])[0].item()
        for size in (6, 4, 5)
    ]
    return losses, [p.numpy() for p in net.parameters()]


@pytest.mark.parametrize(
    "make_optimizer",
    [
        lambda params: proa.optimizer.SGD(0.1, params),
        lambda params: proa.optimizer.AdamW(
            0.1, parameters=params, grad_clip=nn.ClipGradByGlobalNorm(0.5)
        ),
    ],
    ids=["SGD", "AdamW"],
)
def test_static_training_is_dynamic_training(make_optimizer):
    losses, weights = train_static(make_optimizer)
    expected, wanted = train_dynamic(make_optimizer)
    np.testing.assert_allclose(losses, expected, rtol=1e-4)
    for found, right in zip(weights, wanted, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-3, atol=1e-5)


def test_a_schedule_moves_between_runs():
    main = static.Program()
    with static.program_guard(main):
        weight = static.create_parameter([1], "float32", attr=nn.initializer.Constant(1.0))
        schedule = proa.optimizer.lr.StepDecay(0.5, 1, 0.1)
        proa.optimizer.SGD(schedule).minimize((weight * 1.0).sum())
    executor, seen = static.Executor(), []
    for _ in range(3):
        executor.run(main)
        schedule.step()
        seen.append(weight.item())
    assert seen == pytest.approx([0.5, 0.45, 0.445])


def test_enable_static_records_into_the_default_program():
    proa.enable_static()
    try:
        x = static.data("x of enable_static", [None, 2])
        y = x * 2
        (found,) = static.Executor().run(
            feed={"x of enable_static": [[1.0, 2.0]]}, fetch_list=[y], return_numpy=False
        )
        assert not proa.in_dynamic_mode()
    finally:
        proa.disable_static()
    assert found.tolist() == [[2.0, 4.0]]


def test_only_what_is_needed_is_fed_and_run():
    main = static.Program()
    with static.program_guard(main):
        x, unused = static.data("x", [2]), static.data("unused", [2])
        y = x + 1
        unused * 2
    run = static.Executor().run
    assert run(main, {"x": [1, 2]}, ["x", y])[1].tolist() == [2.0, 3.0]
    assert run(static.CompiledProgram(main), [{"x": [1, 2]}], y)[0].tolist() == [2.0, 3.0]


def program():
    main = static.Program()
    with static.program_guard(main):
        x, number = static.data("x", [None, 2]), static.data("number", [1], "int64")
        y = x * number
    return main, y


@pytest.mark.parametrize(
    ("error", "feed", "message"),
    [
        (InvalidArgumentError, {"number": [1]}, "`feed` has no 'x'"),
        (InvalidArgumentError, {"x": [[1.0, 2.0, 3.0]], "number": [1]}, r"'x' is float64\[1, 3\]"),
        (InvalidArgumentError, {"x": [[1.0, 2.0]], "number": [1.5]}, "'number' is float64"),
        (InvalidArgumentError, {"z": [1]}, "`feed` has 'z'"),
        (InvalidTypeError, 3, "`feed` is a int"),
    ],
)
def test_wrong_feeds(error, feed, message):
    main, y = program()
    with pytest.raises(error, match=message):
        static.Executor().run(main, feed, [y])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: static.Executor().run(3), "Executor.run of a int"),
        (lambda: static.CompiledProgram(3), "CompiledProgram of a int"),
        (lambda: static.Executor().run(program()[0], fetch_list=[3]), "`fetch_list` has a int"),
    ],
)
def test_wrong_programs(call, message):
    with pytest.raises(InvalidTypeError, match=message):
        call()


def test_a_tensor_of_another_program_is_refused():
    main, _ = program()
    _, other = program()
    with pytest.raises(InvalidArgumentError, match="is no tensor of this Program"):
        static.Executor().run(main, {"x": [[1.0, 1.0]], "number": [1]}, [other])


def test_an_optimizer_whose_parameters_are_loaded_apart_needs_a_new_program():
    main = static.Program()
    with static.program_guard(main):
        names = ("first", "second")
        params = [static.create_parameter([1], "float32", name=name) for name in names]
        optimizer = proa.optimizer.Adam(0.1)
        optimizer.minimize((params[0] * params[1]).sum())
        test = main.clone(for_test=True)
    executor = static.Executor()
    executor.run(main)
    state = {key: value.numpy() for key, value in optimizer.state_dict().items()}
    optimizer.set_state_dict(state)
    executor.run(main)
    optimizer.set_state_dict({**state, "second_beta1_pow_acc_0": np.float32([0.5])})
    with pytest.raises(PreconditionError, match="Adam is not as the Program has it"):
        executor.run(main)
    assert executor.run(test) == []


def test_computed_tensors_are_fetched_and_fed_by_name():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 2])
        x.stop_gradient = False
        hidden = x * 2
        hidden.name = "hidden"
        total = (hidden * hidden).sum()
        (slope,) = static.gradients(total, x)
        (again,) = static.gradients(total, hidden)
    run, feed = static.Executor().run, {"x": np.ones([1, 2], "float32")}
    assert run(main, feed, ["hidden"])[0].tolist() == [[2, 2]]
    assert run(main, feed, ["hidden@GRAD", "x@GRAD"])[1].tolist() == [[8, 8]]
    assert run(main, feed, [total.name, slope, again])[0] == 8
    assert run(main, {"hidden": [[3.0, 4.0]]}, [total, again])[0] == 25
    assert run(main.clone(for_test=True), {"hidden": [[3.0, 4.0]]}, [total.name])[0] == 25
    # What lies before a fed tensor is not computed; what takes another way is.
    with pytest.raises(InvalidArgumentError, match="`feed` has no 'x'"):
        run(main, {"hidden": [[3.0, 4.0]]}, [x])
    with pytest.raises(InvalidArgumentError, match=r"`feed` of 'hidden' is"):
        run(main, {"hidden": [1.0]}, [total])


def test_gradients_of_gradients():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2])
        x.stop_gradient = False
        (first,) = static.gradients(x**3, x)
        (second,) = static.gradients(first, x)
        (third,) = static.gradients(second, x)
    found = static.Executor().run(main, {"x": [1.0, 2.0]}, [first, second, third])
    assert [each.tolist() for each in found] == [[3, 12], [6, 12], [6, 6]]


def test_gradients_of_parameters_have_names():
    main = static.Program()
    with static.program_guard(main):
        weight = static.create_parameter([2], "float32", name="named")
        static.append_backward((weight * weight).sum())
    (found,) = static.Executor().run(main, fetch_list=["named@GRAD"])
    np.testing.assert_allclose(found, 2 * weight.numpy(), rtol=1e-6)
