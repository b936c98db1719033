from __future__ import annotations

import warnings

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError, ProgramError, set_flags
from proa.jit import to_static
from proa.static import InputSpec
from tests.ops.harness import same

nn = proa.nn


def mlp():
    proa.seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 4))


def make_step(net, optimizer):
    def step(x, y):
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    return step


@pytest.fixture
def batch():
    random = np.random.default_rng(0)
    x = proa.to_tensor(random.normal(size=(6, 8)).astype(np.float32))
    return x, proa.to_tensor(random.integers(0, 4, size=(6,)))


def train(compiled, batch, steps=5):
    net = mlp()
    schedule = proa.optimizer.lr.ExponentialDecay(0.01, 0.9)
    optimizer = proa.optimizer.Adam(schedule, parameters=net.parameters())
    step = make_step(net, optimizer)
    step = to_static(step, full_graph=True) if compiled else step
    losses = []
    for _ in range(steps):
        losses.append(float(step(*batch)))
        schedule.step()
    return losses, [p.numpy() for p in net.parameters()], step


@pytest.mark.smoke
def test_a_whole_training_step_compiles_once_and_equals_eager(batch):
    eager, eager_weights, _ = train(False, batch)
    losses, weights, step = train(True, batch)
    np.testing.assert_allclose(losses, eager, rtol=1e-5)
    for ours, theirs in zip(weights, eager_weights, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)
    assert step.num_variants == 1
    assert losses[-1] < losses[0]


def test_snapshots_taken_before_a_step_stay_valid(batch):
    net = mlp()
    optimizer = proa.optimizer.SGD(0.1, parameters=net.parameters())
    step = to_static(make_step(net, optimizer), full_graph=True)
    weight = net[0].weight
    clone, before = weight.clone(), weight.numpy()
    alias = weight.detach()
    step(*batch)
    step(*batch)
    np.testing.assert_array_equal(clone.numpy(), before)
    np.testing.assert_array_equal(alias.numpy(), weight.numpy())
    assert not np.array_equal(weight.numpy(), before)


def test_running_statistics_are_state(batch):
    net = nn.BatchNorm1D(8)
    forward = to_static(lambda x: net(x), full_graph=True)
    other = nn.BatchNorm1D(8)
    for _ in range(3):
        forward(batch[0])
        other(batch[0])
    np.testing.assert_allclose(net._mean.numpy(), other._mean.numpy(), rtol=1e-5)
    assert not np.allclose(net._mean.numpy(), 0.0)
    net.eval()
    before = net._mean.numpy()
    forward(batch[0])
    np.testing.assert_array_equal(net._mean.numpy(), before)
    assert "eval mode" in str(forward.explain())


def test_gradients_accumulate_over_calls_as_in_eager(batch):
    net = nn.Linear(8, 4)

    @to_static(full_graph=True)
    def backward(x):
        net(x).sum().backward()

    net(batch[0]).sum().backward()
    once = net.weight.grad.numpy()
    net.clear_gradients()
    for _ in range(3):
        backward(batch[0])
    np.testing.assert_allclose(net.weight.grad.numpy(), 3 * once, rtol=1e-5)


def test_backward_through_a_compiled_forward_equals_eager(batch):
    net = mlp()
    net.eval()
    compiled = to_static(net.forward, full_graph=True)
    compiled(batch[0]).sum().backward()
    ours = [p.grad.numpy() for p in net.parameters()]
    net.clear_gradients()
    net(batch[0]).sum().backward()
    for a, p in zip(ours, net.parameters(), strict=True):
        np.testing.assert_allclose(a, p.grad.numpy(), rtol=1e-5, atol=1e-6)


def test_freezing_a_parameter_is_noticed(batch):
    net = nn.Linear(8, 4)
    optimizer = proa.optimizer.SGD(0.1, parameters=net.parameters())
    step = to_static(make_step(net, optimizer), full_graph=True)
    step(*batch)
    net.weight.stop_gradient = True
    frozen = net.weight.numpy()
    step(*batch)
    np.testing.assert_array_equal(net.weight.numpy(), frozen)
    assert step.num_variants == 2


