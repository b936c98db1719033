"""Rows of the tests of the ONNX writer: a function, its inputs, and which sizes are left open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import proa
from proa.formats import Artifact, artifact_to_onnx, make_manifest
from proa.program import InputSpec, recording

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")

_RANDOM = np.random.default_rng(0)


def floats(*shape: int) -> np.ndarray:
    return _RANDOM.normal(size=shape).astype(np.float32)


@dataclass
class Row:
    """A function of tensors, its inputs, and which of their axes are left open."""

    name: str
    fn: Callable[..., Any]
    inputs: tuple[np.ndarray, ...]
    open: dict[int, tuple[int, ...]] = field(default_factory=dict)
    opset: int = 20

    @property
    def specs(self) -> list[InputSpec]:
        made = []
        for i, array in enumerate(self.inputs):
            free = self.open.get(i, ())
            shape = [None if axis in free else extent for axis, extent in enumerate(array.shape)]
            made.append(InputSpec(shape, array.dtype.name, f"in{i}"))
        return made


def artifact_of(row: Row) -> Artifact:
    with proa.no_grad(), recording() as recorder:
        entry = [(s.dimensions(i), s.dtype.numpy, s.name) for i, s in enumerate(row.specs)]
        given = [recorder.add_input(*each) for each in entry]
        made = row.fn(*given)
        outputs = list(made) if isinstance(made, tuple | list) else [made]
        program, state = recorder.finish(outputs)
    weights = {f"w{i}": t.numpy() for i, t in enumerate(state.captures)}
    exits = [(v.shape, v.dtype, f"out{i}") for i, v in enumerate(program.outputs)]
    return Artifact(
        {"main": program}, weights, {}, make_manifest(entry, exits, {"main": [*weights]})
    )


def _run(model: Any, arrays: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {f"in{i}": a for i, a in enumerate(arrays)})


def check(row: Row) -> None:
    model = artifact_to_onnx(artifact_of(row), opset=row.opset)
    onnx.checker.check_model(model, full_check=True)
    made = row.fn(*[proa.to_tensor(a) for a in row.inputs])
    expected = list(made) if isinstance(made, tuple | list) else [made]
    for got, want in zip(_run(model, row.inputs), expected, strict=True):
        assert (got.dtype, got.shape) == (want.numpy().dtype, want.numpy().shape)
        np.testing.assert_allclose(got, want.numpy(), rtol=2e-5, atol=2e-5)
