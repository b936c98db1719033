"""Overheads of eager mode, recording and compiled steps, as ratios: `python -m bench.overhead`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import proa
from proa.version import full_version

from ._mlp_jax import batch, make_step, weights
from ._timing import interleave

_PEERS = {"torch": "PROA_BENCH_TORCH", "paddle": "PROA_BENCH_PADDLE"}


def add_overhead() -> dict[str, float]:
    """Eager 4x4 `add` with a gradient against a call of a jitted JAX add, in seconds."""
    a = proa.to_tensor(np.ones((4, 4), np.float32), stop_gradient=False)
    b = proa.to_tensor(np.ones((4, 4), np.float32))
    jitted, left, right = jax.jit(jnp.add), a._data, b._data
    return interleave(
        {
            "jitted JAX add": lambda: jitted(left, right),
            "add, no gradient": lambda: proa.add(b, b),
            "add, with gradient": lambda: proa.add(a, b),
        }
    )


def import_times(rounds: int = 7) -> dict[str, float]:
    """Seconds for `import jax` and `import proa` in fresh interpreters, taking turns."""
    samples: dict[str, list[float]] = {"jax": [], "proa": []}
    # Where byte code may not be kept, each start would compile Proa's sources anew.
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(rounds):
        for name, found in samples.items():
            clock = "time.perf_counter()"
            code = f"import time; s = {clock}; import {name}; print({clock} - s)"
            out = subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
            )
            found.append(float(out.stdout))
    return {name: statistics.median(found) for name, found in samples.items()}


def _network() -> tuple[Any, Any, Any, Any]:
    net = proa.nn.Sequential(
        proa.nn.Linear(784, 256),
        proa.nn.ReLU(),
        proa.nn.Linear(256, 256),
        proa.nn.ReLU(),
        proa.nn.Linear(256, 10),
    )
    for p, w in zip(net.parameters(), weights(), strict=True):
        p.set_value(w)
    optimizer = proa.optimizer.Adam(1e-3, parameters=net.parameters())
    images, labels = batch()
    return net, optimizer, proa.to_tensor(images), proa.to_tensor(labels)


def make_eager() -> Callable[[], float]:
    """One eager Adam step."""
    net, optimizer, x, y = _network()

    def run() -> float:
        loss = proa.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return float(loss)

    return run


def make_compiled() -> Callable[[], float]:
    """The same step, compiled whole."""
    net, optimizer, x, y = _network()

    @proa.jit.to_static(full_graph=True)
    def step(x: Any, y: Any) -> Any:
        loss = proa.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    return lambda: float(step(x, y))


def run_peer(name: str) -> dict[str, Any] | None:
    """Figures of a peer in its own environment, or `None` when none is named."""
    python = os.environ.get(_PEERS[name])
    if not python:
        return None
    script = Path(__file__).with_name("_peer.py")
    out = subprocess.run([python, str(script), name], capture_output=True, text=True, check=True)
    return json.loads(out.stdout.strip().splitlines()[-1])


def _line(what: str, value: str, ratio: float | None = None, budget: float | None = None) -> str:
    text = f"{what:<44} {value:>12}"
    if ratio is not None:
        text += f"   {ratio:5.2f} x"
    if ratio is not None and budget is not None:
        text += f"  (budget {budget:.2f}: {'met' if ratio <= budget else 'MISSED'})"
    return text


def main() -> None:
    """Prints the table that bench/RESULTS.md keeps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="interleaved rounds per figure")
    rounds = parser.parse_args().rounds
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, jax {jax.__version__}, proa {full_version}"
    )
    add = add_overhead()
    base = add["jitted JAX add"]
    for name, seconds in add.items():
        budget = 2.5 if name == "add, with gradient" else None
        print(_line(f"4x4 {name}", f"{seconds * 1e6:.2f} us", seconds / base, budget))
    times = import_times()
    print(_line("import jax", f"{times['jax'] * 1e3:.0f} ms"))
    print(_line("import proa", f"{times['proa'] * 1e3:.0f} ms", times["proa"] / times["jax"], 1.3))
    jax_step = make_step()
    steps = {"hand-written JAX": jax_step, "eager": make_eager(), "compiled": make_compiled()}
    mlp = interleave(steps, rounds=rounds, seconds=0.3)
    for name, seconds in mlp.items():
        budget = 1.1 if name == "compiled" else None
        ratio = seconds / mlp["hand-written JAX"]
        print(_line(f"MLP Adam step, {name}", f"{seconds * 1e3:.3f} ms", ratio, budget))
    for name, budget in (("torch", 1.0), ("paddle", 0.7)):
        figures = run_peer(name)
        if figures is None:
            print(f"MLP Adam step, {name}: skipped, set {_PEERS[name]} (see bench/README.md)")
            continue
        peer = statistics.median(figures["seconds"])
        label = f"MLP Adam step, {name} {figures['version']} eager"
        print(_line(label, f"{peer * 1e3:.3f} ms"))
        print(_line(f"  Proa eager / {name} eager", "", mlp["eager"] / peer, budget))


if __name__ == "__main__":
    main()