def test_the_same_number_in_any_spelling_is_one_variant():
    # numpyro#463, JAX#1239: a Python float, a NumPy scalar and a 0-d array are one program.
    scaled = to_static(lambda x, factor: x * factor, full_graph=True)
    x = proa.ones([2])
    for factor in (1.0, np.float32(1), np.array(1.0), 2.5):
        assert scaled(x, factor).tolist() == [float(factor)] * 2
    assert scaled.num_variants == 1


def test_a_number_keeps_the_tensors_dtype():
    scaled = to_static(lambda x, factor: x * factor, full_graph=True)
    assert scaled(proa.ones([2], "float16"), 2.0).dtype == "float16"
    assert scaled(proa.ones([2], "int32"), 2.5).dtype == "float32"


def test_a_number_that_decides_becomes_part_of_the_signature():
    chosen = to_static(lambda x, t: x * 2 if t > 1.5 else x, full_graph=True)
    x = proa.ones([1])
    assert [chosen(x, t).item() for t in (2.0, 1.0, 2.0)] == [2.0, 1.0, 2.0]
    assert chosen.num_variants == 2


def test_explain_speaks_the_users_terms():
    add = to_static(lambda x, flag=True: x + 1, full_graph=True)
    add(proa.ones([37, 4]))
    add(proa.ones([41, 4]))
    add(proa.ones([41, 4]), flag=False)
    reasons = [variant.reason for variant in add.explain()]
    assert reasons[:2] == ["first call", "dim 0 of `x`: 37 -> 41"]
    assert "because" in str(add.explain())


def test_a_compile_budget_is_kept():
    add = to_static(lambda x: x + 1, full_graph=True)
    set_flags({"FLAGS_compile_budget": 1})
    try:
        add(proa.ones([1]))
        with pytest.raises(InvalidArgumentError, match=r"compile number 2 .*dim 0 of `x`: 1 -> 2"):
            add(proa.ones([2]))
    finally:
        set_flags({"FLAGS_compile_budget": 0})


def test_old_variants_are_dropped():
    add = to_static(lambda x: x + 1, full_graph=True)
    set_flags({"FLAGS_max_compiled_variants": 2})
    try:
        for size in range(1, 5):
            add(proa.ones([size]))
        assert sum(map(len, add._entries.values())) == 2
    finally:
        set_flags({"FLAGS_max_compiled_variants": 64})


def test_an_unknown_batch_is_recorded_once():
    # P#65106: unpacked sizes of a None batch multiply correctly, also through another layer.
    class Inner(nn.Layer):
        def forward(self, x):
            a, b, c = x.shape
            return proa.reshape(x, [a * b, c])

    class Outer(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x):
            return self.inner(x)

    net = to_static(Outer(), input_spec=[InputSpec([None, 4, 3])], full_graph=True)
    assert [net(proa.ones([b, 4, 3])).shape for b in (1, 2)] == [[4, 3], [8, 3]]
    assert net.forward.num_variants == 1
    with pytest.raises(InvalidArgumentError, match="5 is not 3"):
        net(proa.ones([1, 4, 5]))
    with pytest.raises(InvalidTypeError, match="has dtype float64"):
        net(proa.ones([1, 4, 3], "float64"))


