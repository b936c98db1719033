"""The two proofs: every example of the documentation, every row of the table."""

from __future__ import annotations

import json
import re
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._compare import compare_calls
from ._pool import Side, run_tasks
from ._text import compare_prints
from .table import Call, read_table

EXAMPLE_LIMIT, CALL_LIMIT = 300.0, 180.0
SEEDS = (0, 1)


@dataclass
class Outcome:
    """What became of one example or row.

    Args:
        name: the name of the example, the key of the row.
        room: its room.
        difference: what differs; empty when both sides agree.
        reason: why it may differ; empty when it may not.
        text: the row, written out.
    """

    name: str
    room: str
    difference: str = ""
    reason: str = ""
    text: str = ""

    @property
    def is_open(self) -> bool:
        """Whether a difference has no reason."""
        return bool(self.difference) and not self.reason


@dataclass
class Progress:
    """Lines that say how far a run is, at most one in five seconds.

    Args:
        what: what is being run.
        total: the number of tasks.
    """

    what: str
    total: int
    count: int = 0
    started: float = field(default_factory=time.monotonic)
    shown: float = 0.0

    def step(self) -> None:
        """Counts one task."""
        self.count += 1
        now = time.monotonic()
        if now - self.shown >= 5.0 or self.count == self.total:
            self.shown = now
            bar = "#" * (30 * self.count // self.total)
            seconds = now - self.started
            line = f"{self.what:<18} [{bar:<30}] {self.count}/{self.total}  {seconds:.0f} s"
            print(line, file=sys.stderr, flush=True)


def run_all(
    side: Side, kind: str, tasks: dict[str, Any], *, limit: float, workers: int, what: str
) -> dict[str, dict[str, Any]]:
    """Runs tasks of a kind on one side; returns their answers by name."""
    answers: dict[str, dict[str, Any]] = {}
    progress = Progress(what, len(tasks))

    def done(name: str, answer: dict[str, Any]) -> None:
        answers[name] = answer
        progress.step()

    run_tasks(side, kind, tasks, limit=limit, workers=workers, done=done)
    return answers


def run_calls(sides: dict[str, Side], only: str, workers: int) -> list[Outcome]:
    """Runs the rows whose key matches `only` on both sides and compares them."""
    table = {key: call for key, call in read_table().items() if re.search(only, key)}
    tasks = {key: key for key in table}
    answers = {
        name: run_all(
            side, "calls", tasks, limit=CALL_LIMIT, workers=workers, what=f"calls on {name}"
        )
        for name, side in sides.items()
    }
    return [
        _judge_call(key, call, answers["paddle"][key], answers["proa"][key])
        for key, call in table.items()
    ]


def _judge_call(key: str, call: Call, theirs: dict[str, Any], ours: dict[str, Any]) -> Outcome:
    difference, reason = compare_calls(call, theirs, ours), call.differs
    if reason and not difference:
        difference, reason = f"listed as different, but equal: {reason}", ""
    return Outcome(key, call.room, difference, reason, repr(call))


def read_json(path: Path) -> Any:
    """Reads a file that an earlier run may have written; `{}` when there is none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_json(path: Path, data: Any) -> None:
    """Writes a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(data), encoding="utf-8")
    part.replace(path)


def read_examples(side: Side, folder: Path) -> dict[str, dict[str, Any]]:
    """Returns the examples of the real wheel, extracted once."""
    path = folder / "examples.json"
    found = read_json(path)
    if not found:
        print("reading the examples of the real Paddle", file=sys.stderr, flush=True)
        answers = run_all(side, "docs", {"": "extract"}, limit=600.0, workers=1, what="extract")
        found = answers[""]["examples"]
        write_json(path, found)
    return found


def read_reference(
    side: Side, folder: Path, examples: dict[str, dict[str, Any]], workers: int
) -> dict[str, list[dict[str, Any]]]:
    """Returns the runs of the examples on the real Paddle, one for each seed; kept in a file.

    An example that does not run to the end with the first seed is not run with the second.
    """
    path = folder / "reference.json"
    kept = read_json(path)
    missing = [name for name in examples if name not in kept]
    if missing:
        runs: dict[str, list[dict[str, Any]]] = {name: [] for name in missing}
        for seed in SEEDS:
            # What does not run to the end once does not count; some of it waits for minutes.
            wanted = [name for name in missing if all(r["status"] == "ok" for r in runs[name])]
            answers = run_all(
                side,
                "docs",
                {name: {"sources": examples[name]["sources"], "seed": seed} for name in wanted},
                limit=EXAMPLE_LIMIT,
                workers=workers,
                what=f"paddle, seed {seed}",
            )
            for name, answer in answers.items():
                runs[name].append(answer)
        kept.update(runs)
        write_json(path, kept)
    return kept


def run_docs(
    sides: dict[str, Side], folder: Path, only: str, workers: int, reasons: dict[str, str]
) -> list[Outcome]:
    """Runs the examples whose name matches `only` and that the real Paddle runs to the end."""
    examples = read_examples(sides["paddle"], folder)
    chosen = {name: each for name, each in examples.items() if re.search(only, name)}
    reference = read_reference(sides["paddle"], folder, chosen, workers)
    complete = {
        name: each
        for name, each in chosen.items()
        if all(run["status"] == "ok" for run in reference[name])
    }
    ours = run_all(
        sides["proa"],
        "docs",
        {name: {"sources": each["sources"], "seed": 0} for name, each in complete.items()},
        limit=EXAMPLE_LIMIT,
        workers=workers,
        what="examples on proa",
    )
    return [
        Outcome(
            name,
            each["room"],
            compare_prints(reference[name], ours[name]),
            reasons.get(name, ""),
        )
        for name, each in complete.items()
    ]
