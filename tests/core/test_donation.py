from __future__ import annotations

import signal

import jax
import numpy as np
import pytest

import proa
from proa.core import PreconditionError, run_donating


class Step:
    """Stands for a compiled step, and for what may happen while it runs."""

    def __init__(self, after=None, before=None):
        self.function = jax.jit(lambda x: x + 1, donate_argnums=(0,))
        self.after, self.before = after, before

    def lower(self, *arguments):
        return self.function.lower(*arguments)

    def __call__(self, x):
        if self.before is not None:
            self.before(x)
        out = self.function(x)
        if self.after is not None:
            self.after()
        return out


def run(step, accept, *, is_first):
    array = jax.numpy.zeros(2)
    return run_donating(step, [array], accept, donated=[array], is_first=is_first, name="step")


@pytest.mark.parametrize("is_first", [True, False])
def test_results_are_taken_over_once_and_returned(is_first):
    taken = []
    assert run(Step().function, taken.append, is_first=is_first).tolist() == [1.0, 1.0]
    assert [t.tolist() for t in taken] == [[1.0, 1.0]]


def test_an_interrupt_of_the_first_run_waits_until_its_results_are_taken():
    taken = []
    step = Step(after=lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        run(step, taken.append, is_first=True)
    assert [t.tolist() for t in taken] == [[1.0, 1.0]]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_while_results_are_taken_has_them_taken_again():
    taken = []

    def accept(out):
        taken.append(out)
        if len(taken) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(Step().function, accept, is_first=False)
    assert [t.tolist() for t in taken] == [[1.0, 1.0]] * 2


def test_a_failure_before_anything_was_overwritten_passes_as_it_is():
    def fail(x):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(Step(before=fail), list, is_first=False)


def test_a_failure_after_buffers_were_given_away_says_what_is_lost():
    def out_of_memory(x):
        x.delete()
        raise RuntimeError("RESOURCE_EXHAUSTED")

    with pytest.raises(PreconditionError, match="`step` failed while it overwrote .* RESOURCE_EX"):
        run(Step(before=out_of_memory), list, is_first=False)


def test_an_eager_optimizer_step_that_is_interrupted_keeps_all_weights(monkeypatch):
    weight = proa.to_tensor([1.0], stop_gradient=False)
    optimizer = proa.optimizer.Momentum(0.5, parameters=[weight])

    def step():
        (weight * 2).backward()
        optimizer.step()
        optimizer.clear_grad()

    step()
    op = proa.optimizer._update.update_op
    kernels = dict(op.kernels)
    for key, kernel in kernels.items():
        interrupted = Step(after=lambda: signal.raise_signal(signal.SIGINT))
        interrupted.function = kernel
        interrupted.__class__ = type("Held", (Step,), {"__call__": _held})
        op.kernels[key] = interrupted
    with pytest.raises(KeyboardInterrupt):
        step()
    op.kernels.update(kernels)
    assert np.isfinite(weight.numpy()).all()
    step()


def _held(self, *arguments):
    """Gives its results back before the signal is seen, as C code does."""
    out = self.function(*arguments)
    raise_later = signal.getsignal(signal.SIGINT)
    return _Signals(out, raise_later)


class _Signals(tuple):
    """Results whose first use finds a pending Ctrl-C."""

    def __new__(cls, out, handler):
        made = super().__new__(cls, out)
        made.pending = [handler]
        return made

    def __iter__(self):
        if self.pending:
            self.pending.pop()(signal.SIGINT, None)
        return super().__iter__()
