"""Tables: on the terminal, and between the markers of `docs/parity.md`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ._run import Outcome

BEGIN, END = "<!-- parity: begin -->", "<!-- parity: end -->"
# Rooms of Programs have a figure of their own, which takes in how they are differentiated.
PROGRAMS, DERIVATIVES = ("static", "jit", "inference"), ("autograd", "incubate.autograd")
# Rooms whose examples are run and shown, and count in no figure yet.
LATER = ("distributed", "quantization", "profiler", "onnx", "utils.cpp_extension")
WANTED_SHARE = 0.97


def _is_in(room: str, rooms: Sequence[str]) -> bool:
    return f"{room}.".startswith(tuple(f"paddle.{each}." for each in rooms))


def in_scope(room: str) -> bool:
    """Whether a room counts for a figure."""
    return not _is_in(room, LATER)


def scopes(outcomes: Iterable[Outcome]) -> dict[str, tuple[int, int]]:
    """Returns how many agree and how many there are, in each scope that has any."""
    counted = [each for each in outcomes if in_scope(each.room)]
    parts = {
        "tensors, layers, optimisers, data": [
            each for each in counted if not _is_in(each.room, PROGRAMS)
        ],
        "Programs (static, jit, inference, both autograd rooms)": [
            each for each in counted if _is_in(each.room, (*PROGRAMS, *DERIVATIVES))
        ],
    }
    return {scope: share(part) for scope, part in parts.items() if part}


def share(outcomes: Iterable[Outcome]) -> tuple[int, int]:
    """Returns how many agree, and how many there are."""
    agree = [not outcome.difference for outcome in outcomes]
    return sum(agree), len(agree)


def _percent(agree: int, total: int) -> str:
    return f"{agree} / {total} = {agree / max(total, 1):.1%}"


def room_rows(docs: Sequence[Outcome], calls: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """One row for each room: name, examples, calls, listed differences, open ones."""
    rows = []
    both = (*docs, *calls)
    for room in sorted({each.room for each in both}, key=lambda name: (not in_scope(name), name)):
        examples = share(each for each in docs if each.room == room)
        rows_of_room = share(each for each in calls if each.room == room)
        listed = sum(bool(each.difference and each.reason) for each in both if each.room == room)
        still_open = sum(each.is_open for each in both if each.room == room)
        label = room if in_scope(room) else f"({room})"
        figures = [f"{a} / {n}" if n else "" for a, n in (examples, rows_of_room)]
        rows.append((label, *figures, str(listed or ""), str(still_open or "")))
    return rows


HEADINGS = ("Room", "Examples", "Calls", "Listed", "Open")


def terminal_table(rows: Sequence[tuple[str, ...]]) -> str:
    """The rows in columns."""
    lines = [HEADINGS, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(
            text.ljust(width) if i == 0 else text.rjust(width)
            for i, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def summary(docs: Sequence[Outcome], calls: Sequence[Outcome]) -> list[str]:
    """The figures in words."""
    lines = []
    if docs:
        for scope, counted in scopes(docs).items():
            lines.append(f"Examples that agree, {scope}: {_percent(*counted)}")
        lines.append(f"Examples that agree, all rooms: {_percent(*share(docs))}")
    if calls:
        listed = sum(bool(each.difference and each.reason) for each in calls)
        figure = _percent(*share(calls))
        lines.append(f"Calls that agree: {figure}, and {listed} that differ on purpose")
    return lines


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _listed(title: str, outcomes: Iterable[Outcome]) -> list[str]:
    lines = [
        f"| `{_cell(each.text or each.name)}` | {_cell(each.reason or 'open')} |"
        for each in outcomes
        if each.difference
    ]
    return [f"### {title}", "", "| | Reason |", "| --- | --- |", *lines, ""] if lines else []


def markdown(docs: Sequence[Outcome], calls: Sequence[Outcome]) -> str:
    """What stands between the markers."""
    rows = [f"| {' | '.join(row)} |" for row in room_rows(docs, calls)]
    return "\n".join(
        [
            *(f"- {line}" for line in summary(docs, calls)),
            "",
            f"| {' | '.join(HEADINGS)} |",
            "| --- | ---: | ---: | ---: | ---: |",
            *rows,
            "",
            *_listed("Calls that differ", calls),
            *_listed("Examples that differ", (each for each in docs if in_scope(each.room))),
        ]
    )


def write_page(path: Path, text: str) -> None:
    """Puts `text` between the markers of the page."""
    page = path.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n\n{text.rstrip()}\n\n{END}{after}", encoding="utf-8")
