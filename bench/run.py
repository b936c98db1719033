"""Runs the workloads against the peers and writes the results: `python -m bench.run`.

Contestants take turns (A B A B ...), each in a process of its own that waits until it is asked.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._peer import ROOT, VARIABLES, Peer, PeerError, interpreter
from ._report import line, shown, write
from ._statistics import disagreements, summary, verdicts
from ._workload import CONTESTANTS, Workload, load_all

#: Seconds between turns: threads of OpenMP wait actively for 0.2 s for the next run.
_PAUSE = 0.25


@dataclass
class Result:
    """What came out of one workload."""

    workload: Workload
    samples: dict[str, list[float]] = field(default_factory=dict)
    losses: dict[str, list[float]] = field(default_factory=dict)
    first: dict[str, float] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def record(self) -> dict[str, Any]:
        """As it goes into results.json."""
        figures = {name: summary(values) for name, values in self.samples.items() if values}
        medians = {name: figure["median"] for name, figure in figures.items()}
        return {
            "name": self.workload.name,
            "about": self.workload.about,
            "figure": self.workload.figure,
            "figures": figures,
            "first": self.first,
            "losses": self.losses,
            "failed": self.failed,
            "wrong": self.wrong,
            "verdicts": [
                {**vars(v), "met": v.met} for v in verdicts(medians, self.workload.targets)
            ],
        }


class Bench:
    """The processes of the peers, and the time that is left."""

    def __init__(self, folder: Path, log: Any, seconds: float, chosen: list[str]) -> None:
        self.folder, self.log, self.end = folder, log, time.monotonic() + seconds
        self.pythons = {peer: interpreter(peer) for peer, _ in CONTESTANTS.values()}
        self.chosen = [n for n in chosen if self.pythons[CONTESTANTS[n][0]] is not None]
        self.peers: dict[str, Peer] = {}
        self.versions: dict[str, str] = {}

    def start(self, name: str) -> Peer:
        """A new process of a peer."""
        python = self.pythons[name]
        if python is None:
            raise PeerError(f"{name}: no interpreter, set {VARIABLES[name]}")
        return Peer(name, python, self.log)

    def peer(self, name: str) -> Peer:
        """The process of a peer, started when it is first needed or has ended."""
        if name not in self.peers or not self.peers[name].alive:
            self.peers[name] = self.start(name)
            self.versions[name] = self.peers[name].ask("about")["version"]
        return self.peers[name]

    def weights(self, workload: Workload) -> str:
        """The file with the weights that all begin with."""
        path = self.folder / f"{workload.name}.npz"
        if workload.build is not None and not path.exists():
            self.peer("proa").ask("initial", workload=workload.name, path=str(path))
        return str(path)

    def contestants(self, workload: Workload) -> list[str]:
        """Who takes part."""
        able = set(workload.twins) or {peer for peer, _ in CONTESTANTS.values()}
        out = workload.left_out
        return [n for n in self.chosen if CONTESTANTS[n][0] in able and n not in out]

    def close(self) -> None:
        """Ends the processes."""
        for peer in self.peers.values():
            peer.close()


def interleaved(bench: Bench, workload: Workload, rounds: int, seconds: float) -> Result:
    """Makes the contestants one after the other, then lets them take turns."""
    result, counts, end = Result(workload), {}, bench.end
    weights = bench.weights(workload)
    for name in bench.contestants(workload):
        peer, mode = CONTESTANTS[name]
        left = min(240.0, end - time.monotonic())
        if left < 5:
            result.failed[name] = "no time was left"
            continue
        try:
            made = bench.peer(peer).ask(
                "make", left, workload=workload.name, mode=mode, weights=weights
            )
            once = bench.peer(peer).ask("run", left, mode=mode, count=1)["seconds"]
        except PeerError as error:
            result.failed[name] = str(error)
            continue
        result.losses[name], result.first[name] = made["losses"], made["made"] + made["first"]
        counts[name], result.samples[name] = max(1, min(1000, int(seconds / once))), []
    for _ in range(rounds):
        for name, count in list(counts.items()):
            peer, mode = CONTESTANTS[name]
            time.sleep(_PAUSE)
            if result.samples[name] and time.monotonic() > end:
                continue
            try:
                turn = bench.peer(peer).ask("run", mode=mode, count=count)
            except PeerError as error:
                result.failed[name] = str(error)
                del counts[name]
                continue
            result.samples[name].append(turn["seconds"])
    for peer in bench.peers.values():
        if peer.alive:
            peer.ask("drop")
    result.wrong = disagreements(result.losses, workload.tolerance)
    return result


def _fresh_figure(figure: str, about: dict[str, Any], made: dict[str, Any]) -> float:
    if figure == "memory":
        return made["peak"] - about["baseline"]
    if figure == "import":
        return about["import"]
    if figure == "compile":
        return made["first"]
    return about["import"] + made["made"] + made["first"]


def fresh(bench: Bench, workload: Workload, rounds: int, model: Workload) -> Result:
    """New processes: seconds from their start to the first loss, or bytes above the import."""
    result = Result(workload)
    weights = bench.weights(model)
    # A first process fills the caches of those that keep what they compile.
    for turn in range(rounds + workload.warm):
        for name in bench.contestants(workload):
            peer, mode = CONTESTANTS[name]
            if name in result.failed or time.monotonic() > bench.end:
                continue
            child = bench.start(peer)
            try:
                about = child.ask("about", 60)
                made = child.ask("make", 240, workload=model.name, mode=mode, weights=weights)
            except PeerError as error:
                result.failed[name] = str(error)
                continue
            finally:
                child.close()
            result.losses[name] = made["losses"]
            if turn >= workload.warm:
                figure = _fresh_figure(workload.figure, about, made)
                result.samples.setdefault(name, []).append(figure)
    result.wrong = disagreements(result.losses, model.tolerance)
    return result


def measure(bench: Bench, wanted: list[Workload], arguments: argparse.Namespace) -> list[Any]:
    """Runs the workloads; each has its share of the time that is left."""
    everything, records, last = load_all(), [], bench.end
    for number, workload in enumerate(wanted):
        start = time.monotonic()
        if start > last:
            print(f"{workload.name}: no time was left", flush=True)
            continue
        # Twice an equal share, so that heavy workloads may take what light ones leave.
        bench.end = min(last, start + max(30.0, 2 * (last - start) / (len(wanted) - number)))
        if workload.fresh:
            turns = 1 if arguments.quick else 2
            result = fresh(bench, workload, turns, everything[workload.fresh])
        else:
            result = interleaved(bench, workload, arguments.rounds, arguments.seconds)
        record = result.record()
        records.append(record)
        print(f"{workload.name}: {time.monotonic() - start:.0f} s", flush=True)
        for name, figure in record["figures"].items():
            print(f"  {name:<18} {shown(figure['median'], workload.figure)}", flush=True)
        for verdict in record["verdicts"]:
            print("  " + line(verdict), flush=True)
        for message in [*result.wrong, *result.failed.values()]:
            print(f"  ! {message}", flush=True)
    return records


def parsed(given: list[str] | None = None) -> argparse.Namespace:
    """The arguments."""
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    parser.add_argument("--only", default="", help="workloads whose name has this in it")
    parser.add_argument("--contestants", default="", help="e.g. 'proa,torch eager' (part of name)")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each contestant")
    parser.add_argument("--seconds", type=float, default=0.4, help="about how long a turn takes")
    parser.add_argument("--budget", type=float, default=1200.0, help="seconds for everything")
    parser.add_argument("--quick", action="store_true", help="few workloads, two turns, 110 s")
    parser.add_argument("--write", action="store_true", help="write RESULTS.md, .json and .svg")
    parser.add_argument("--log", default="", help="file for what the peers print")
    found = parser.parse_args(given)
    if found.quick:
        found.rounds, found.seconds = min(found.rounds, 2), min(found.seconds, 0.1)
        found.budget = min(found.budget, 110.0)
    return found


def machine() -> str:
    """One line about the machine."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [x for x in info.read_text().splitlines() if x.startswith("model name")]
        model = names[0].split(":", 1)[1].strip() if names else model
    return f"{os.cpu_count()} cores of {model}, Python {platform.python_version()}"


def main(given: list[str] | None = None) -> int:
    """Runs, prints, writes; the result is 1 when losses disagree or a contestant failed."""
    arguments = parsed(given)
    wanted = [
        workload
        for workload in load_all().values()
        if arguments.only.lower() in workload.name.lower()
        and (workload.quick or not arguments.quick)
    ]
    parts = [part.strip() for part in arguments.contestants.split(",")]
    chosen = [name for name in CONTESTANTS if any(part in name for part in parts)]
    with tempfile.TemporaryDirectory() as folder:
        log = open(arguments.log or Path(folder) / "log", "w")
        bench = Bench(Path(folder), log, arguments.budget, chosen)
        for peer, python in bench.pythons.items():
            if python is None:
                print(f"{peer}: left out, set {VARIABLES[peer]} or run `make bench`")
        try:
            records = measure(bench, wanted, arguments)
        finally:
            bench.close()
            log.close()
    about = {"machine": machine(), "versions": bench.versions, "rounds": arguments.rounds}
    if arguments.write:
        write(ROOT / "bench", about, records)
    return int(any(record["wrong"] or record["failed"] for record in records))


if __name__ == "__main__":
    sys.exit(main())
