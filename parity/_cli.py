"""The command line: runs both proofs, prints what differs, keeps the page up to date."""

from __future__ import annotations

import argparse
import os
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ._files_report import FileOutcome, files_markdown, files_summary, run_files
from ._pool import ROOT, Side
from ._report import (
    WANTED_SHARE,
    markdown,
    room_rows,
    scopes,
    summary,
    terminal_table,
    write_page,
)
from ._run import Outcome, read_json, run_calls, run_docs, write_json

FOLDER = ROOT / ".parity"
PAGE = ROOT / "docs" / "parity.md"
REASONS = Path(__file__).with_name("reasons.toml")
# Another interpreter with the real wheel, instead of the one that `make parity` sets up.
VARIABLE = "PROA_PARITY_PADDLE"


def make_sides(folder: Path, paddle: str) -> dict[str, Side]:
    """The two interpreters; one thread each, since several workers share the machine."""
    threads = {"OMP_NUM_THREADS": "1", "GLOG_minloglevel": "3"}
    cache = {
        "JAX_PLATFORMS": "cpu",
        "JAX_COMPILATION_CACHE_DIR": str(folder / "jax"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }
    worker = ("-m", "parity._worker")
    return {
        "paddle": Side(
            "paddle", (paddle, *worker, "paddle"), folder / "scratch" / "paddle", threads
        ),
        "proa": Side(
            "proa",
            (sys.executable, *worker, "proa"),
            folder / "scratch" / "proa",
            {**threads, **cache},
        ),
    }


def _earlier(path: Path) -> list[Outcome]:
    return [Outcome(**each) for each in read_json(path) or []]


def _print_differences(title: str, outcomes: Sequence[Outcome], everything: bool) -> None:
    for each in outcomes:
        if each.difference and (everything or not each.reason):
            because = f"  [{each.reason}]" if each.reason else ""
            print(f"{title} {each.name}: {each.difference}{because}")
            if each.text:
                print(f"    {each.text}")


def verdict(docs: Sequence[Outcome], calls: Sequence[Outcome]) -> int:
    """Returns 1 when a call or a file differs without a reason or too few examples agree."""
    too_few = any(agree < WANTED_SHARE * total for agree, total in scopes(docs).values())
    return int(too_few or any(each.is_open for each in calls))


def main(arguments: list[str] | None = None) -> int:
    """Runs what the options ask for; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m parity", description=__doc__)
    parser.add_argument("--only", default="", metavar="REGEX", help="names to run; writes no page")
    parser.add_argument("--docs", action="store_true", help="the examples alone")
    parser.add_argument("--calls", action="store_true", help="the table of calls alone")
    parser.add_argument("--files", action="store_true", help="the model files alone")
    parser.add_argument("--list", action="store_true", help="print listed differences, too")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where files are kept")
    options = parser.parse_args(arguments)
    folder = options.folder.resolve()
    paddle = os.environ.get(VARIABLE) or str(folder / "venv" / "bin" / "python")
    if not Path(paddle).exists():
        parser.error(f"no interpreter at {paddle}: run `make parity`, or set {VARIABLE}")
    sides = make_sides(folder, paddle)
    everything = options.docs == options.calls == options.files
    docs, calls = (_earlier(folder / f"{kind}.json") for kind in ("docs", "calls"))
    files = [FileOutcome(**each) for each in read_json(folder / "files.json") or []]
    reasons = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    if options.only:
        docs, calls, files = [], [], []
    if everything or options.calls:
        calls = run_calls(sides, options.only, options.workers)
        _print_differences("call", calls, options.list)
    if everything or options.docs:
        docs = run_docs(sides, folder, options.only, options.workers, reasons["examples"])
        _print_differences("example", docs, options.list)
    if everything or options.files:
        files = run_files(sides, folder, options.only, options.workers, reasons["files"])
        _print_differences("file", files, options.list)
    print(terminal_table(room_rows(docs, calls)))
    print("\n".join([*summary(docs, calls), *files_summary(files)]))
    if not options.only:
        for kind, outcomes in (("docs", docs), ("calls", calls), ("files", files)):
            write_json(folder / f"{kind}.json", [asdict(each) for each in outcomes])
        write_page(PAGE, markdown(docs, calls) + "\n" + files_markdown(files))
    return verdict(docs, [*calls, *files])
