"""Artifacts for the tests of the engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import proa
from proa.formats import Artifact, make_manifest
from proa.program import InputSpec, recording


def artifact_of(fn: Callable[..., Any], *specs: InputSpec) -> Artifact:
    """Records a function of tensors without a file between."""
    with proa.no_grad(), recording() as recorder:
        entry = [(s.dimensions(i), s.dtype.numpy, s.name) for i, s in enumerate(specs)]
        made = fn(*[recorder.add_input(*each) for each in entry])
        program, state = recorder.finish(list(made) if isinstance(made, tuple) else [made])
    weights = {f"w{i}": t.numpy() for i, t in enumerate(state.captures)}
    exits = [(v.shape, v.dtype, f"out{i}") for i, v in enumerate(program.outputs)]
    manifest = make_manifest(entry, exits, {"main": [*weights]})
    return Artifact({"main": program}, weights, {}, manifest)


def images(dtype: str = "float32") -> InputSpec:
    return InputSpec([None, 3, None, 8], dtype, "image")


def network() -> Callable[..., Any]:
    layer = proa.nn.Sequential(
        proa.nn.Conv2D(3, 4, 3, padding=1), proa.nn.Hardswish(), proa.nn.AdaptiveAvgPool2D(1),
        proa.nn.Flatten(), proa.nn.Linear(4, 2),
    )  # fmt: skip
    layer.eval()
    return layer
