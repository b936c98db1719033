from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.program import record_cond, record_while, verify
from proa.program.passes import (
    _pass,
    apply_passes,
    constant_folding,
    get_pass,
    lift_constants,
    register_pass,
)
from proa.program.passes._rewrite import sub_programs
from tests.program.passes.programs import bound, normal, ops, same

WEIGHT = proa.to_tensor(normal(20, 20, seed=1))


def grown(x):
    """A value that follows from the weight alone, computed where it stands."""
    return proa.matmul(x, proa.exp(WEIGHT) * 2.0)


def in_a_branch(x):
    return record_cond(x.sum() > 0, lambda: [grown(x)], lambda: [x - WEIGHT.sum()])[0]


def in_a_loop(x):
    return record_while(
        lambda state: state[0].abs().sum() < 1e4, lambda state: [grown(state[0])], [x], ["x"]
    )[0]


def in_both(x):
    def body(state):
        chosen = record_cond(
            state[0].sum() > 0, lambda: [grown(state[0])], lambda: [state[0] * 3.0]
        )
        return [chosen[0], state[1] * 2.0]

    return record_while(
        lambda state: state[0].abs().sum() < 1e4, body, [x, WEIGHT * 1.0], ["x", "w"]
    )[0]


def inner(program):
    """Names of ops in branches and loops, at any depth."""
    found = []
    for call in program.calls:
        for each in sub_programs(call):
            found += [*ops(each), *inner(each)]
    return found


@pytest.mark.parametrize("fn", [in_a_branch, in_a_loop, in_both])
def test_what_follows_from_weights_is_computed_inside_too(fn):
    before = bound(fn, (3, 20))
    assert "exp" in inner(before)
    after, notes = constant_folding(before)
    verify(after)
    assert notes["calls on constants computed"] >= 2
    assert "exp" not in inner(after)
    assert "matmul" in inner(after)
    for x in (normal(3, 20), -abs(normal(3, 20)), abs(normal(3, 20))):
        same(before, after, x, rtol=1e-4)
    again, more = constant_folding(after)
    assert again is after
    assert more == {}


def test_large_arrays_made_inside_stand_outside():
    after, _ = constant_folding(bound(in_a_loop, (3, 20)))
    arrays = lift_constants(after)[1]
    assert any(np.allclose(a, np.exp(WEIGHT.numpy()) * 2.0) for a in arrays.values())
    for call in after.calls:
        for each in sub_programs(call):
            assert all(a.nbytes <= 1024 for a in each.constants.values())


def test_what_a_loop_changes_is_no_constant():
    def fn(x):
        start = proa.ones([2]).detach()
        return record_while(
            lambda state: state[0].sum() < 50.0,
            lambda state: [state[0] * 2.0 + x, proa.exp(state[1])],
            [start, proa.zeros([2]).detach()],
            ["y", "z"],
        )[0]

    before = bound(fn, (2,))
    after, _ = apply_passes(before, "clean")
    assert "multiply" in inner(after)
    same(before, after, abs(normal(2)))


def test_a_pass_says_where_it_goes(monkeypatch):
    monkeypatch.setattr(_pass, "_PASSES", dict(_pass._PASSES))
    seen = []

    @register_pass("look_inside")
    def look(program):
        """Notes what it is given."""
        seen.append(ops(program))
        return program, {"seen": 1}

    program = bound(in_both, (3, 20))
    assert look(program) == (program, {"seen": len(seen)})
    assert len(seen) == 5
    assert get_pass("look_inside")(program) is program
    assert get_pass("recompute")(bound(lambda x: x + 1, (2,)), segments=1)
