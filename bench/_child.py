"""A contestant's process: `python -m bench._child PEER`, in the environment of that peer.

It answers JSON lines with JSON lines: what a library prints goes to the error stream.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from bench._workload import load_all


def peak_bytes() -> int:
    """The most memory that the process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Child:
    """Makes contestants and runs them when told to."""

    def __init__(self, peer: str) -> None:
        start = time.perf_counter()
        self.peer, self.module = peer, importlib.import_module(f"bench.peers.on_{peer}")
        self.import_seconds = time.perf_counter() - start
        self.baseline = peak_bytes()
        self.workloads = load_all()
        self.runs: dict[str, Callable[[], float]] = {}

    def about(self) -> dict[str, Any]:
        """Version, and what the import took."""
        return {
            "version": self.module.version(),
            "import": self.import_seconds,
            "baseline": self.baseline,
        }

    def initial(self, workload: str, path: str) -> dict[str, Any]:
        """Writes the weights that all contestants of a workload begin with."""
        arrays = self.module.initial(self.workloads[workload])
        np.savez(path, **{f"{i:04d}": array for i, array in enumerate(arrays)})
        return {"count": len(arrays)}

    def make(self, workload: str, mode: str, weights: str | None) -> dict[str, Any]:
        """Makes a contestant and takes its first three turns."""
        chosen, start = self.workloads[workload], time.perf_counter()
        if chosen.twins:
            run = chosen.twins[self.peer](mode)
        else:
            with np.load(str(weights)) as file:
                arrays = [file[name] for name in sorted(file.files)]
            run = self.module.make(chosen, mode, arrays)
        made = time.perf_counter() - start
        start = time.perf_counter()
        losses = [float(run())]
        first = time.perf_counter() - start
        losses += [float(run()) for _ in range(2)]
        self.runs[mode] = run
        return {"losses": losses, "made": made, "first": first, "peak": peak_bytes()}

    def run(self, mode: str, count: int) -> dict[str, Any]:
        """Seconds per call, after one that is not counted.

        Training does not pause: after an idle second the first step takes half as long again.
        """
        run = self.runs[mode]
        run()
        start = time.perf_counter()
        for _ in range(count):
            run()
        return {"seconds": (time.perf_counter() - start) / count}

    def drop(self) -> dict[str, Any]:
        """Forgets what was made."""
        self.runs.clear()
        gc.collect()
        return {}


def main() -> None:
    """Answers until its input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    child = Child(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(child, request.pop("do"))(**request)
        except Exception as error:
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"[:500]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
