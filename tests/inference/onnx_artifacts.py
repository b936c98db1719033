"""Artifacts for the tests of the engines."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import proa
from proa.formats import Artifact, make_manifest
from proa.inference._engine import EngineOptions
from proa.inference._engine_xla import XlaEngine
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


def checked_by_threads(engine: Any) -> tuple[Any, list[np.ndarray], list[np.ndarray]]:
    """Asks one model of an engine from eight threads for six shapes, against XLA's answers.

    Returns:
        The model, the inputs and the expected outputs.
    """
    artifact = artifact_of(network(), images())
    model = engine.load(artifact, EngineOptions(threads=1))
    inputs = [np.full((n % 3 + 1, 3, n + 2, 8), n, np.float32) for n in range(6)]
    reference = XlaEngine().load(artifact, EngineOptions())
    expected = [np.asarray(reference.run([x])[0]) for x in inputs]
    wrong: list[int] = []

    def ask(first: int) -> None:
        for step in range(12):
            number = (first + step) % len(inputs)
            (got,) = model.run([inputs[number]])
            if not np.allclose(got, expected[number], 1e-4, 1e-5):
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    return model, inputs, expected
