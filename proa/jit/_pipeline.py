"""An artifact as one pure function: pre-processing, model and post-processing in sequence."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from proa.core import (
    ArtifactError,
    InvalidArgumentError,
    InvalidTypeError,
    as_dtype,
    checks_numbers,
    describe_array,
    new_tensor,
)
from proa.formats import ROLES, Artifact
from proa.program import bind_sizes, make_dimension, run_stepwise

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
        with np.errstate(invalid="ignore"):
            scaled = np.abs(x - y) / (absolute + relative * np.abs(y))
        scaled[both_nan | (x == y)] = 0.0
        worst = max(worst, float(np.nan_to_num(scaled, nan=np.inf).max()))
    return worst


class Pipeline:
    """Runs an artifact's Programs; safe to call from many threads.

    Args:
        artifact: the artifact.
        max_variants: compiled shapes that are kept; the one not used for longest goes first.
        device: where it runs, a JAX device; the current one by default.
    """

    def __init__(self, artifact: Artifact, max_variants: int = 32, device: Any = None) -> None:
        self.device = device
        self.artifact = artifact
        self.inputs = artifact.manifest["inputs"]
        self.outputs = artifact.manifest["outputs"]
        self.names = [entry["name"] for entry in self.inputs]
        self._specs = [tuple(map(_dimension, entry["shape"])) for entry in self.inputs]
        self.dtypes = [as_dtype(entry["dtype"]).numpy for entry in self.inputs]
        self._stages = []
        captures: Mapping[str, list[str]] = artifact.manifest["captures"]
        for role in ROLES:
            if role in artifact.programs:
                self._stages.append((artifact.programs[role].function(), captures[role]))
        self.weights = {n: jax.device_put(a, device) for n, a in artifact.weights.items()}
        self._compiled: OrderedDict[Any, Any] = OrderedDict()
        self._lock = threading.Lock()
        self._compiling = threading.Lock()
        self._max_variants = max_variants

    def _compute(self, weights: dict[str, Any], inputs: list[Any]) -> tuple[Any, ...]:
        current: Sequence[Any] = inputs
        for fn, names in self._stages:
            current = fn(*current, *[weights[name] for name in names])
        return tuple(current)

    def check_inputs(self, arrays: Sequence[Any]) -> None:
        """Compares arrays with the recorded specs.

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
        bind_sizes(self._specs, arrays, self.names)

    def run(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Runs on checked arrays and returns device arrays."""
        if checks_numbers():
            return self._run_by_op(arrays)
        signature = tuple([tuple(a.shape) for a in arrays])
        compiled = self._known(signature)
        if compiled is None:
            # One at a time: threads that ask for the same shape compile it once.
            with self._compiling:
                compiled = self._known(signature) or self._compile(signature, arrays)
        if self.device is not None:
            arrays = [jax.device_put(a, self.device) for a in arrays]
        return compiled(self.weights, list(arrays))

    def _known(self, signature: Any) -> Any:
        with self._lock:
            compiled = self._compiled.get(signature)
            if compiled is not None:
                self._compiled.move_to_end(signature)
        return compiled

    def _compile(self, signature: Any, arrays: Sequence[Any]) -> Any:
        structs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays]
        # A function of its own: what JAX keeps of it goes with this variant.
        own = jax.jit(lambda weights, inputs: self._compute(weights, inputs))
        with jax.default_device(self.device):
            compiled = own.lower(self.weights, structs).compile()
        with self._lock:
            self._compiled[signature] = compiled
            while len(self._compiled) > self._max_variants:
                self._compiled.popitem(last=False)
        return compiled

    def _run_by_op(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Runs op by op, so that a check names the op."""
        tensors = [new_tensor(jax.device_put(a, self.device)) for a in arrays]
        for role, program in ((r, self.artifact.programs.get(r)) for r in ROLES):
            if program is not None:
                names = self.artifact.manifest["captures"][role]
                held = [new_tensor(self.weights[name]) for name in names]
                tensors = run_stepwise(program, [*tensors, *held])
        return tuple([t._data for t in tensors])

    @property
    def num_compiled(self) -> int:
        """How many shapes are compiled at present."""
        return len(self._compiled)

    def trim(self) -> None:
        """Drops all compiled shapes."""
        with self._lock:
            self._compiled.clear()

    def golden_samples(self) -> list[tuple[list[np.ndarray], list[np.ndarray]]]:
        """Returns the stored samples as (inputs, outputs)."""
        golden = self.artifact.golden
        count = len({name.split("/")[0] for name in golden})
        found = []
        for number in range(count):
            inputs = [golden[f"{number}/input/{i}"] for i in range(len(self.inputs))]
            outputs = [golden[f"{number}/output/{i}"] for i in range(len(self.outputs))]
            found.append((inputs, outputs))
        return found

    def check_golden(self) -> float:
        """Runs the golden samples; returns the largest difference in units of the tolerance.

        Raises:
            ArtifactError: a sample's outputs are not reproduced.
        """
        worst = 0.0
        for number, (inputs, expected) in enumerate(self.golden_samples()):
            got = [np.asarray(o) for o in self.run(inputs)]
            difference = largest_difference(got, expected)
            worst = max(worst, difference)
            if difference > 1.0:
                raise ArtifactError(
                    f"golden sample {number} gives other outputs here: {difference:.3g} times "
                    "the tolerance",
                    expected="the outputs stored when the model was saved",
                    fix="check device and precision options; export again with this version",
                )
        return worst


def _dimension(extent: Any) -> Any:
    return make_dimension(extent) if isinstance(extent, str) else extent
