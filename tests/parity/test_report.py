from __future__ import annotations

import tomllib

from parity._cli import REASONS, verdict
from parity._report import (
    BEGIN,
    END,
    in_scope,
    markdown,
    room_rows,
    scopes,
    terminal_table,
    write_page,
)
from parity._run import Outcome

_DOCS = [
    Outcome("paddle.abs", "paddle"),
    Outcome("paddle.rand", "paddle", "prints", "needs | a device"),
    Outcome("paddle.onnx.export", "paddle.onnx", "crash"),
    Outcome("paddle.jit.save", "paddle.jit"),
    Outcome("paddle.static.save", "paddle.static", "crash"),
    Outcome("paddle.autograd.vjp", "paddle.autograd"),
]
_CALLS = [
    Outcome("paddle.abs#1", "paddle", text="paddle.abs(normal(2))"),
    Outcome("paddle.prod#1", "paddle", "[1] against [2]", "TRAPS 7", "paddle.prod(x)"),
]


def test_later_rooms_do_not_count():
    assert in_scope("paddle.utils")
    assert in_scope("paddle.onnxx")
    assert in_scope("paddle.static.nn")
    assert not in_scope("paddle.utils.cpp_extension")
    assert not in_scope("paddle.distributed.fleet")


def test_programs_have_a_figure_of_their_own():
    assert list(scopes(_DOCS).values()) == [(2, 3), (2, 3)]
    assert list(scopes(_DOCS[:2]).values()) == [(1, 2)]
    assert scopes([]) == {}


def test_rows_count_by_room():
    assert room_rows(_DOCS, _CALLS) == [
        ("paddle", "1 / 2", "1 / 2", "2", ""),
        ("paddle.autograd", "1 / 1", "", "", ""),
        ("paddle.jit", "1 / 1", "", "", ""),
        ("paddle.static", "0 / 1", "", "", "1"),
        ("(paddle.onnx)", "0 / 1", "", "", "1"),
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
    assert "| `paddle.static.save` | open |" in text
    assert "paddle.onnx.export" not in text
    assert "agree, tensors, layers, optimisers, data: 2 / 3 = 66.7%" in text
    assert "both autograd rooms): 2 / 3 = 66.7%" in text


def test_the_verdict_wants_examples_and_calls():
    assert verdict(_DOCS[:1], _CALLS) == 0
    assert verdict(_DOCS, _CALLS) == 1
    assert verdict(_DOCS[2:4], []) == 0
    assert verdict(_DOCS[4:5], []) == 1
    assert verdict([], [Outcome("paddle.abs#1", "paddle", "differs")]) == 1


def test_each_example_that_differs_has_a_reason_in_words():
    reasons = tomllib.loads(REASONS.read_text(encoding="utf-8"))["examples"]
    assert all(name.startswith("paddle.") for name in reasons)
    assert all(len(reason.split()) > 3 for reason in reasons.values())
