"""Variables of a block: their structures, and what is known of lists that grow."""

from __future__ import annotations

import pytest

import proa
from proa.core import ProgramError
from proa.jit._variables import Undefined, Variables
from proa.program import TensorList


def variables(state, is_loop=False):
    def put(values):
        state[:] = values

    names = [f"v{i}" for i in range(len(state))]
    return Variables(lambda: tuple(state), put, names, is_loop)


def test_leaves_and_names():
    state = [{"a": 1, "b": (2, 3)}, Undefined("v1")]
    found = variables(state)
    assert found.labels() == ["v0[0]", "v0[1]", "v0[2]", "v1"]
    found.restore([4, 5, 6, 7])
    assert state == [{"a": 4, "b": (5, 6)}, 7]
    found.reset()
    assert state[0] == {"a": 1, "b": (2, 3)}
    assert state[0] is not found.first[0]


def test_lists_that_grow_get_room():
    state = [[]]
    found = variables(state, is_loop=True)
    assert found.needs_trial()
    found.reset()
    state[0].append(proa.ones([2]))
    found.learn()
    assert found.grows(0)
    assert not found.make_room(3)
    assert isinstance(found.first[0], TensorList)
    assert found.first[0].capacity == 3
    found.reset()
    state[0].append(proa.ones([2]))
    found.settle_lists(3, 3)
    assert (state[0].size, state[0].most) == (3, 3)


def test_a_changed_structure_is_told():
    state = [(1, 2)]
    found = variables(state)
    state[0] = (1,)
    with pytest.raises(ProgramError, match=r"`v0` is \(a value, a value\) and \(a value,\)"):
        found.refuse_changed("in the branches of a condition")
