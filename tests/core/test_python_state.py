from __future__ import annotations

import pytest

from proa.core import attributes_methods_read, attributes_read, is_plain, is_same, nested_codes


@pytest.mark.parametrize("value", [1, True, 2.5, 1j, "text", b"b", None, (1, ("a", None))])
def test_numbers_strings_flags_and_tuples_of_them_are_plain(value):
    assert is_plain(value)


@pytest.mark.parametrize("value", [[1], {}, object(), (1, [2])])
def test_what_can_change_in_place_is_not_plain(value):
    assert not is_plain(value)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (1, 1, True),
        (1, True, False),
        (0.0, -0.0, False),
        (float("nan"), float("nan"), True),
        ((1, "a"), (1, "a"), True),
        ((1, 2), (1, 2.0), False),
        ("a", "b", False),
    ],
)
def test_plain_values_are_told_apart_as_programs_do(a, b, expected):
    assert is_same(a, b) is expected


def test_attributes_that_a_function_reads_are_found_in_nested_functions_too():
    def outer(thing):
        thing.written = 1

        def inner():
            return thing.deep

        return inner, thing.read, thing.method()

    assert attributes_read(outer.__code__) == {"deep", "read", "method"}
    assert len(list(nested_codes(outer.__code__))) == 2


def test_methods_and_properties_of_a_class_and_its_bases_count_but_not_its_making():
    class Base:
        def helper(self):
            return self.of_base

    class Derived(Base):
        def __init__(self):
            self.made = self.only_in_init

        @property
        def shown(self):
            return self.of_property

    found = attributes_methods_read(Derived)
    assert {"of_base", "of_property"} <= found
    assert "only_in_init" not in found
