"""A detector like DBNet: ResNet-18 stages, a pyramid of features, a map of the text's places."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench._workload import Workload, training
from bench.workloads.resnet import block, normed

_WIDTHS = (64, 128, 256, 512)


def level(w: Any, number: int) -> Any:
    """Stage `number`, and what the deeper stages add to its features, at its resolution."""
    width = _WIDTHS[number]
    source = _WIDTHS[max(number - 1, 0)]
    first = block(w, source, width, 2 if number else 1, False)
    stage = w.seq(first, block(w, width, width, 1, False))
    lateral = w.conv(width, 96, 1)
    if number == len(_WIDTHS) - 1:
        return w.seq(stage, lateral)
    return w.seq(stage, w.residual(w.seq(level(w, number + 1), w.upsample(2)), lateral))


def build(w: Any) -> Any:
    """The network in the words `w` of a peer: logits of a map with a quarter of the resolution."""
    stem = [*normed(w, 3, 64, 7, 2), w.relu(), w.max_pool(3, 2, 1)]
    head = [*normed(w, 96, 24, 3), w.relu(), w.upsample(2), *normed(w, 24, 24, 3), w.relu()]
    return w.seq(*stem, level(w, 0), *head, w.conv(24, 1, 1, bias=True))


def batch() -> tuple[np.ndarray, np.ndarray]:
    """Images and masks."""
    random = np.random.default_rng(0)
    x = random.normal(size=(4, 3, 160, 160)).astype(np.float32)
    return x, (random.random((4, 1, 80, 80)) < 0.2).astype(np.float32)


WORKLOADS = [
    Workload(
        name="detector",
        about="like DBNet on ResNet-18, batch 4 x 160², Adam",
        build=build,
        batch=batch,
        loss="mask",
        optimizer=("adam", 1e-3),
        targets=training(None, 1.0),
    )
]
