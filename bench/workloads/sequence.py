"""LSTM tagger, encoder and GPT of 12 layers of 768."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench._workload import Workload, training


def block(w: Any, width: int, heads: int, causal: bool) -> list[Any]:
    """A transformer layer with its norms before attention and feed-forward part."""
    attend = w.seq(w.layer_norm(width), w.attention(width, heads, causal))
    wide = w.linear(width, 4 * width)
    forward = w.seq(w.layer_norm(width), wide, w.gelu(), w.linear(4 * width, width))
    return [w.residual(attend), w.residual(forward)]


def transformer(
    w: Any, words: int, length: int, classes: int, causal: bool, layers: int = 12, width: int = 768
) -> Any:
    """Embedding, positions, layers and a linear layer over each token."""
    blocks = [part for _ in range(layers) for part in block(w, width, 12, causal)]
    head = [w.layer_norm(width), w.linear(width, classes)]
    return w.seq(w.embedding(words, width), w.positions(length, width), *blocks, *head)


def tagger(w: Any) -> Any:
    """Embedding, two LSTM layers, tags."""
    return w.seq(w.embedding(10000, 128), w.lstm(128, 256, 2), w.linear(256, 10))


def tokens(batch: int, length: int, words: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Random tokens and the class of each."""
    random = np.random.default_rng(0)
    return random.integers(0, words, (batch, length)), random.integers(0, classes, (batch, length))


WORKLOADS = [
    Workload(
        name="LSTM tagger",
        about="2 layers of 256, batch 16 x 32, Adam",
        build=tagger,
        batch=partial(tokens, 16, 32, 10000, 10),
        optimizer=("adam", 1e-3),
        targets=training(None, 0.7),
    ),
    Workload(
        name="encoder 12x768",
        about="batch 8 x 128, AdamW",
        build=partial(transformer, words=10000, length=128, classes=10, causal=False),
        batch=partial(tokens, 8, 128, 10000, 10),
        optimizer=("adamw", 1e-4),
        targets=training(1.0, 0.7),
        # Paddle takes 14 s a step either way, so it is asked once.
        left_out=("paddle to_static",),
    ),
    Workload(
        name="GPT 12x768",
        about="batch 4 x 256, 32,000 words, AdamW",
        build=partial(transformer, words=32000, length=256, classes=32000, causal=True),
        batch=partial(tokens, 4, 256, 32000, 32000),
        optimizer=("adamw", 1e-4),
        targets=training(None, 0.7),
        left_out=("paddle eager", "paddle to_static"),
    ),
]
