from __future__ import annotations

import math

import pytest

from proa.core import MissingAttributeError
from proa.utils import _shelf


@pytest.fixture(autouse=True)
def _anew(monkeypatch):
    monkeypatch.setattr(_shelf, "_told", set())


take, listed = _shelf.shelf("old.room", {"root": "math.sqrt", "own": (abs, "the new one")})


def test_each_name_tells_once(capsys):
    assert take("root") is take("root") is math.sqrt
    assert take("own") is abs
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "DeprecationWarning: old.room.root is no public name of Paddle 3; use math.sqrt",
        "DeprecationWarning: old.room.own is no public name of Paddle 3; use the new one",
    ]
    assert listed() == ["own", "root"]


def test_a_name_that_is_not_there_is_told(capsys):
    with pytest.raises(MissingAttributeError, match=r"old\.room has no 'other'(.|\n)*own, root"):
        take("other")
    assert capsys.readouterr().err == ""
