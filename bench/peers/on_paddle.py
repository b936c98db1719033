"""Paddle: `to_static` takes the network; backward and optimiser are called outside of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import paddle

from bench._workload import Workload

from ._paddle_words import learner, measure


def version() -> str:
    """Returns the version."""
    return paddle.__version__


def make(workload: Workload, mode: str, weights: list[np.ndarray]) -> Callable[[], float]:
    """One training step."""
    net, optimizer, x, y = learner(paddle, workload, weights)
    call = paddle.jit.to_static(net, full_graph=True) if mode == "compiled" else net

    def run() -> float:
        loss = measure(paddle, workload.loss, call(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return float(loss)

    return run
