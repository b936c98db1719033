"""Memory of a predictor over many runs of many shapes: `python -m bench.soak [RUNS] [SHAPES]`.

What is measured is the memory of the process in use, after 1,000 runs and at the end. With 500
shapes and 32 that stay compiled nearly every run drops a shape and takes another one in.
"""

from __future__ import annotations

import sys
import tempfile
import time

import numpy as np

import proa
from proa.inference import Config, create_predictor, resident_bytes
from proa.static import InputSpec


def main(runs: int = 10_000, shapes: int = 500) -> None:
    """Runs and prints."""
    net = proa.nn.Sequential(proa.nn.Linear(16, 32), proa.nn.ReLU(), proa.nn.Linear(32, 4))
    random = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = proa.jit.save(net, folder + "/net", [InputSpec([None, None, 16], name="x")])
        predictor = create_predictor(Config(path))
        weights = [layer.numpy() for layer in net.parameters()]
        pairs = random.integers(1, 60, (4 * shapes, 2))
        chosen = np.unique(pairs, axis=0)[:shapes]
        start, early, wrong = time.perf_counter(), 0, 0
        for number in range(1, runs + 1):
            batch, length = chosen[random.integers(len(chosen))]
            x = random.standard_normal((batch, length, 16)).astype(np.float32)
            (out,) = predictor.run([x])
            hidden = np.maximum(x @ weights[0] + weights[1], 0)
            wrong += not np.allclose(out, hidden @ weights[2] + weights[3], atol=1e-4)
            if number == min(1000, runs // 10):
                early = resident_bytes()
            if number % 1000 == 0:
                taken = time.perf_counter() - start
                print(f"{number} runs, {resident_bytes() / 1e6:.1f} MB, {taken:.0f} s", flush=True)
        grown = (resident_bytes() - early) / 1e6
        print(f"{len(chosen)} shapes, {wrong} wrong, grown by {grown:.1f} MB since the first tenth")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
