"""The mechanism of second spellings; which functions take which is in tests/e2e."""

from __future__ import annotations

import inspect

import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError, bind, respelled
from proa.core._spellings import ELSEWHERE, GENERAL, SPECIAL, respell, respelled_keywords, spellings


def scaled(x, axis=0, *, factor=2):
    return x, axis, factor


quick = respelled(scaled)


def test_own_names_are_no_spellings_of_others():
    assert spellings("f", ["x", "axis"]) == {"input": "x", "dim": "axis"}
    assert spellings("f", ["x", "input"]) == {}
    assert spellings("pow", ["x", "y"])["exponent"] == "y"
    assert spellings("max", ["x", "axis"])["dim"] == ""


def test_respell_renames_and_keeps_the_rest():
    assert respell("f", {"dim": "axis"}, {"dim": 1, "keepdim": True}) == {
        "axis": 1,
        "keepdim": True,
    }


def test_respell_adds_defaults_of_the_second_spelling():
    assert respell("median", {"dim": "axis"}, {"dim": 1}) == {"axis": 1, "mode": "min"}
    assert respell("median", {"dim": "axis"}, {"axis": 1}) == {"axis": 1}


def test_respell_refuses_two_names_of_one_argument():
    with pytest.raises(InvalidArgumentError, match="`f` is given `dim` and `axis`, which are one"):
        respell("f", {"dim": "axis"}, {"dim": 1, "axis": 1})


def test_respell_refuses_what_only_compat_takes():
    with pytest.raises(InvalidTypeError, match="`max` is given `dim`, a keyword of PyTorch's"):
        respell("max", {"dim": ""}, {"dim": 1})


def test_a_respelled_function_has_its_signature_and_results():
    assert inspect.signature(quick) == inspect.signature(scaled)
    assert quick(1) == (1, 0, 2)
    assert quick(input=1, dim=3, factor=4) == quick(1, 3, factor=4) == (1, 3, 4)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({}, r"scaled\(\): missing a required argument: 'x'"),
        ({"input": 1, "x": 1}, "`scaled` is given `x` and `input`"),
        ({"x": 1, "size": 1}, "unexpected keyword argument 'size'"),
    ],
)
def test_a_respelled_function_tells_what_is_wrong(kwargs, message):
    with pytest.raises((TypeError, ValueError), match=message):
        quick(**kwargs)


def test_keywords_in_the_first_spelling_are_left_alone():
    own = inspect.signature(scaled)
    assert respelled_keywords(own, "scaled", {"axis": 1}) is None
    assert respelled_keywords(own, "scaled", {"dim": 1}) == {"axis": 1}
    takes_all = inspect.signature(lambda x, **rest: x)
    assert respelled_keywords(takes_all, "f", {"input": 1}) is None


def test_bind_tells_unknown_keywords_first():
    with pytest.raises(TypeError, match=r"f\(\) got an unexpected keyword argument 'y'"):
        bind(inspect.signature(scaled), "f", (), {"y": 1})
    with pytest.raises(TypeError, match=r"f\(\): missing a required argument: 'x'"):
        bind(inspect.signature(scaled), "f", (), {})


def test_tables_are_in_order():
    assert list(GENERAL) == sorted(GENERAL)
    assert list(SPECIAL) == sorted(SPECIAL)
    assert list(ELSEWHERE) == sorted(ELSEWHERE)


@pytest.mark.parametrize(
    ("kwargs", "wanted"),
    [
        ({"reduce": False}, "none"),
        ({"size_average": False}, "sum"),
        ({"size_average": True, "reduce": True}, "mean"),
    ],
)
def test_keywords_that_losses_gave_up_lead_to_reduction(kwargs, wanted):
    own = inspect.signature(lambda x, reduction="mean": x)
    with pytest.raises(InvalidArgumentError, match=rf"write Loss\(reduction='{wanted}'\)"):
        respelled_keywords(own, "Loss", kwargs)
    with pytest.raises(InvalidArgumentError, match=rf"`MSELoss` is given (.|\n)*'{wanted}'"):
        proa.nn.MSELoss(**kwargs)
    with pytest.raises(InvalidArgumentError, match=rf"`CrossEntropyLoss` (.|\n)*'{wanted}'"):
        proa.nn.CrossEntropyLoss(**kwargs)
