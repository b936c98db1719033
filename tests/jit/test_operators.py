"""With known values the operators do what Python does."""

from __future__ import annotations

import pytest

import proa
from proa.jit import _operators as ag


def test_known_conditions_are_pythons():
    calls = []
    ag.if_stmt(True, lambda: calls.append(1), lambda: calls.append(2), None, None, (), 0)
    ag.if_stmt([], lambda: calls.append(1), lambda: calls.append(2), None, None, (), 0)
    assert calls == [1, 2]
    assert ag.if_exp(proa.to_tensor(1) > 0, lambda: "a", lambda: "b", "") == "a"
    assert ag.and_(lambda: 0, lambda: calls.append(3)) == 0
    assert ag.or_(lambda: "left", lambda: calls.append(3)) == "left"
    assert ag.not_([]) is True
    assert (ag.int_("7", 8), ag.float_("1.5"), ag.bool_([])) == (7, 1.5, False)
    assert ag.compare("<", 1, 2)
    assert not ag.compare("!=", 2, 2)
    assert ag.chained(("<", "<"), 1, lambda: 2, lambda: 2) is False
    assert calls == [1, 2]


def test_known_loops_are_pythons():
    state, seen = [0], []

    def count():
        state[0] += 1

    ag.while_stmt(lambda: state[0] < 3, count, None, None, (), {})
    assert (state, seen) == ([3], [])


def test_variables_without_a_value():
    with pytest.raises(UnboundLocalError, match="variable 'y' is used before it has a value"):
        ag.ld(ag.Undefined("y"))
    assert isinstance(ag.ldu(lambda: {}["a"], "d['a']"), ag.Undefined)
    assert ag.FunctionScope("f", "fscope", None).ret(ag.UndefinedReturnValue(), False) is None


def test_assertions_of_known_values(capsys):
    ag.assert_stmt(True, lambda: "unused")
    with pytest.raises(AssertionError, match="told"):
        ag.assert_stmt(False, lambda: "told")
    ag.print_("a", 1)
    assert capsys.readouterr().out == "a 1\n"
