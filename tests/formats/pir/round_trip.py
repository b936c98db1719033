"""What a function's files in Paddle's form give, once Proa has read them again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import proa
from proa.formats import Artifact, read_model
from proa.jit._pipeline import Pipeline


def specs_of(arrays: Sequence[np.ndarray], shapes: Sequence[Any] | None = None) -> list[Any]:
    """Specs of inputs; `shapes` may leave sizes open."""
    given = [a.shape for a in arrays] if shapes is None else shapes
    return [
        proa.static.InputSpec(list(shape), str(a.dtype), f"x{i}")
        for i, (a, shape) in enumerate(zip(arrays, given, strict=True))
    ]


def run(artifact: Artifact, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Runs an artifact."""
    return [np.asarray(o) for o in Pipeline(artifact).run(list(arrays))]


def check_round_trip(
    fn: Callable[..., Any],
    folder: Path,
    arrays: Sequence[np.ndarray],
    shapes: Sequence[Any] | None = None,
) -> Artifact:
    """Writes, reads and runs; all outputs must be those of the function."""
    file = proa.jit.save(fn, folder / "net", specs_of(arrays, shapes), format="paddle")
    artifact = read_model(file)
    found = run(artifact, arrays)
    with proa.no_grad():
        results = fn(*[proa.to_tensor(a) for a in arrays])
    expected = [t.numpy() for t in (results if isinstance(results, list | tuple) else [results])]
    assert len(found) == len(expected)
    for position, (a, b) in enumerate(zip(found, expected, strict=True)):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), position
        np.testing.assert_allclose(a, b, 2e-5, 2e-5, err_msg=f"output {position}")
    return artifact
