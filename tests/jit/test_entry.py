from __future__ import annotations

import copy
import gc
import pickle
import signal
import threading
import weakref

import jax
import numpy as np
import pytest

import proa
from proa.core import NonFiniteError, PreconditionError, set_flags
from proa.jit import to_static

nn = proa.nn


def wanted(*values):
    return proa.to_tensor(list(values), stop_gradient=False)


def both(function):
    return function, to_static(function, full_graph=True)


def test_a_write_to_an_argument_reaches_the_callers_tensor_and_its_base():
    for add_one in both(lambda x: x.add_(proa.ones([1]))):
        base = proa.zeros([2])
        for _ in range(2):
            add_one(base[1:])
        assert base.tolist() == [0.0, 2.0]


def test_one_tensor_passed_twice_is_one_tensor():
    def write(x, y):
        x.add_(proa.ones([1]))
        return y * 1

    eager, compiled = both(write)
    x, y = proa.zeros([1]), proa.zeros([1])
    assert eager(x, x).item() == compiled(y, y).item() == 1.0
    assert compiled(y, proa.zeros([1])).item() == 0.0
    assert "the same tensor as argument 0" in str(compiled.explain())


def test_gradients_of_arguments_add_up_as_in_eager():
    for backward in both(lambda x: (x * x).sum().backward()):
        x = wanted(3.0)
        for expected in (6.0, 12.0, 18.0):
            backward(x)
            assert x.grad.item() == expected
        x.clear_grad()
        backward(x)
        assert x.grad.item() == 6.0


def test_a_write_to_a_computed_tensor_stays_on_the_tape():
    for grow in both(lambda h, x: h.multiply_(x)):
        x = wanted(3.0)
        h = x * 1
        grow(h, x)
        grow(h, x)
        h.sum().backward()
        assert x.grad.item() == 27.0


def test_a_backward_pass_inside_goes_on_along_the_callers_tape():
    for backward in both(lambda h: (h * h).sum().backward()):
        x = wanted(3.0)
        backward(x * 2)
        assert x.grad.item() == 24.0
        backward(x * 2)
        assert x.grad.item() == 48.0


def test_values_written_from_constants_and_other_tensors_are_state():
    buffer, source = proa.zeros([2]), proa.ones([2])

    @to_static(full_graph=True)
    def fill(x):
        buffer.set_value(np.float32([5, 5]))
        out = buffer + x
        buffer.set_value(source)
        return out

    for _ in range(2):
        assert fill(proa.ones([2])).tolist() == [6.0, 6.0]
        assert buffer.tolist() == [1.0, 1.0]
        buffer.add_(source)
        assert source.tolist() == [1.0, 1.0]


def test_a_seed_set_inside_starts_the_stream_at_each_run():
    def draw():
        proa.seed(3)
        return proa.rand([2])

    eager, compiled = both(draw)
    expected = eager().tolist()
    proa.seed(9)
    assert compiled().tolist() == compiled().tolist() == expected


def test_tensors_returned_unchanged_survive_later_steps():
    weight = proa.ones([2])
    read = to_static(lambda: (weight, weight), full_graph=True)

    @to_static(full_graph=True)
    def step():
        weight.add_(proa.ones([2]))
        return weight

    first, again = read()
    seen = [step() for _ in range(3)]
    assert first.tolist() == again.tolist() == [1.0, 1.0]
    assert [t.tolist() for t in seen] == [[2.0, 2.0], [3.0, 3.0], [4.0, 4.0]]


