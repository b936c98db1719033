"""The words for the two frameworks that have Paddle's API: Proa and Paddle."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from bench._workload import Workload


def _layers(nn: Any) -> SimpleNamespace:
    class Residual(nn.Layer):
        def __init__(self, body: Any, skip: Any) -> None:
            super().__init__()
            self.body, self.skip = body, skip

        def forward(self, x: Any) -> Any:
            return self.body(x) + (x if self.skip is None else self.skip(x))

    class Gate(nn.Layer):
        def __init__(self, body: Any) -> None:
            super().__init__()
            self.body = body

        def forward(self, x: Any) -> Any:
            return x * self.body(x)

    class Positions(nn.Layer):
        def __init__(self, length: int, width: int) -> None:
            super().__init__()
            self.table = self.create_parameter([length, width])

        def forward(self, x: Any) -> Any:
            return x + self.table

    class Attention(nn.Layer):
        def __init__(self, width: int, heads: int, causal: bool) -> None:
            super().__init__()
            self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
            self.heads, self.causal = heads, causal

        def forward(self, x: Any) -> Any:
            batch, length, width = x.shape
            split = [batch, length, self.heads, width // self.heads]
            q, k, v = (part(x).reshape(split) for part in (self.q, self.k, self.v))
            attend = nn.functional.scaled_dot_product_attention
            found = attend(q, k, v, is_causal=self.causal)
            return self.out(found.reshape([batch, length, width]))

    class Lstm(nn.Layer):
        def __init__(self, source: int, hidden: int, layers: int) -> None:
            super().__init__()
            self.lstm = nn.LSTM(source, hidden, num_layers=layers)

        def forward(self, x: Any) -> Any:
            return self.lstm(x)[0]

    return SimpleNamespace(
        residual=Residual, gate=Gate, positions=Positions, attention=Attention, lstm=Lstm
    )


class Words:
    """Layers by the names that workloads use."""

    def __init__(self, framework: Any) -> None:
        nn = framework.nn
        self._nn, own = nn, _layers(nn)
        self.gate, self.positions, self.attention = own.gate, own.positions, own.attention
        self.lstm, self._residual = own.lstm, own.residual
        self.batch_norm, self.layer_norm = nn.BatchNorm2D, nn.LayerNorm
        self.linear, self.seq, self.embedding = nn.Linear, nn.Sequential, nn.Embedding
        self.relu, self.gelu, self.flatten = nn.ReLU, nn.GELU, nn.Flatten
        self.hardswish, self.hardsigmoid = nn.Hardswish, nn.Hardsigmoid
        self.max_pool = nn.MaxPool2D

    def conv(
        self, source: int, target: int, kernel: int, stride: int = 1, groups: int = 1,
        bias: bool = False,
    ) -> Any:  # fmt: skip
        padding, attr = kernel // 2, None if bias else False
        return self._nn.Conv2D(
            source, target, kernel, stride, padding, groups=groups, bias_attr=attr
        )

    def residual(self, body: Any, skip: Any = None) -> Any:
        return self._residual(body, skip)

    def mean(self) -> Any:
        return self._nn.AdaptiveAvgPool2D(1)

    def upsample(self, factor: int) -> Any:
        return self._nn.Upsample(scale_factor=factor, mode="nearest")


def ordered(layer: Any) -> list[Any]:
    """What is trained, depth first: running means are parameters too, which no peer shares."""
    own = layer.parameters(include_sublayers=False)
    found = [parameter for parameter in own if not parameter.stop_gradient]
    for child in layer.children():
        found += ordered(child)
    # A recurrent layer has what its cells have.
    return list({id(parameter): parameter for parameter in found}.values())


def learner(framework: Any, workload: Workload, weights: list[np.ndarray]) -> tuple[Any, ...]:
    """Network with the weights given, optimiser, and the batch as tensors."""
    net = workload.model(Words(framework))
    for parameter, value in zip(ordered(net), weights, strict=True):
        parameter.set_value(value)
    name, rate = workload.optimizer
    kinds, parameters = framework.optimizer, net.parameters()
    if name == "sgd":
        optimizer = kinds.Momentum(rate, momentum=0.9, parameters=parameters)
    elif name == "adam":
        optimizer = kinds.Adam(rate, parameters=parameters)
    else:
        optimizer = kinds.AdamW(rate, parameters=parameters, weight_decay=0.01)
    x, y = (framework.to_tensor(array) for array in workload.data())
    return net, optimizer, x, y


def measure(framework: Any, name: str, out: Any, y: Any) -> Any:
    """The loss."""
    functional = framework.nn.functional
    if name == "mask":
        return functional.binary_cross_entropy_with_logits(out, y)
    return functional.cross_entropy(out.reshape([-1, out.shape[-1]]), y.reshape([-1]))
