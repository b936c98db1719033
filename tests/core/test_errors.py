from __future__ import annotations

import pytest

from proa import core

KINDS = [
    (core.InvalidArgumentError, ValueError),
    (core.InvalidTypeError, TypeError),
    (core.OutOfRangeError, IndexError),
    (core.NotFoundError, FileNotFoundError),
    (core.UnknownNameError, KeyError),
    (core.MissingAttributeError, AttributeError),
    (core.PreconditionError, RuntimeError),
    (core.UnsupportedError, NotImplementedError),
    (core.NonFiniteError, FloatingPointError),
    (core.DivisionByZeroError, ZeroDivisionError),
    (core.ArtifactError, RuntimeError),
    (core.ProgramError, RuntimeError),
]


@pytest.mark.parametrize(("kind", "builtin"), KINDS, ids=lambda k: k.__name__)
def test_an_error_is_a_built_in_kind_and_prints_its_three_parts(kind, builtin):
    error = kind("what came in", expected="what was expected", fix="what to do")
    assert isinstance(error, builtin)
    assert isinstance(error, core.ProaError)
    assert str(error) == "what came in\n  Expected: what was expected\n  Fix: what to do"
    assert (error.got, error.expected, error.fix) == (
        "what came in",
        "what was expected",
        "what to do",
    )
