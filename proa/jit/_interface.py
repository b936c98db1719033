"""What an artifact takes and gives, and its golden samples: the same for every engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from proa.core import (
    ArtifactError,
    InvalidArgumentError,
    InvalidTypeError,
    as_dtype,
    describe_array,
)
from proa.formats import Artifact
from proa.program import bind_sizes, make_dimension

#: Absolute and relative tolerance of golden samples, per dtype of the output.
TOLERANCE = {"float32": (1e-5, 1e-4), "float64": (1e-9, 1e-8)}
_ROUGH = (1e-2, 2e-2)


def largest_difference(got: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> float:
    """Largest difference, in units of the tolerance (1.0 is the limit; inf: not comparable)."""
    worst = 0.0
    for a, b in zip(got, expected, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            return float("inf")
        if not a.size:
            continue
        if not jax.numpy.issubdtype(a.dtype, np.inexact):
            worst = max(worst, 0.0 if np.array_equal(a, b) else float("inf"))
            continue
        absolute, relative = TOLERANCE.get(as_dtype(a.dtype).name, _ROUGH)
        wide = np.complex128 if np.iscomplexobj(a) else np.float64
        x, y = a.astype(wide), b.astype(wide)
        both_nan = np.isnan(x) & np.isnan(y)
        # Rounding is in proportion to the largest values: what is near zero beside them is the
        # difference of such values, and another order of sums changes its last digits.
        finite = np.abs(y[np.isfinite(y)])
        absolute *= max(1.0, float(finite.max(initial=0.0)))
        with np.errstate(invalid="ignore"):
            scaled = np.abs(x - y) / (absolute + relative * np.abs(y))
        scaled = np.where(both_nan | (x == y), 0.0, scaled)
        worst = max(worst, float(np.nan_to_num(scaled, nan=np.inf, posinf=np.inf).max()))
    return worst


class Interface:
    """Inputs and outputs of an artifact by name, dtype and shape.

    Args:
        artifact: the artifact.
    """

    def __init__(self, artifact: Artifact) -> None:
        self.inputs = artifact.manifest["inputs"]
        self.outputs = artifact.manifest["outputs"]
        self.names = [entry["name"] for entry in self.inputs]
        self.output_names = [entry["name"] for entry in self.outputs]
        self.shapes = [tuple(map(_dimension, entry["shape"])) for entry in self.inputs]
        self.dtypes = [as_dtype(entry["dtype"]).numpy for entry in self.inputs]
        self._golden = artifact.golden

    def check_inputs(self, arrays: Sequence[Any]) -> dict[str, Any]:
        """Compares arrays with the recorded specs.

        Returns:
            The size of each unknown dimension.

        Raises:
            InvalidArgumentError: number, rank or a size differs.
            InvalidTypeError: a dtype differs.
        """
        if len(arrays) != len(self.inputs):
            raise InvalidArgumentError(
                f"{len(arrays)} inputs were given",
                expected=f"{len(self.inputs)}: " + ", ".join(self.names),
                fix="pass one array per input, in this order",
            )
        for array, name, dtype in zip(arrays, self.names, self.dtypes, strict=True):
            if array.dtype != dtype:
                is_numeric = getattr(array.dtype, "kind", "V") not in "OSUM"
                raise InvalidTypeError(
                    f"input `{name}` is {describe_array(array)}",
                    expected=f"dtype {as_dtype(dtype).name}",
                    fix=f"cast it: array.astype({as_dtype(dtype).name!r})"
                    if is_numeric
                    else "pass numbers",
                )
        return bind_sizes(self.shapes, arrays, self.names)

    def golden_samples(self) -> list[tuple[list[np.ndarray], list[np.ndarray]]]:
        """Returns the stored samples as (inputs, outputs)."""
        golden = self._golden
        count = len({name.split("/")[0] for name in golden})
        found = []
        for number in range(count):
            inputs = [golden[f"{number}/input/{i}"] for i in range(len(self.inputs))]
            outputs = [golden[f"{number}/output/{i}"] for i in range(len(self.outputs))]
            found.append((inputs, outputs))
        return found

    def check_golden(
        self, run: Callable[[Sequence[Any]], Sequence[Any]], limit: float = 1.0
    ) -> float:
        """Runs the golden samples; returns the largest difference in units of the tolerance.

        Args:
            run: computes outputs from inputs.
            limit: the largest difference that is taken; above 1 for a precision that is rougher
                than the recorded one.

        Raises:
            ArtifactError: a sample's outputs are not reproduced.
        """
        worst = 0.0
        for number, (inputs, expected) in enumerate(self.golden_samples()):
            got = [np.asarray(o) for o in run(inputs)]
            difference = largest_difference(got, expected)
            worst = max(worst, difference)
            if difference > limit:
                raise ArtifactError(
                    f"golden sample {number} gives other outputs here: {difference:.3g} times "
                    f"the tolerance, at most {limit:g}",
                    expected="the outputs stored when the model was saved",
                    fix="check device and precision options; export again with this version",
                )
        return worst


def _dimension(extent: Any) -> Any:
    return make_dimension(extent) if isinstance(extent, str) else extent
