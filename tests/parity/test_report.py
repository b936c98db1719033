from __future__ import annotations

import tomllib

from parity._cli import REASONS, verdict
from parity._report import BEGIN, END, in_scope, markdown, room_rows, terminal_table, write_page
from parity._run import Outcome

_DOCS = [
    Outcome("paddle.abs", "paddle"),
    Outcome("paddle.rand", "paddle", "prints", "needs | a device"),
    Outcome("paddle.jit.save", "paddle.jit", "crash"),
]
_CALLS = [
    Outcome("paddle.abs#1", "paddle", text="paddle.abs(normal(2))"),
    Outcome("paddle.prod#1", "paddle", "[1] against [2]", "TRAPS 7", "paddle.prod(x)"),
]


def test_later_rooms_do_not_count():
    assert in_scope("paddle.utils")
    assert in_scope("paddle.staticx")
    assert not in_scope("paddle.utils.cpp_extension")
    assert not in_scope("paddle.static.nn")


def test_rows_count_by_room():
    assert room_rows(_DOCS, _CALLS) == [
        ("paddle", "1 / 2", "1 / 2", "2", ""),
        ("(paddle.jit)", "0 / 1", "", "", "1"),
    ]
    lines = terminal_table(room_rows(_DOCS, _CALLS)).splitlines()
    assert len({len(line) for line in lines}) == 1


def test_the_page_lists_differences_with_reasons(tmp_path):
    page = tmp_path / "parity.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write_page(page, markdown(_DOCS, _CALLS))
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text
    assert "| `paddle.prod(x)` | TRAPS 7 |" in text
    assert r"| `paddle.rand` | needs \| a device |" in text
    assert "paddle.jit.save" not in text
    assert "in scope that agree: 1 / 2 = 50.0%" in text


def test_the_verdict_wants_examples_and_calls():
    assert verdict(_DOCS[:1], _CALLS) == 0
    assert verdict(_DOCS, _CALLS) == 1
    assert verdict([], [Outcome("paddle.abs#1", "paddle", "differs")]) == 1


def test_each_example_that_differs_has_a_reason_in_words():
    reasons = tomllib.loads(REASONS.read_text(encoding="utf-8"))["examples"]
    assert all(name.startswith("paddle.") for name in reasons)
    assert all(len(reason.split()) > 3 for reason in reasons.values())