def test_code_that_cannot_be_recorded_falls_back_with_one_warning_or_raises():
    def odd(x):
        return x * 2 if x.sum().numpy() > 0 else x

    lenient = to_static(odd)
    with pytest.warns(UserWarning, match=r"runs uncompiled: numpy\(\) at .*test_static_function"):
        assert lenient(proa.ones([2])).tolist() == [2.0, 2.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lenient(proa.zeros([2])).tolist() == [0.0, 0.0]
    with pytest.raises(ProgramError, match="needs the elements"):
        to_static(odd, full_graph=True)(proa.ones([2]))


def test_methods_are_compiled_per_instance():
    class Scaler:
        def __init__(self, factor):
            self.factor = factor

        @to_static
        def apply(self, x):
            return x * self.factor

    assert [Scaler(f).apply(proa.ones([1])).item() for f in (2.0, 3.0)] == [2.0, 3.0]


def test_structures_go_in_and_come_out():
    @to_static(full_graph=True)
    def swap(pair, named):
        return {"sum": pair[0] + named["z"], "rest": (pair[1], "text", None)}

    out = swap([proa.ones([1]), proa.zeros([1])], named={"z": proa.ones([1])})
    assert out["sum"].item() == 2.0
    assert out["rest"][0].item() == 0.0
    assert out["rest"][1:] == ("text", None)


@pytest.mark.parametrize("bad", [3, "text"])
def test_what_cannot_be_called_is_refused(bad):
    with pytest.raises(InvalidTypeError, match="to_static was given"):
        to_static(bad)


def test_generators_are_refused():
    def generate(x):
        yield x

    with pytest.raises(InvalidTypeError, match="generator or coroutine"):
        to_static(generate)


def test_compilation_can_be_switched_off():
    add = to_static(lambda x: x + 1, full_graph=True)
    proa.jit.enable_to_static(False)
    try:
        assert add(proa.ones([1])).item() == 2.0
    finally:
        proa.jit.enable_to_static(True)
    assert add.num_variants == 0
    with pytest.raises(ProgramError, match="has no Program yet"):
        _ = add.concrete_program


def test_a_compiled_function_inside_another_is_inlined():
    inner = to_static(lambda x: x * 2, full_graph=True)
    outer = to_static(lambda x: inner(x) + 1, full_graph=True)
    assert outer(proa.ones([1])).item() == 3.0
    assert inner.num_variants == 0


def test_gradients_sum_up_over_calls_as_uncompiled_ones_do() -> None:
    def run(compiled: bool) -> list[float]:
        weight = proa.to_tensor([1.0], stop_gradient=False)
        optimizer = proa.optimizer.SGD(1.0, parameters=[weight])

        def step(x: object, update: bool) -> None:
            (weight * x).sum().backward()
            if update:
                optimizer.step()
                optimizer.clear_grad()

        function = proa.jit.to_static(step, full_graph=True) if compiled else step
        seen = []
        for number in range(1, 10):
            function(proa.to_tensor([float(number)]), number % 3 == 0)
            seen += [float(weight), float(weight.grad)]
        return seen

    # Each cycle of three calls makes gradients anew; the compiled calls must find those.
    assert run(True) == run(False)


def test_what_it_says_of_itself():
    def positive(x, k=2):
        return x * k if x.sum() > 0 else x

    compiled = to_static(positive, input_spec=[proa.static.InputSpec([None], name="x")])
    assert "ag__.if_exp" in compiled.code
    assert compiled.function_spec[0].name == "x"
    assert compiled.class_instance is None
    with pytest.raises(ProgramError, match="has no Program yet"):
        _ = compiled.main_program
    program = compiled.get_concrete_program(proa.ones([2]))
    assert program is compiled.main_program is compiled.program_cache[-1]
    assert [v.name for v in compiled.inputs] == ["x"]
    assert [str(v.dtype) for v in compiled.outputs] == ["float32"]
    assert compiled.get_traced_count() == 1
    assert compiled.rollback() is positive
    with pytest.raises(ProgramError, match="`len` has no converted source"):
        _ = to_static(len).code
    with pytest.raises(ProgramError, match=r"train\(\) of the function `positive`"):
        compiled.train()
    net = to_static(proa.nn.Dropout(0.5))
    net.forward.eval()
    assert not net.training
    net.forward.train()
    assert net.training


def test_repeated_calls_see_whatever_else_has_changed():
    scale = [2.0]

    @proa.jit.to_static(full_graph=True)
    def f(x, y):
        return (x * y).sum() * scale[0]

    x, y = proa.to_tensor([1.0, 2.0]), proa.to_tensor([3.0, 4.0])
    for _ in range(3):
        same(f(x, y), 22.0, "float32")
    same(f(x, x), 10.0, "float32")
    same(f(x, y), 22.0, "float32")
    same(f(x=x, y=y), 22.0, "float32")
    scale[0] = 3.0
    same(f(x, y), 33.0, "float32")
    same(f(x.astype("float64"), y), 33.0, "float64")
    y.stop_gradient = False
    for _ in range(2):
        f(x, y).backward()
    same(y.grad, [6.0, 12.0], "float32")
    y.stop_gradient = True
    with proa.amp.auto_cast(level="O2", dtype="bfloat16"):
        assert f(x, y).dtype in (proa.float32, proa.bfloat16)
    same(f(x, y), 33.0, "float32")
