from __future__ import annotations

import pytest

from proa.core import InvalidArgumentError
from proa.inference._engine import EngineOptions


@pytest.mark.parametrize(
    ("options", "message"),
    [({"threads": 0}, "`threads` is 0"), ({"precision": "int4"}, "`precision` is 'int4'")],
)
def test_options_that_no_engine_knows_are_refused(options: dict, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        EngineOptions(**options)
