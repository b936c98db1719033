"""The third proof: files that Proa writes, loaded and run by the real Paddle; and its table."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._files import chosen_rows, file_name
from ._models import MODELS
from ._pool import Side
from ._report import share
from ._run import Outcome, run_all

LIMIT = 300.0
MODEL_ROOM = "models"


@dataclass
class FileOutcome(Outcome):
    """What became of one file.

    Args:
        worst: the largest difference, relative to the largest value of its output.
        unwritten: why Proa has not written it; empty when it has.
    """

    worst: float = 0.0
    unwritten: str = ""


def run_files(
    sides: dict[str, Side], folder: Path, only: str, workers: int, reasons: dict[str, str]
) -> list[FileOutcome]:
    """Writes the files whose key matches `only`, and has the real Paddle run them."""
    rows = chosen_rows()
    keys = [key for key in (*MODELS, *rows) if re.search(only, key)]
    place = folder / "files"
    shutil.rmtree(place, ignore_errors=True)
    prefixes = {key: str(place / file_name(key)) for key in keys}
    written = run_all(
        sides["proa"], "files", {key: (key, prefixes[key]) for key in keys},
        limit=LIMIT, workers=workers, what="files of proa",
    )  # fmt: skip
    done = [key for key in keys if written[key]["status"] == "ok"]
    read = run_all(
        sides["paddle"], "files", {key: (prefixes[key], True) for key in done},
        limit=LIMIT, workers=workers, what="files on paddle",
    )  # fmt: skip
    return [
        _judge(
            key,
            rows[key].room if key in rows else MODEL_ROOM,
            written[key],
            read.get(key),
            reasons.get(key, ""),
        )
        for key in keys
    ]


def _judge(
    key: str, room: str, written: dict[str, Any], read: dict[str, Any] | None, reason: str
) -> FileOutcome:
    if read is None:
        why = f"{written['status']}: {written.get('message', '')}"
        # What cannot be recorded is no file in any form, what has no arrays no model.
        kinds = ("UnsupportedError", "ProgramError", "NeedsConversion", "NoModel")
        left_out = written["status"] in kinds
        return FileOutcome(key, room, "" if left_out else why, reason, "", 0.0, why)
    if read["status"] != "ok":
        return FileOutcome(key, room, read.get("message", read["status"]), reason)
    return FileOutcome(key, room, read["wrong"], reason, "", read["worst"])


def _written(files: Sequence[FileOutcome]) -> list[FileOutcome]:
    return [each for each in files if not each.unwritten]


def _refused(files: Sequence[FileOutcome]) -> list[FileOutcome]:
    return [each for each in files if each.unwritten.startswith("UnsupportedError")]


def files_summary(files: Sequence[FileOutcome]) -> list[str]:
    """The figures in words."""
    if not files:
        return []
    agree, total = share(_written(files))
    return [
        f"Model files that the real Paddle runs with equal results: {agree} / {total} = "
        f"{agree / max(total, 1):.1%}; refused, with a message that names the calls: "
        f"{len(_refused(files))}"
    ]


def files_markdown(files: Sequence[FileOutcome]) -> str:
    """The part of the page about files."""
    if not files:
        return ""
    lines = ["### Model files", "", *[f"- {line}" for line in files_summary(files)], ""]
    lines += ["| Calls of | Equal | Refused | Largest difference |", "| --- | ---: | ---: | ---: |"]
    for room in sorted({each.room for each in files} - {MODEL_ROOM}):
        own = [each for each in files if each.room == room]
        agree, total = share(_written(own))
        worst = max([each.worst for each in own if not each.difference], default=0.0)
        refused = len(_refused(own)) or ""
        lines.append(f"| {room} | {agree} / {total} | {refused} | {worst:.1e} |")
    lines += ["", "| Model | Largest difference |", "| --- | ---: |"]
    for each in files:
        if each.room == MODEL_ROOM:
            lines.append(f"| {each.name} | {each.difference or f'{each.worst:.1e}'} |")
    names = sorted({each.name.partition("#")[0] for each in _refused(files)})
    lines += ["", "Refused: " + ", ".join(f"`{name}`" for name in names) + "."]
    differing = [each for each in files if each.difference]
    if differing:
        lines += ["", "| File that differs | Reason |", "| --- | --- |"]
        lines += [f"| `{each.name}` | {each.reason or 'open'} |" for each in differing]
    return "\n".join(lines)
