from __future__ import annotations

import io

from rich.console import Console

from proa.suites import check_table, verify_table
from proa.utils import CheckItem


def text_of(table) -> str:
    out = io.StringIO()
    Console(file=out, width=100).print(table)
    return out.getvalue()


def test_a_failed_check_says_what_was_expected_and_what_to_do():
    good = CheckItem(name="op", measured="[[5.0]]", expected="5", passed=True, seconds=0.25)
    bad = CheckItem(name="device", measured="none", expected="one", passed=False, fix="add one")
    text = text_of(check_table([good, bad]))
    assert "[[5.0]]" in text
    assert "0.25" in text
    assert "expected: one" in text
    assert "do: add one" in text
    assert text.count("FAILED") == 1


def test_layers_are_named_once_and_marks_tell_passed_failed_and_skipped():
    rows = [
        {"name": name, "measured": 1, "expected": "2", "passed": passed}
        for name, passed in (("first", True), ("second", False), ("third", None))
    ]
    text = text_of(verify_table({"training": rows}))
    assert text.count("training") == 1
    assert [word in text for word in ("ok", "FAILED", "skipped")] == [True] * 3


def test_long_paths_are_folded_not_cut():
    folder = "/".join(f"part{number}" for number in range(30))
    item = CheckItem(name="libraries", measured=folder, expected="some", passed=True)
    text = text_of(check_table([item]))
    assert "part29" in text
    assert "…" not in text
