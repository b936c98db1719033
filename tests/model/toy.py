"""A small task for the tests of this folder: which side of a plane points lie on."""

from __future__ import annotations

from typing import Any

import numpy as np

import proa
from proa import nn
from proa.model import Model

POINTS = np.random.default_rng(0).normal(size=(20, 3)).astype("float32")
LABELS = (POINTS.sum(axis=1) > 0).astype("int64")


class Points(proa.io.Dataset):
    def __init__(self, length: int = 20) -> None:
        self.length = length

    def __getitem__(self, index: int) -> Any:
        return POINTS[index], LABELS[index]

    def __len__(self) -> int:
        return self.length


def make_network() -> nn.Layer:
    proa.seed(1)
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))


def make_model(metrics: Any = None, loss: Any = None, rate: Any = 0.1) -> Model:
    model = Model(make_network())
    optimizer = proa.optimizer.SGD(rate, parameters=model.parameters())
    model.prepare(optimizer, loss or nn.CrossEntropyLoss(), metrics)
    return model


def weights(model: Model) -> list[np.ndarray]:
    return [t.numpy() for t in model.network.state_dict().values()]
