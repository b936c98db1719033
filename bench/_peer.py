"""Runs inside a peer's own environment: prints its figures as one JSON line.

Usage: python bench/_peer.py torch|paddle
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))


def _weights_and_batch() -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    # The same numbers as bench/_mlp_jax.py, which a peer's environment cannot import.
    random = np.random.default_rng(0)
    images = random.normal(size=(64, 784)).astype(np.float32)
    labels = random.integers(0, 10, size=(64,))
    random, sizes, found = np.random.default_rng(1), (784, 256, 256, 10), []
    for fan_in, fan_out in zip(sizes[:-1], sizes[1:], strict=True):
        scale = 1.0 / np.sqrt(fan_in)
        found.append(random.normal(scale=scale, size=(fan_in, fan_out)).astype(np.float32))
        found.append(np.zeros((fan_out,), np.float32))
    return found, images, labels


def torch_step() -> Callable[[], float]:
    """One eager Adam step in torch."""
    import torch

    weights, images, labels = _weights_and_batch()
    net = torch.nn.Sequential(
        torch.nn.Linear(784, 256),
        torch.nn.ReLU(),
        torch.nn.Linear(256, 256),
        torch.nn.ReLU(),
        torch.nn.Linear(256, 10),
    )
    with torch.no_grad():
        for p, w in zip(net.parameters(), weights, strict=True):
            p.copy_(torch.from_numpy(w.T.copy() if w.ndim == 2 else w))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    x, y, loss_fn = torch.from_numpy(images), torch.from_numpy(labels), torch.nn.CrossEntropyLoss()

    def run() -> float:
        loss = loss_fn(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    return run


def paddle_step() -> Callable[[], float]:
    """One eager Adam step in Paddle."""
    import paddle

    weights, images, labels = _weights_and_batch()
    net = paddle.nn.Sequential(
        paddle.nn.Linear(784, 256),
        paddle.nn.ReLU(),
        paddle.nn.Linear(256, 256),
        paddle.nn.ReLU(),
        paddle.nn.Linear(256, 10),
    )
    for p, w in zip(net.parameters(), weights, strict=True):
        p.set_value(w)
    optimizer = paddle.optimizer.Adam(1e-3, parameters=net.parameters())
    x, y = paddle.to_tensor(images), paddle.to_tensor(labels)

    def run() -> float:
        loss = paddle.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return float(loss)

    return run


def main() -> None:
    """Prints `{"name", "version", "losses", "seconds": [...]}`: medians are taken outside."""
    name = sys.argv[1]
    module: Any = __import__(name)
    run = {"torch": torch_step, "paddle": paddle_step}[name]()
    losses = [run() for _ in range(5)]
    for _ in range(50):
        run()
    seconds = []
    for _ in range(15):
        start = time.perf_counter()
        for _ in range(40):
            run()
        seconds.append((time.perf_counter() - start) / 40)
    print(
        json.dumps(
            {"name": name, "version": module.__version__, "losses": losses, "seconds": seconds}
        )
    )


if __name__ == "__main__":
    main()
