"""Names of layers and parameters."""

from __future__ import annotations

import pytest

from proa.core import InvalidTypeError
from proa.utils import unique_name


def test_names_count_up_per_key():
    with unique_name.guard():
        names = [unique_name.generate(key) for key in ("a", "a", "b", "a")]
    assert names == ["a_0", "a_1", "b_0", "a_2"]


def test_guard_starts_afresh_and_restores_the_counters():
    with unique_name.guard():
        unique_name.generate("a")
        with unique_name.guard("x_"):
            assert unique_name.generate("a") == "x_a_0"
        with unique_name.guard(b"y_"):
            assert unique_name.generate("a") == "y_a_0"
        assert unique_name.generate("a") == "a_1"


def test_guard_restores_after_an_error():
    with unique_name.guard():
        with pytest.raises(ZeroDivisionError), unique_name.guard():
            unique_name.generate("a")
            raise ZeroDivisionError
        assert unique_name.generate("a") == "a_0"


def test_counters_can_be_kept_and_taken_up_again():
    with unique_name.guard():
        unique_name.generate("a")
        kept, checker = unique_name.switch()
        assert checker is None
        assert unique_name.generate("a") == "a_0"
        unique_name.switch(kept)
        assert unique_name.generate("a") == "a_1"
        with unique_name.guard(kept):
            assert unique_name.generate("a") == "a_2"


def test_guard_refuses_other_types():
    with pytest.raises(InvalidTypeError, match=r"new_generator.*int"), unique_name.guard(3):
        pass
