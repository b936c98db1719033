"""Images of the tests, and values of Paddle 3.3.1's transforms of them (`recorded.json`).

A record is: the shape of the result, and the sum of its values weighted from 0 to 1 in order.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import proa

RECORD = json.loads(Path(__file__).with_name("recorded.json").read_text(encoding="utf-8"))
ARRAY = np.random.RandomState(0).randint(0, 256, (12, 16, 3)).astype("uint8")
KINDS = ("pil", "grey", "tensor")


def image(kind: str) -> Any:
    """A PIL image in colour or grey, or a Tensor."""
    if kind == "tensor":
        return proa.to_tensor(ARRAY.transpose(2, 0, 1).astype("float32") / 255)
    return Image.fromarray(ARRAY if kind == "pil" else ARRAY[..., 0].copy())


def record_of(result: Any) -> list[Any]:
    """What `recorded.json` has of a result."""
    array = result.numpy() if hasattr(result, "numpy") else np.asarray(result)
    weights = np.linspace(0, 1, array.size)
    return [list(array.shape), float(array.ravel().astype("float64") @ weights)]


def check(label: str, call: Callable[[Any], Any]) -> None:
    """Compares `call(image)` with the record, for each kind of image that has one."""
    found = 0
    for kind in KINDS:
        wanted = RECORD.get(f"{kind} {label}")
        if wanted is not None:
            random.seed(3)
            np.random.seed(3)
            shape, value = record_of(call(image(kind)))
            assert shape == wanted[0]
            np.testing.assert_allclose(value, wanted[1], rtol=2e-5, atol=1e-4)
            found += 1
    assert found
