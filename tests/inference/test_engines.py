from __future__ import annotations

import pytest

from proa.core import UnknownNameError
from proa.inference._engines import ENGINES, find_engine


def test_an_engine_is_found_by_its_name() -> None:
    assert {name: engine.name for name, engine in ENGINES.items()} == {n: n for n in ENGINES}
    assert find_engine("xla").unavailable() is None


def test_an_unknown_engine_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"no engine 'tensorrt'(.|\n)*'xla'"):
        find_engine("tensorrt")
