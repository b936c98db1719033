"""LeNet on 28² images, batch 64, Adam."""

from __future__ import annotations

from functools import partial
from typing import Any

from bench._workload import Workload, images, training


def build(w: Any) -> Any:
    """The network in the words `w` of a peer."""
    return w.seq(
        w.conv(1, 6, 3, bias=True), w.relu(), w.max_pool(2, 2),
        w.conv(6, 16, 5, bias=True), w.relu(), w.max_pool(2, 2),
        w.flatten(), w.linear(784, 120), w.linear(120, 84), w.linear(84, 10),
    )  # fmt: skip


WORKLOADS = [
    Workload(
        name="LeNet",
        about="28², batch 64, Adam",
        build=build,
        batch=partial(images, 64, 1, 28, 10),
        optimizer=("adam", 1e-3),
        targets=training(1.0, 0.7),
        quick=True,
    )
]
