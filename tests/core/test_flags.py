from __future__ import annotations

import pytest

from proa.core import InvalidTypeError, UnknownNameError, define_flag, get_flags, set_flags


@pytest.fixture(autouse=True, scope="module")
def _flags():
    define_flag("FLAGS_test_switch", False)
    define_flag("FLAGS_test_number", 3)


def test_flags_are_set_and_read_with_or_without_prefix():
    set_flags({"FLAGS_test_number": 5})
    assert get_flags("test_number") == {"test_number": 5}
    assert get_flags(["FLAGS_test_number"]) == {"FLAGS_test_number": 5}
    set_flags({"test_number": 3})


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("off", False), ("True", True), (0, False)]
)
def test_booleans_are_read_from_text(text, value):
    set_flags({"FLAGS_test_switch": text})
    assert get_flags()["FLAGS_test_switch"] is value
    set_flags({"FLAGS_test_switch": False})


def test_an_unknown_flag_changes_nothing():
    with pytest.raises(UnknownNameError, match="no flag 'FLAGS_test_nmber'"):
        set_flags({"FLAGS_test_number": 9, "FLAGS_test_nmber": 1})
    assert get_flags()["FLAGS_test_number"] == 3


@pytest.mark.parametrize("bad", ["maybe", "2"])
def test_a_value_of_the_wrong_kind_is_refused(bad):
    with pytest.raises(InvalidTypeError, match="reads as bool"):
        set_flags({"FLAGS_test_switch": bad})
    with pytest.raises(InvalidTypeError, match="a dict from flag name"):
        set_flags("FLAGS_test_switch")


def test_the_environment_overrides_a_default_and_watchers_hear_changes(monkeypatch):
    monkeypatch.setenv("FLAGS_test_watched", "7")
    heard = []
    define_flag("FLAGS_test_watched", 1, watch=heard.append)
    set_flags({"FLAGS_test_watched": 8})
    assert heard == [7, 8]


def test_flags_of_paddle_without_a_subject_are_stored():
    name = "FLAGS_eager_delete_tensor_gb"
    assert get_flags(name) == {name: 0.0}
    set_flags({name: 1})
    assert get_flags([name]) == {name: 1.0}
    set_flags({name: 0.0})
    assert name not in get_flags()
    with pytest.raises(InvalidTypeError, match="flag 'FLAGS_use_mkldnn' was given 'perhaps'"):
        set_flags({"FLAGS_use_mkldnn": "perhaps"})
