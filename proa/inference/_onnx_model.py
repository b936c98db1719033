"""What the engines that read ONNX share: the model as bytes, and what they cannot take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from proa.core import UnsupportedError
from proa.formats import Artifact, artifact_to_onnx
from proa.program import Program

#: Dtypes that NumPy arrays carry in and out of the engines.
_PLAIN = frozenset(
    {"bool", "float16", "float32", "float64"}
    | {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
)
_LARGEST = 2**31 - 1


def missing(engine: str, *packages: str) -> str | None:
    """Says which of the packages behind an engine are not installed, or `None` if all are."""
    absent = [package for package in packages if find_spec(package) is None]
    if not absent:
        return None
    return f"{' and '.join(absent)} not installed: pip install 'proa[{engine}]'"


def refuse(engine: str, what: str, fix: str) -> UnsupportedError:
    """Makes the error of an engine that cannot run a model."""
    return UnsupportedError(
        f"engine {engine!r} cannot run this model: {what}",
        expected="a model of ops and dtypes that the engine has",
        fix=fix,
    )


def dtypes_of(artifact: Artifact) -> set[str]:
    """All dtypes of the values of an artifact's Programs."""
    return {np.dtype(v.dtype).name for p in artifact.programs.values() for v in _values(p)}


def _values(program: Program) -> Iterator[Any]:
    yield from program.inputs
    yield from program.captures
    yield from program.constants
    for call in program.calls:
        yield from call.outputs


def model_bytes(engine: str, artifact: Artifact) -> bytes:
    """Returns an artifact as an ONNX file in memory.

    Raises:
        UnsupportedError: an op that ONNX has not, an input or output of a dtype that NumPy has
            not, or more than two gigabytes.
    """
    for kind in ("inputs", "outputs"):
        for entry in artifact.manifest[kind]:
            if entry["dtype"] not in _PLAIN:
                raise refuse(
                    engine,
                    f"`{entry['name']}` is {entry['dtype']}",
                    "cast inputs and outputs to float32 in the model, or use the engine xla",
                )
    model = artifact_to_onnx(artifact)
    if model.ByteSize() > _LARGEST:
        raise refuse(
            engine, "it is larger than the 2 GB of an ONNX file", "use the engine xla for it"
        )
    return model.SerializeToString()


def as_arrays(values: Sequence[Any]) -> list[np.ndarray]:
    """Returns arrays in host memory, row by row."""
    return [np.asarray(value, order="C") for value in values]
