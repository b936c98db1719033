"""Predictor: `run(inputs) -> outputs`, pure and re-entrant."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from proa.core import (
    InvalidArgumentError,
    PreconditionError,
    Tensor,
    UnknownNameError,
    as_place,
)
from proa.formats import read_artifact
from proa.jit import Pipeline

from ._config import Config


class TensorHandle:
    """A named input or output of one thread's calls."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._array: np.ndarray | None = None

    def copy_from_cpu(self, data: Any) -> None:
        """Sets an input to a copy of an array."""
        self._array = np.array(data)

    def reshape(self, shape: Sequence[int]) -> None:
        """Kept for Paddle's API: the shape follows from `copy_from_cpu`."""

    def copy_to_cpu(self) -> np.ndarray:
        """Returns a copy of an output.

        Raises:
            PreconditionError: nothing was computed yet in this thread.
        """
        if self._array is None:
            raise PreconditionError(
                f"`{self.name}` holds nothing",
                expected="copy_from_cpu() on an input, run() before reading an output",
                fix="call predictor.run() in this thread first",
            )
        return self._array.copy()

    def shape(self) -> list[int]:
        """Returns the shape of what the handle holds."""
        return list(self.copy_to_cpu().shape)


class _Handles(threading.local):
    def __init__(self) -> None:
        self.inputs: dict[str, TensorHandle] = {}
        self.outputs: dict[str, TensorHandle] = {}


class Predictor:
    """Runs an artifact.

    `run(inputs)` holds no state between calls, so any number of threads may call it. The
    handles of Paddle's API are there as well, one set per thread.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        device = as_place(config.device).device
        artifact = read_artifact(config.model_path())
        self._pipeline = Pipeline(artifact, config.max_variants, device)
        self.golden_difference = self._pipeline.check_golden() if config.check_golden else None
        self._handles = _Handles()

    @property
    def manifest(self) -> dict[str, Any]:
        """The artifact's manifest: versions, input and output specs, lineage."""
        return self._pipeline.artifact.manifest

    def get_input_names(self) -> list[str]:
        """Returns the names of the inputs, in order."""
        return list(self._pipeline.names)

    def get_output_names(self) -> list[str]:
        """Returns the names of the outputs, in order."""
        return [entry["name"] for entry in self._pipeline.outputs]

    def run(self, inputs: Any = None) -> Any:
        """Computes the outputs.

        Args:
            inputs: arrays or Tensors in the order of `get_input_names()`, one array for a
                single input, or a dict by name. `None` uses this thread's handles.

        Returns:
            A list of NumPy arrays; `True` when handles were used.

        Raises:
            InvalidArgumentError, InvalidTypeError: an input does not fit its spec.
        """
        if inputs is None:
            return self._run_handles()
        given = self._ordered(inputs)
        wanted = [*self._pipeline.dtypes, *[None] * len(given)]
        arrays = [_as_array(v, dtype) for v, dtype in zip(given, wanted, strict=False)]
        self._pipeline.check_inputs(arrays)
        return [np.array(out) for out in self._pipeline.run(arrays)]

    def _ordered(self, inputs: Any) -> Sequence[Any]:
        names = self._pipeline.names
        if isinstance(inputs, Mapping):
            unknown, missing = set(inputs) - set(names), set(names) - set(inputs)
            if unknown or missing:
                raise InvalidArgumentError(
                    f"inputs {sorted(inputs)} (missing {sorted(missing)}, "
                    f"unknown {sorted(unknown)})",
                    expected=f"exactly {names}",
                    fix="name the inputs as get_input_names() does",
                )
            return [inputs[name] for name in names]
        return inputs if isinstance(inputs, list | tuple) else [inputs]

    def _run_handles(self) -> bool:
        given = [self.get_input_handle(name).copy_to_cpu() for name in self._pipeline.names]
        for name, array in zip(self.get_output_names(), self.run(given), strict=True):
            self.get_output_handle(name)._array = array
        return True

    def get_input_handle(self, name: str) -> TensorHandle:
        """Returns this thread's handle of an input."""
        return self._handle(self._handles.inputs, name, self.get_input_names())

    def get_output_handle(self, name: str) -> TensorHandle:
        """Returns this thread's handle of an output."""
        return self._handle(self._handles.outputs, name, self.get_output_names())

    @staticmethod
    def _handle(known: dict[str, TensorHandle], name: str, names: list[str]) -> TensorHandle:
        if name not in names:
            raise UnknownNameError(
                f"there is no {name!r}", expected=f"one of {names}", fix="check the spelling"
            )
        return known.setdefault(name, TensorHandle(name))

    def clone(self) -> Predictor:
        """Returns this predictor: `run` is re-entrant, so one serves all threads."""
        return self

    def trim(self) -> None:
        """Gives back the memory of compiled shapes."""
        self._pipeline.trim()

    try_shrink_memory = trim
    clear_intermediate_tensor = trim

    def explain(self) -> str:
        """Says what runs where: device, Programs, op counts, compiled shapes."""
        lines = [self.config.summary(), f"compiled       {self._pipeline.num_compiled} shapes"]
        for role, program in self._pipeline.artifact.programs.items():
            lines.append(f"{role:<14} {len(program.calls)} ops, XLA, float as recorded")
        return "\n".join(lines)


def _as_array(value: Any, dtype: Any) -> Any:
    """An input as an array; lists and numbers, which have no dtype, take the wanted one."""
    if isinstance(value, Tensor):
        return value._data
    array = np.asarray(value)
    if not isinstance(value, np.ndarray | np.generic) and dtype is not None:
        fits = {"f": "fiub", "i": "iub", "u": "iub", "b": "b", "c": "cfiub", "V": "fiub"}
        if array.dtype.kind in fits.get(np.dtype(dtype).kind, ""):
            return array.astype(dtype)
    # The other byte order is the same dtype to NumPy, and none to XLA.
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def create_predictor(config: Config) -> Predictor:
    """Loads the artifact of a Config and checks its golden samples.

    Raises:
        NotFoundError, ArtifactError: no file, or one that is not as it was written.
    """
    return Predictor(config)
