"""Ranges of versions."""

from __future__ import annotations

import pytest

from proa.core import InvalidArgumentError, InvalidTypeError, PreconditionError
from proa.utils import _require_version, require_version


@pytest.fixture(autouse=True)
def _installed(monkeypatch):
    monkeypatch.setattr(_require_version, "full_version", "1.2.3")


@pytest.mark.parametrize(
    "wanted", [("1.2.3",), ("1",), ("1.2.3", "1.2.3"), ("0.9.9.9", "1.3"), ("1.2.3.0",)]
)
def test_a_version_in_range_passes(wanted):
    require_version(*wanted)


@pytest.mark.parametrize("wanted", [("1.2.4",), ("2",), ("1", "1.2"), ("1", "1.2.2.9")])
def test_a_version_out_of_range_is_refused(wanted):
    with pytest.raises(PreconditionError, match=r"1\.2\.3 is installed"):
        require_version(*wanted)


def test_versions_must_be_numbers_in_a_string():
    with pytest.raises(InvalidArgumentError, match=r"min_version.*1\.x"):
        require_version("1.x")
    with pytest.raises(InvalidTypeError, match=r"max_version.*2"):
        require_version("1", 2)
