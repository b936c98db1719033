from __future__ import annotations

import pytest

import proa
import proa.nn.functional
from proa import core
from proa.core._errors import where_to_read

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


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("exp", "help(proa.exp)"),
        ("dropout", "help(proa.nn.functional.dropout)"),
        ("nowhere", "the documentation of `nowhere`"),
    ],
)
def test_where_to_read(function, expected):
    assert proa.nn.functional.dropout
    assert where_to_read(function) == expected


def test_what_is_out_of_range_is_an_error_of_index_and_of_value():
    with pytest.raises(ValueError, match="axis"):
        proa.sum(proa.ones([2]), axis=3)
    with pytest.raises(IndexError, match="axis"):
        proa.sum(proa.ones([2]), axis=3)