class Remembers(nn.Layer):
    """Keeps a result, a running value in a buffer, and its last state in attributes."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1, 1)
        self.register_buffer("running", proa.zeros([1, 1]))
        self.state = proa.zeros([1, 1])

    def forward(self, x):
        self.result = self.fc(x)
        self.running = self.running * 0.5 + self.result.detach()
        self.state = self.state + self.result
        return self.state * 2


@pytest.mark.parametrize("training", [True, False])
def test_tensors_that_forward_assigns_to_attributes_are_state(training):
    eager = Remembers()
    compiled = to_static(copy.deepcopy(eager), full_graph=True)
    for layer in (eager, compiled):
        layer.train(training)
    for value in (1.0, 2.0, 3.0):
        x = proa.to_tensor([[value]])
        np.testing.assert_allclose(compiled(x).numpy(), eager(x).numpy(), rtol=1e-6)
        for name in ("result", "running", "state"):
            ours, theirs = getattr(compiled, name), getattr(eager, name)
            np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-6)
    assert list(compiled.state_dict()) == list(eager.state_dict())
    eager.state.backward()
    compiled.state.backward()
    np.testing.assert_allclose(
        compiled.fc.weight.grad.numpy(), eager.fc.weight.grad.numpy(), rtol=1e-6
    )
    # The first state was a constant, later ones can be differentiated.
    assert compiled.forward.num_variants == 2


def test_a_failed_recording_leaves_attributes_and_tensors_as_they_were():
    class Fails(Remembers):
        def forward(self, x):
            super().forward(x)
            raise KeyError("after writing")

    layer = to_static(Fails(), full_graph=True)
    before = dict(layer._buffers)
    with pytest.raises(KeyError):
        layer(proa.ones([1, 1]))
    assert layer._buffers == before


def test_the_mode_of_the_compiled_layer_itself_is_a_guard():
    class Switch(nn.Layer):
        def forward(self, x):
            return x * 2 if self.training else x

    layer = to_static(Switch(), full_graph=True)
    assert layer(proa.ones([1])).item() == 2.0
    layer.eval()
    assert layer(proa.ones([1])).item() == 1.0
    assert "now in eval mode" in str(layer.forward.explain())


def counting_step():
    weight = proa.zeros([64])

    @to_static(full_graph=True)
    def step(x):
        weight.add_(x)
        return weight * 1

    return weight, step


def test_threads_that_overwrite_the_same_state_take_turns():
    weight, step = counting_step()
    one, failures, begin = proa.ones([64]), [], threading.Barrier(8)

    def work():
        try:
            begin.wait()
            for _ in range(20):
                step(one)
                float(weight[0])
                (weight + 1).numpy()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert weight.tolist() == [160.0] * 64
    assert step.num_variants == 1


def test_threads_may_record_and_read_at_the_same_time():
    net = nn.Linear(4, 4)
    optimizer = proa.optimizer.SGD(0.0, parameters=net.parameters())

    @to_static(full_graph=True)
    def train(x):
        net(x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()

    infer = to_static(lambda x: net(x), full_graph=True)
    begin, failures = threading.Barrier(4), []
    x = proa.ones([2, 4])
    expected = net(x).numpy()

    def work(function):
        begin.wait()
        try:
            for size in range(1, 6):
                with proa.no_grad() if function is infer else proa.enable_grad():
                    out = function(proa.ones([size, 4]))
                if out is not None:
                    np.testing.assert_allclose(out.numpy()[0], expected[0], rtol=1e-5)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f,)) for f in (train, train, infer, infer)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


class Interrupted:
    """Stands for a compiled step during which Ctrl-C was pressed."""

    def __init__(self, step):
        self.step, self.lower = step, step.lower

    def __call__(self, *arguments):
        out = self.step(*arguments)
        signal.raise_signal(signal.SIGINT)
        return out


def test_an_interrupt_of_the_first_run_waits_for_its_end():
    weight, step = counting_step()
    one = proa.ones([64])
    step(one)
    (entry,) = next(iter(step._entries.values()))
    entry._step, entry._is_warm = Interrupted(entry._step), False
    with pytest.raises(KeyboardInterrupt):
        step(one)
    assert weight.tolist() == [2.0] * 64
    entry._step = entry._step.step
    assert step(one).tolist() == [3.0] * 64


def test_an_interrupt_while_results_are_written_back_loses_none(monkeypatch):
    weight, step = counting_step()
    one = proa.ones([64])
    step(one)
    (entry,) = next(iter(step._entries.values()))
    original, calls = entry._write_back, []

    def write_back(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise KeyboardInterrupt
        original(*arguments)

    monkeypatch.setattr(entry, "_write_back", write_back)
    with pytest.raises(KeyboardInterrupt):
        step(one)
    assert weight.tolist() == [2.0] * 64


def test_a_step_that_fails_with_its_buffers_given_away_says_what_is_lost(monkeypatch):
    weight, step = counting_step()
    one = proa.ones([64])
    step(one)
    (entry,) = next(iter(step._entries.values()))

    def out_of_memory(donated, kept, inputs):
        for array in donated:
            array.delete()
        raise RuntimeError("RESOURCE_EXHAUSTED")

    monkeypatch.setattr(entry, "_step", out_of_memory)
    with pytest.raises(PreconditionError, match="overwrote its state, which is lost: RESOURCE"):
        step(one)


@pytest.fixture
def checked():
    set_flags({"FLAGS_check_nan_inf": True})
    yield
    set_flags({"FLAGS_check_nan_inf": False})


def test_nan_checks_name_the_op_and_the_line_inside_compiled_functions(checked):
    weight = wanted(1.0)

    @to_static(full_graph=True)
    def step(x):
        with proa.no_grad():
            weight.add_(x)
        return proa.log(x) + weight

    step(proa.ones([1]))
    with pytest.raises(NonFiniteError, match=r"op `log` gave 1 NaN .*test_entry.py:\d+"):
        step(proa.to_tensor([-1.0]))
    assert weight.item() == 2.0


def test_nan_checks_name_the_op_of_a_gradient_in_compiled_functions(checked):
    compiled = to_static(lambda x: proa.sqrt(x) * 1, full_graph=True)
    with pytest.raises(NonFiniteError, match="op `sqrt_grad` gave 1 NaN or|`sqrt_grad`"):
        compiled(wanted(0.0)).backward()


def test_nan_checks_give_the_same_results_and_gradients_as_compiled(checked):
    net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.BatchNorm1D(8), nn.Linear(8, 1))
    twin = copy.deepcopy(net)
    x = proa.to_tensor(np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32))

    def step(layer, checks):
        set_flags({"FLAGS_check_nan_inf": checks})
        proa.seed(1)
        compiled = to_static(lambda x: layer(x), full_graph=True)
        for _ in range(2):
            compiled(x).sum().backward()
        grads = [p.grad.numpy() for p in layer.parameters() if not p.stop_gradient]
        return grads + [t.numpy() for t in layer.state_dict().values()]

    for ours, theirs in zip(step(net, True), step(twin, False), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


def test_what_was_compiled_for_an_object_goes_with_it():
    class Model(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)

        @to_static
        def forward(self, x):
            return self.fc(x)

    alive = []
    for make in (Model, lambda: to_static(nn.Linear(4, 4))):
        net = make()
        net(proa.ones([1, 4])).sum().backward()
        step = to_static(lambda x, net=net: net(x))
        step(proa.ones([1, 4]))
        alive.append(weakref.ref(net.parameters()[0]))
        del net, step
    gc.collect()
    assert [reference() for reference in alive] == [None, None]


def test_compiled_layers_can_be_copied_and_pickled():
    net = to_static(nn.Linear(2, 2))
    x = proa.ones([1, 2])
    expected = net(x).tolist()
    for twin in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert twin(x).tolist() == expected
        twin.weight.set_value(proa.zeros([2, 2]))
        twin.bias.set_value(proa.zeros([2]))
        assert twin(x).tolist() == [[0.0, 0.0]]
        assert net(x).tolist() == expected


def test_what_was_recorded_keeps_no_copy_of_the_state():
    def live():
        gc.collect()
        return sum(array.nbytes for array in jax.live_arrays())

    net = nn.Linear(256, 256)
    size = net.weight.numpy().nbytes
    optimizer = proa.optimizer.Adam(0.1, parameters=net.parameters())
    x = proa.ones([1, 256])

    def backward(x):
        net(x).sum().backward()

    def step(x):
        backward(x)
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)

    before = live()
    train, accumulate = to_static(step, full_graph=True), to_static(backward, full_graph=True)
    train(x)
    # The two moments of Adam, and smaller things.
    assert live() - before < 2.2 * size
    for _ in range(3):
        accumulate(x)
    assert live() - before < 3.2 * size
    optimizer.clear_grad(set_to_zero=False)
    assert live() - before < 2.2 * size


def test_threads_that_train_one_model_on_changing_shapes_take_turns():
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.3))
    optimizer = proa.optimizer.Adam(0.001, parameters=net.parameters())

    def body(x):
        loss = (net(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    train = to_static(body, full_graph=True)
    infer = to_static(lambda x: net[0](x).sum(), full_graph=True)
    failures, begin = [], threading.Barrier(4)

    def work(number):
        try:
            begin.wait()
            for i in range(30):
                x = proa.ones([i % 3 + 1, 4])
                if number < 2:
                    assert np.isfinite(float(train(x)))
                else:
                    with proa.no_grad():
                        float(infer(x))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
