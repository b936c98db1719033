"""The names of `fluid.dygraph`."""

from __future__ import annotations

from typing import Any

from proa.utils._shelf import shelf

from . import _guard, _layers

NAMES: dict[str, str | tuple[Any, str]] = {
    "BatchNorm": "proa.nn.BatchNorm",
    "Conv2D": (_layers.Conv2D, "paddle.nn.Conv2D"),
    "DataParallel": "proa.DataParallel",
    "Dropout": (_layers.Dropout, "paddle.nn.Dropout"),
    "Embedding": (_layers.Embedding, "paddle.nn.Embedding"),
    "Layer": "proa.nn.Layer",
    "LayerList": "proa.nn.LayerList",
    "LayerNorm": (_layers.LayerNorm, "paddle.nn.LayerNorm"),
    "Linear": (_layers.Linear, "paddle.nn.Linear"),
    "ParameterList": "proa.nn.ParameterList",
    "PiecewiseDecay": "proa.optimizer.lr.PiecewiseDecay",
    "Pool2D": (_layers.Pool2D, "paddle.nn.MaxPool2D or AvgPool2D"),
    "Sequential": "proa.nn.Sequential",
    "declarative": (_guard.declarative, "paddle.jit.to_static"),
    "enabled": (_guard.enabled, "paddle.in_dynamic_mode"),
    "grad": "proa.grad",
    "guard": (_guard.guard, "nothing: eager mode is on"),
    "load_dygraph": (_guard.load_dygraph, "paddle.load"),
    "no_grad": "proa.no_grad",
    "save_dygraph": (_guard.save_dygraph, "paddle.save"),
    "to_variable": (_guard.to_variable, "paddle.to_tensor"),
}
__getattr__, __dir__ = shelf("paddle.fluid.dygraph", NAMES)
