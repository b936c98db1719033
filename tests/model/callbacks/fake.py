"""A model for callbacks: no network, but all that callbacks look at."""

from __future__ import annotations

from typing import Any

import proa


class FakeModel:
    def __init__(self, rate: Any = 1.0) -> None:
        weight = proa.to_tensor([1.0], stop_gradient=False)
        self._optimizer = proa.optimizer.SGD(rate, parameters=[weight])
        self.stop_training = False
        self.num_steps = 0
        self.saved: list[str] = []
        self.requests: list[Any] = []

    def save(self, path: str) -> None:
        self.saved.append(path)

    def request_checkpoint(self, folder: str, keep: int) -> None:
        self.requests.append((folder, keep))


def attach(callback: Any, rate: Any = 1.0, **params: Any) -> FakeModel:
    model = FakeModel(rate)
    callback.set_model(model)
    callback.set_params(params)
    callback.on_train_begin()
    return model
