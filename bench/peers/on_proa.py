"""Proa: Paddle's words, with the whole step compiled, not only the forward pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import proa
from bench._workload import Workload
from proa.version import full_version

from ._paddle_words import Words, learner, measure, ordered


def version() -> str:
    """Returns the version."""
    return full_version


def initial(workload: Workload) -> list[np.ndarray]:
    """The weights that all contestants begin with: Proa's own, seed 0."""
    proa.seed(0)
    return [p.numpy() for p in ordered(workload.model(Words(proa)))]


def make(workload: Workload, mode: str, weights: list[np.ndarray]) -> Callable[[], float]:
    """One training step."""
    net, optimizer, x, y = learner(proa, workload, weights)

    def step(x: Any, y: Any) -> Any:
        loss = measure(proa, workload.loss, net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    run = proa.jit.to_static(step, full_graph=True) if mode == "compiled" else step
    return lambda: float(run(x, y))
