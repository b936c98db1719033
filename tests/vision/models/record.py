"""States and outputs of Paddle 3.3.1's models, as `recorded.json` has them.

`"state"`: number of entries of the state dict, number of numbers in them, CRC-32 of the lines
`name:shape` in order. `"forward"`: for a model with the weights of `fill`, the first numbers of
each output for an input that runs evenly from -1 to 1.
"""

from __future__ import annotations

import json
import math
import zlib
from pathlib import Path
from typing import Any

import numpy as np

import proa
from proa.vision import models

RECORD = json.loads(Path(__file__).with_name("recorded.json").read_text(encoding="utf-8"))


class Zeros(proa.nn.initializer.Initializer):
    """Zeros without a random number, so that large models are built at once."""

    def forward(self, param: Any, block: Any = None) -> Any:
        """Leaves the parameter as it is made: zeros."""
        return param


def build(name: str, *args: Any, **kwargs: Any) -> Any:
    """Builds a model of `proa.vision.models` with zeros as weights."""
    proa.nn.initializer.set_global_initializer(Zeros(), Zeros())
    try:
        return getattr(models, name)(*args, **kwargs)
    finally:
        proa.nn.initializer.set_global_initializer(None)


def check_state(name: str, model: Any = None) -> None:
    """Compares names, shapes and order of the entries of the state dict."""
    state = (model or build(name)).state_dict()
    shapes = {key: list(map(int, value.shape)) for key, value in state.items()}
    lines = "\n".join(f"{key}:{','.join(map(str, shape))}" for key, shape in shapes.items())
    found = [len(shapes), sum(map(math.prod, shapes.values())), zlib.crc32(lines.encode())]
    assert found == RECORD["state"][name]


def fill(model: Any) -> None:
    """Gives each entry of the state dict values that depend on its name and shape only."""
    for key, tensor in model.state_dict().items():
        generator = np.random.RandomState(zlib.crc32(key.encode()))
        shape = tuple(map(int, tensor.shape))
        if key.endswith("_variance"):
            values = generator.uniform(0.5, 1.5, shape)
        elif key.endswith("_mean"):
            values = generator.normal(0, 0.1, shape)
        elif len(shape) == 1:
            scales = "bn" in key or "norm" in key
            values = generator.normal(0.5 if scales else 0.0, 0.2, shape)
        else:
            inputs = math.prod(shape[1:]) if len(shape) == 4 else shape[0]
            values = generator.normal(0, (2.0 / inputs) ** 0.5, shape)
        tensor.set_value(values.astype("float32"))


def check_forward(name: str, shape: tuple[int, ...], **kwargs: Any) -> None:
    """Compares the outputs of a model in evaluation mode."""
    model = build(name, **kwargs)
    fill(model)
    model.eval()
    images = np.linspace(-1, 1, math.prod(shape), dtype="float32").reshape(shape)
    outputs = proa.jit.to_static(model)(proa.to_tensor(images))
    outputs = outputs if isinstance(outputs, list | tuple) else [outputs]
    wanted = RECORD["forward"][name]
    assert len(outputs) == len(wanted)
    for output, numbers in zip(outputs, wanted, strict=True):
        found = output.numpy().ravel()[: len(numbers)]
        np.testing.assert_allclose(found, numbers, rtol=2e-4, atol=2e-5)
