"""Optional modules."""

from __future__ import annotations

import math

import pytest

from proa.utils import try_import


def test_an_installed_module_is_returned():
    assert try_import("math") is math


def test_a_missing_module_says_how_to_get_it():
    with pytest.raises(ImportError, match=r"'no_such.part'(.|\n)*pip install no_such"):
        try_import("no_such.part")


def test_the_message_can_be_given():
    with pytest.raises(ImportError, match="^get it$"):
        try_import("no_such", "get it")
