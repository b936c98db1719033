from __future__ import annotations

from dataclasses import replace

import jax
import numpy as np
import pytest

import proa
from proa.core import get_op
from proa.jit import _kept_step, to_static
from proa.jit._kept_step import KeptStep
from proa.jit._read_ahead import ReadAhead
from proa.jit._uncached import past_compile_cache
from proa.program import Program, ProgramOp

X = np.arange(6, dtype="float32").reshape(2, 3)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Keeps small steps too, in a folder of the test's, and nothing comes from JAX's cache."""
    monkeypatch.setattr(_kept_step, "MIN_CALLS", 1)
    monkeypatch.setattr(_kept_step, "MIN_SECONDS", 0.0)
    monkeypatch.setattr(_kept_step, "_folder", lambda: tmp_path / "steps")
    with past_compile_cache():
        yield tmp_path / "steps"


def kept(folder):
    return sorted(path.name for path in folder.glob("*.xla"))


def start(steps=2, beta=0.9, clip=None):
    """A start of a script: the losses and weights of some steps, and how the step was had."""
    proa.seed(3)
    net = proa.nn.Linear(3, 1)
    clipped = None if clip is None else proa.nn.ClipGradByGlobalNorm(clip)
    optimizer = proa.optimizer.Adam(0.1, beta1=beta, parameters=net.parameters(), grad_clip=clipped)

    @to_static
    def step(x):
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    losses = [float(step(proa.to_tensor(X))) for _ in range(steps)]
    (entry,) = next(iter(step._entries.values()))
    return losses, [p.numpy() for p in net.parameters()], entry


def never(*_, **__):
    raise AssertionError("this must not happen")


def test_a_second_start_traces_nothing_and_computes_the_same(folder, monkeypatch):
    losses, weights, _ = start()
    assert len(kept(folder)) == 1
    with monkeypatch.context() as patch:
        patch.setattr("proa.program._interpreter.Interpreter.__call__", never)
        again, same, entry = start()
    assert isinstance(entry._step, KeptStep)
    assert losses == again
    for a, b in zip(weights, same, strict=True):
        np.testing.assert_array_equal(a, b)
    assert len(kept(folder)) == 1


def test_what_changes_the_step_has_a_file_of_its_own(folder):
    start(steps=1)
    start(steps=1, beta=0.8)
    start(steps=1, clip=1.0)
    start(steps=1, clip=2.0)
    assert len(kept(folder)) == 4


def test_constants_count(folder):
    for value in (1.0, 2.0, 2.0):
        held = np.full(3, value, "float32")
        state = proa.zeros([3])

        @to_static
        def add(x, held=held, state=state):
            state.add_(x + proa.to_tensor(held))

        add(proa.to_tensor(X[0]))
        np.testing.assert_array_equal(state.numpy(), X[0] + value)


def test_a_damaged_file_is_told_and_written_anew(folder):
    losses, _, _ = start()
    (name,) = kept(folder)
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(bytes(content))
    with pytest.warns(UserWarning, match="damaged.*; the step is compiled anew. Delete the fold"):
        assert start()[0] == losses
    assert start()[0] == losses


@pytest.mark.parametrize("case", ["py_func", "Print"])
def test_steps_that_call_python_are_not_kept(case, folder, capfd):
    state = proa.zeros([3])

    @to_static
    def step(x):
        if case == "py_func":
            x = proa.static.py_func(lambda a: a * 2, x, proa.zeros([3]))
        else:
            x = proa.static.Print(x, message="seen")
        state.add_(x)

    for _ in range(2):
        step(proa.to_tensor(X[0]))
    assert kept(folder) == []


def test_ops_of_the_user_are_not_told_by_their_name():
    known = get_op("tanh")
    assert _kept_step._describe_op(known.vjp)[0] == "gradient"
    for op in (replace(known, fn=lambda x: x), ProgramOp(Program([], [], {}, [], []), "own")):
        with pytest.raises(_kept_step._UntoldError):
            _kept_step._describe_op(op)


def test_small_or_quick_steps_are_not_kept(folder, monkeypatch):
    monkeypatch.setattr(_kept_step, "MIN_SECONDS", 1e9)
    start(steps=1)
    assert kept(folder) == []
    monkeypatch.setattr(_kept_step, "MIN_CALLS", 1000)
    assert not isinstance(start(steps=1)[2]._step, KeptStep)
    monkeypatch.undo()


def test_arrays_that_an_executable_does_not_take(folder):
    def fn(donated, kept, inputs):
        return [d + i for d, i in zip(donated, inputs, strict=True)]

    jitted = jax.jit(fn, donate_argnums=(0,))
    one = jax.numpy.ones(3, "float32")
    step = KeptStep(jitted.lower([one], [], [one]).compile(), jitted)
    assert step([one + 0], [], [one])[0].tolist() == [2, 2, 2]
    there = jax.device_put(one, jax.devices()[-1])
    assert step([there + 0], [], [there])[0].tolist() == [2, 2, 2]
    weak = jax.numpy.asarray(1.0)
    assert step([one + 0], [], [weak])[0].tolist() == [2, 2, 2]


@pytest.mark.parametrize("value", [object(), lambda: 0, {"a": 1}, np.zeros(2)])
def test_attributes_that_no_text_tells(value):
    with pytest.raises(_kept_step._UntoldError):
        _kept_step._describe((1, value))


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (True, 1), (None, "None"), ((1,), [1]), (slice(1), slice(2)), (0.0, -0.0)],
)
def test_attributes_that_differ_are_told_apart(one, other):
    def told(value):
        return _kept_step.digest_of({"is": _kept_step._describe(value)})

    assert told(one) != told(other)
    assert told(one) == told(one)


def test_the_next_start_reads_while_it_records(folder, monkeypatch):
    losses, _, _ = start()
    assert len(list(folder.glob("*.note"))) == 1
    taken = []
    take = ReadAhead.take
    monkeypatch.setattr(
        ReadAhead, "take", lambda *arguments: taken.append(take(*arguments)) or taken[-1]
    )
    assert start()[0] == losses
    assert len(taken) == 1
    assert taken[0] is not None


def test_after_an_update_what_jax_has_read_is_compiled_once_more(folder, tmp_path, monkeypatch):
    # What JAX reads from its own cache cannot be written again.
    outcomes = []
    inner = _kept_step._compiled

    def compiled(jitted, arguments):
        made, seconds, is_fresh = inner(jitted, arguments)
        is_read = not outcomes
        outcomes.append(is_fresh)
        return made, seconds, is_fresh and not is_read

    monkeypatch.setattr(_kept_step, "_compiled", compiled)
    losses, _, _ = start()
    assert outcomes == [True, True]
    assert len(kept(folder)) == 1
    # The note is of this version now: a step that JAX still has is left to it.
    for file in folder.glob("*.xla"):
        file.unlink()
    outcomes.clear()
    assert start()[0] == losses
    assert len(outcomes) == 1
    assert kept(folder) == []


def test_how_long_compiling_took_is_known_of_what_jax_has_read():
    _kept_step._read.clear()
    jax.monitoring.record_event_duration_secs(_kept_step._SAVED, 7.0)
    assert list(_kept_step._read) == [7.0]
