"""The command `proa convert`: a model in another form of file, compared with what it was."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from proa.core import ArtifactError, InvalidArgumentError, ProaError, as_dtype
from proa.formats import (
    ROLES,
    Artifact,
    artifact_to_onnx,
    read_model,
    write_artifact,
    write_paddle,
)
from proa.jit import Pipeline, largest_difference
from proa.program import default_sizes, evaluate_dimension, make_dimension

from ._program import parse_sizes

_SEED = 0


def _to_onnx(artifact: Artifact, path: Path) -> Path:
    target = path.with_suffix(".onnx")
    target.write_bytes(artifact_to_onnx(artifact).SerializeToString())
    return target


#: How a file of an ending is written.
_WRITERS: dict[str, Callable[[Artifact, Path], Path]] = {
    ".proa": write_artifact,
    ".json": write_paddle,
    ".onnx": _to_onnx,
}


def convert(
    source: Annotated[str, typer.Argument(metavar="SRC", help="A .proa file or a Paddle model.")],
    target: Annotated[
        Path,
        typer.Argument(metavar="DST", help="The new file: .proa, .json (Paddle 3) or .onnx."),
    ],
    params: Annotated[
        str | None, typer.Option(help="The file of the weights, where they have their own.")
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option("--size", help="Size of an unknown dimension to compare with: batch=8."),
    ] = None,
) -> None:
    """Write a model in another form of file, and compare what both compute."""
    write = _WRITERS.get(target.suffix)
    if write is None:
        raise InvalidArgumentError(
            f"DST is {str(target)!r}",
            expected="one of the endings " + ", ".join(_WRITERS),
            fix="Paddle 3 loads .json beside .pdiparams; older forms can be read only",
        )
    artifact = read_model(source, params)
    samples = _samples(artifact, parse_sizes(size))
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = write(artifact, Path(folder) / target.name)
        difference = _compare(artifact, made, samples)
        files = sorted(Path(folder).iterdir())
        for file in files:
            file.replace(target.parent / file.name)
    names = ", ".join(f"{file.name}" for file in files)
    print(f"written: {names} ({sum(len(p.calls) for p in artifact.programs.values())} calls)")
    print(difference)


def _samples(artifact: Artifact, sizes: dict[str, int]) -> list[list[np.ndarray]]:
    """Golden samples, or inputs with numbers of a fixed seed."""
    golden = Pipeline(artifact).golden_samples()
    if golden and not sizes:
        return [inputs for inputs, _ in golden]
    first = next(artifact.programs[role] for role in ROLES if role in artifact.programs)
    known = {**default_sizes(first), **sizes}
    random = np.random.default_rng(_SEED)
    made = []
    for entry in artifact.manifest["inputs"]:
        extents = [make_dimension(e) if isinstance(e, str) else e for e in entry["shape"]]
        shape = [int(evaluate_dimension(e, known)) for e in extents]
        dtype = as_dtype(entry["dtype"])
        is_number = dtype.is_inexact
        array = random.normal(size=shape) if is_number else np.ones(shape)
        made.append(array.astype(dtype.numpy))
    return [made]


def _compare(artifact: Artifact, file: Path, samples: Sequence[Any]) -> str:
    """Returns how far both are apart.

    Raises:
        ArtifactError: they give other outputs.
    """
    if file.suffix == ".onnx" and find_spec("onnxruntime") is None:
        return "not compared: onnxruntime is not installed"
    try:
        expected = [_run(artifact, inputs) for inputs in samples]
    except ProaError as error:
        return f"not compared: the model does not run for such sizes ({error}); give --size"
    found = [_run_file(file, inputs) for inputs in samples]
    worst = max(
        [largest_difference(a, b) for a, b in zip(found, expected, strict=True)], default=0.0
    )
    if worst > 1.0:
        raise ArtifactError(
            f"{file.name} gives outputs that differ by {worst:.3g} times the tolerance",
            expected="those of the model it was made from",
            fix="this is a defect of the conversion: report it; nothing was written",
        )
    return f"compared on {len(samples)} samples: differs by {worst:.2g} times the tolerance"


def _run(artifact: Artifact, inputs: Sequence[Any]) -> list[np.ndarray]:
    return [np.asarray(output) for output in Pipeline(artifact).run(list(inputs))]


def _run_file(file: Path, inputs: Sequence[Any]) -> list[np.ndarray]:
    if file.suffix != ".onnx":
        return _run(read_model(file), inputs)
    import onnxruntime

    session = onnxruntime.InferenceSession(file.read_bytes(), providers=["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_inputs()]
    found: list[Any] = list(session.run(None, dict(zip(names, inputs, strict=True))))
    return found
