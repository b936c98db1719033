from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.ops._recurrent import NUM_GATES, recurrent, recurrent_step
from tests.ops.harness import Case, case_ids, check_case, randn

I, H, P = 3, 4, 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def following(x, h, c, w_ih, w_hh, b_ih, b_hh, w_ho, mode):
    """One step, as the papers have it."""
    given = x @ w_ih.T + (0 if b_ih is None else b_ih)
    held = h @ w_hh.T + (0 if b_hh is None else b_hh)
    if mode == "tanh":
        return (np.tanh(given + held),)
    if mode == "relu":
        return (np.maximum(given + held, 0),)
    if mode == "GRU":
        (x_r, x_z, x_c), (h_r, h_z, h_c) = np.split(given, 3, -1), np.split(held, 3, -1)
        z = sigmoid(x_z + h_z)
        return (z * h + (1 - z) * np.tanh(x_c + sigmoid(x_r + h_r) * h_c),)
    i, f, g, o = np.split(given + held, 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    h = sigmoid(o) * np.tanh(c)
    return (h if w_ho is None else h @ w_ho, c)


def run(x, h, c, *rest):
    *weights, lengths, mode, reverse, time_major, zero = rest
    x = x if time_major else x.swapaxes(0, 1)
    outputs = np.zeros((x.shape[0], *h.shape))
    for time in reversed(range(len(x))) if reverse else range(len(x)):
        found = following(x[time], h, c, *weights, mode)
        goes_on = True if lengths is None else (time < lengths)[:, None]
        outputs[time] = np.where(goes_on, found[0], 0) if zero else found[0]
        h = np.where(goes_on, found[0], h)
        c = np.where(goes_on, found[1], c) if len(found) == 2 else None
    outputs = outputs if time_major else outputs.swapaxes(0, 1)
    return (outputs, h) if c is None else (outputs, h, c)


def weights(mode, biases=True, projection=False):
    gates = NUM_GATES[mode] * H
    width = P if projection else H
    both = (randn(gates), randn(gates)) if biases else (None, None)
    return (randn(gates, I), randn(gates, width), *both, randn(H, P) if projection else None)


def states(mode, projection=False):
    return randn(4, P if projection else H), randn(4, H) if mode == "LSTM" else None


LENGTHS = np.array([2, 0, 3, 1])
LOOSE = {"float32": (1e-5, 4e-6), "bfloat16": (5e-2, 5e-2), "float16": (8e-3, 6e-3)}


def row(name, fn, mode, args, ref, low=("bfloat16", "float16")):
    reason = "rounding adds up over the steps"
    return Case(
        fn,
        args,
        ref=ref,
        id=f"{name} {mode}",
        low=low,
        tolerance=LOOSE,
        reason=reason,
        second=mode != "relu",
    )


def step_case(mode, projection=False):
    args = (randn(4, I), *states(mode, projection), *weights(mode, projection=projection), mode)
    name = "step with projection" if projection else "step"

    def reference(*given):
        return following(*given)

    return row(name, recurrent_step, mode, args, reference)


def loop_case(name, mode, lengths, reverse, time_major, zero, projection=False, biases=True):
    x = randn(3, 4, I) if time_major else randn(4, 3, I)
    held = weights(mode, biases, projection)
    args = (x, *states(mode, projection), *held, lengths, mode, reverse, time_major, zero)
    return row(name, recurrent, mode, args, run)


CASES = [
    *[step_case(mode) for mode in NUM_GATES],
    step_case("LSTM", projection=True),
    loop_case("forwards", "tanh", None, False, False, False),
    loop_case("ends, zero after", "LSTM", LENGTHS, False, False, True),
    loop_case("backwards, ends", "GRU", LENGTHS, True, True, False),
    loop_case("backwards, projection", "LSTM", None, True, False, False, True, biases=False),
    loop_case("ends", "relu", LENGTHS, False, True, True, biases=False),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def call(x, h, **changes):
    w = [proa.to_tensor(a, "float32") for a in weights("tanh", biases=False)[:2]]
    return recurrent(x, h, None, *w, None, None, None, None, "tanh", False, False, False)


ERRORS = [
    (lambda: call(proa.ones([2, 3, 5]), proa.ones([2, H])), "last axis|\\[batch, time, 3\\]"),
    (lambda: call(proa.ones([2, 3]), proa.ones([2, H])), "3 axes"),
    (lambda: call(proa.ones([2, 3, I]), proa.ones([2, 9])), "initial state .* \\[batch, 4\\]|9"),
    (lambda: call(proa.ones([2, 3, I]), proa.ones([1, 2, H])), "the initial state"),
]


@pytest.mark.parametrize(("function", "match"), ERRORS)
def test_errors(function, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        function()
