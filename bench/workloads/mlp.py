"""MLP 784-256-256-10, batch 64, Adam."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench._workload import Workload, training


def build(w: Any) -> Any:
    """The network in the words `w` of a peer."""
    return w.seq(w.linear(784, 256), w.relu(), w.linear(256, 256), w.relu(), w.linear(256, 10))


def batch() -> tuple[np.ndarray, np.ndarray]:
    """Images as rows, and labels."""
    random = np.random.default_rng(0)
    return random.normal(size=(64, 784)).astype(np.float32), random.integers(0, 10, (64,))


WORKLOADS = [
    Workload(
        name="MLP",
        about="784-256-256-10, batch 64, Adam",
        build=build,
        batch=batch,
        optimizer=("adam", 1e-3),
        targets=training(1.0, 0.7),
        quick=True,
    )
]
