"""The manifest of an artifact: versions, what goes in and out, which weights a Program reads."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import jax

from proa.core import as_dtype
from proa.version import full_version


def make_manifest(
    inputs: Sequence[tuple[Any, Any, str]],
    outputs: Sequence[tuple[Any, Any, str]],
    captures: Mapping[str, list[str]],
    lineage: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Returns the manifest of an artifact that is made now.

    Args:
        inputs: `(shape, dtype, name)` per input; unknown sizes are symbolic dimensions.
        outputs: the same per output.
        captures: names of the weights that each Program reads, in order, by role.
        lineage: where the model comes from, as plain data.
    """
    return {
        "versions": {
            "proa": full_version,
            "jax": jax.__version__,
            "python": sys.version.split()[0],
        },
        "inputs": _describe(inputs),
        "outputs": _describe(outputs),
        "captures": dict(captures),
        "lineage": dict(lineage or {}),
    }


def _describe(specs: Sequence[tuple[Any, Any, str]]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "dtype": as_dtype(dtype).name,
            "shape": [e if isinstance(e, int) else str(e) for e in shape],
        }
        for shape, dtype, name in specs
    ]
