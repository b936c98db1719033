"""Recorded branches and loops: what is carried, what stays Python's, and their text and files."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.program import (
    UNDEFINED,
    program_from_dict,
    program_to_dict,
    record_cond,
    record_while,
    recording,
    verify,
)


def run(program, *arrays):
    return [np.asarray(a).tolist() for a in program.function()(*[np.asarray(a) for a in arrays])]


def recorded(function, shape=(2,), dtype="float32"):
    with recording() as recorder:
        x = recorder.add_input(shape, np.dtype(dtype), "x")
        program, _ = recorder.finish(function(x))
    return verify(program)


def test_a_branch_merges_numbers_keeps_values_and_fills_what_is_undefined():
    kept = []

    def function(x):
        found = record_cond(
            x.sum() > 0,
            lambda: [x * 2, 1, "same", 3, x + 1],
            lambda: [x, 2.5, "same", 3, UNDEFINED],
            ["y", "k"],
        )
        kept.extend(found[2:4])
        return [found[0], found[1], found[4]]

    program = recorded(function)
    assert kept == ["same", 3]
    assert run(program, np.float32([1, 2])) == [[2.0, 4.0], 1.0, [2.0, 3.0]]
    assert run(program, np.float32([-1, -2])) == [[-1.0, -2.0], 2.5, [0.0, 0.0]]


def test_a_loop_carries_what_its_body_changes():
    seen = []

    def function(x):
        def body(now):
            y, count, factor, made = now
            seen.append(type(factor))
            return [y * factor, count + 1, factor, y + 1]

        test = lambda now: now[0].sum() < 20  # noqa: E731
        names = ("y", "count", "factor", "made")
        return record_while(test, body, [x, 0, 2, UNDEFINED], names)[:2] + []

    program = recorded(function)
    assert set(seen) == {int}
    assert run(program, np.float32([1, 2])) == [[8.0, 16.0], 3]
    assert run(program, np.float32([30, 2])) == [[30.0, 2.0], 0]


def test_branches_and_loops_survive_a_file():
    def function(x):
        def loop(y):
            return record_while(lambda s: s[0].sum() < 9, lambda s: [s[0] * 2], [y], ["y"])

        return record_cond(x.sum() > 0, lambda: loop(x), lambda: [x - 1])

    program = recorded(function)
    data, arrays = program_to_dict(program)
    again = verify(program_from_dict(data, arrays))
    assert "while_loop" in str(again)
    for given in ([1, 2], [-1, -2]):
        assert run(again, np.float32(given)) == run(program, np.float32(given))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda s: [proa.concat([s[0], s[0]])], r"changes `y` from float32\[2\] to float32\[4\]"),
        (lambda s: [None], "changes `y` from"),
    ],
)
def test_a_loop_keeps_its_kinds(body, message):
    with pytest.raises(InvalidArgumentError, match=message):
        recorded(lambda x: record_while(lambda s: s[0].sum() < 9, body, [x], ["y"]))


def test_the_condition_of_a_loop_has_no_side_effects():
    total = proa.zeros([2])

    def test(state):
        total.add_(state[0])
        return state[0].sum() < 9

    with pytest.raises(proa.core.ProgramError, match="condition of a loop .* writes to"):
        recorded(lambda x: record_while(test, lambda s: [s[0] * 2], [x], ["y"]))
