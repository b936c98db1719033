"""torch, eager and `torch.compile` of the network with its loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from bench._workload import Workload


class _Residual(nn.Module):
    def __init__(self, body: Any, skip: Any) -> None:
        super().__init__()
        self.body, self.skip = body, skip

    def forward(self, x: Any) -> Any:
        return self.body(x) + (x if self.skip is None else self.skip(x))


class _Gate(nn.Module):
    def __init__(self, body: Any) -> None:
        super().__init__()
        self.body = body

    def forward(self, x: Any) -> Any:
        return x * self.body(x)


class _Positions(nn.Module):
    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.zeros(length, width))

    def forward(self, x: Any) -> Any:
        return x + self.table


class _Attention(nn.Module):
    def __init__(self, width: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.heads, self.causal = heads, causal

    def forward(self, x: Any) -> Any:
        batch, length, width = x.shape
        split = (batch, length, self.heads, width // self.heads)
        q, k, v = (part(x).view(split).transpose(1, 2) for part in (self.q, self.k, self.v))
        found = functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(found.transpose(1, 2).reshape(batch, length, width))


class _Lstm(nn.Module):
    def __init__(self, source: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(source, hidden, num_layers=layers, batch_first=True)

    def forward(self, x: Any) -> Any:
        return self.lstm(x)[0]


class Words:
    """Layers by the names that workloads use."""

    seq, relu, gelu, flatten, linear = nn.Sequential, nn.ReLU, nn.GELU, nn.Flatten, nn.Linear
    hardswish, hardsigmoid, max_pool = nn.Hardswish, nn.Hardsigmoid, nn.MaxPool2d
    batch_norm, layer_norm, embedding = nn.BatchNorm2d, nn.LayerNorm, nn.Embedding
    gate, positions, attention, lstm = _Gate, _Positions, _Attention, _Lstm

    @staticmethod
    def conv(
        source: int, target: int, kernel: int, stride: int = 1, groups: int = 1, bias: bool = False
    ) -> Any:
        return nn.Conv2d(source, target, kernel, stride, kernel // 2, groups=groups, bias=bias)

    @staticmethod
    def residual(body: Any, skip: Any = None) -> Any:
        return _Residual(body, skip)

    @staticmethod
    def mean() -> Any:
        return nn.AdaptiveAvgPool2d(1)

    @staticmethod
    def upsample(factor: int) -> Any:
        return nn.Upsample(scale_factor=factor, mode="nearest")


def version() -> str:
    """Returns the version."""
    return torch.__version__


def _load(net: Any, weights: list[np.ndarray]) -> None:
    transposed = {id(m.weight) for m in net.modules() if isinstance(m, nn.Linear)}
    with torch.no_grad():
        for parameter, value in zip(net.parameters(), weights, strict=True):
            array = value.T.copy() if id(parameter) in transposed else value
            if tuple(array.shape) != tuple(parameter.shape):
                raise ValueError(f"{array.shape} for a parameter of {tuple(parameter.shape)}")
            parameter.copy_(torch.from_numpy(array))


def make(workload: Workload, mode: str, weights: list[np.ndarray]) -> Callable[[], float]:
    """One training step."""
    net = workload.model(Words)
    _load(net, weights)
    name, rate = workload.optimizer
    if name == "sgd":
        optimizer: Any = torch.optim.SGD(net.parameters(), rate, momentum=0.9)
    elif name == "adam":
        optimizer = torch.optim.Adam(net.parameters(), rate)
    else:
        optimizer = torch.optim.AdamW(net.parameters(), rate, weight_decay=0.01)
    x, y = (torch.from_numpy(array) for array in workload.data())

    def measure(x: Any, y: Any) -> Any:
        out = net(x)
        if workload.loss == "mask":
            return functional.binary_cross_entropy_with_logits(out, y)
        return functional.cross_entropy(out.reshape(-1, out.shape[-1]), y.reshape(-1))

    call = torch.compile(measure) if mode == "compiled" else measure

    def run() -> float:
        loss = call(x, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    return run
