"""Predictor: `run(inputs) -> outputs`, pure and re-entrant."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import jax
import numpy as np

from proa.core import (
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    UnknownNameError,
    UnsupportedError,
    new_tensor,
)
from proa.formats import Artifact

from ._buckets import Buckets
from ._config import Config
from ._engine import ROUGHNESS, CompiledModel
from ._engines import find_engine
from ._handle import Tensor as Handle
from ._hooks import Hook, Hooks
from ._idle import IdleTrim
from ._memory import MEGABYTE, MemoryBudget, release_memory, resident_bytes
from ._prepare import engine_options, prepare
from ._samples import make_inputs
from ._shape_ranges import RangeCheck, ShapeCollector


class _Handles(threading.local):
    def __init__(self) -> None:
        self.inputs: dict[str, Handle] = {}
        self.outputs: dict[str, Handle] = {}


class _Shared:
    """What clones of a predictor share: the loaded model, and counts of its runs."""

    def __init__(self, config: Config) -> None:
        self.config = config
        if config.engine == "auto" and config.memory_limit is not None:
            config.engine = "xla"
            config._notes["set_engine('auto')"] = "xla: no other engine keeps a memory limit"
        if config.engine == "auto":
            config.autotune()
        self.prepared = prepared = prepare(config)
        self.interface = interface = prepared.interface
        self.budget = None if config.memory_limit is None else _budget(config)
        self.options = engine_options(config, prepared, self.budget)
        self.engine = find_engine(config.engine)
        self.model = self.engine.load(prepared.artifact, self.options)
        _let_go(prepared.artifact, self.model)
        self.ranges = (
            RangeCheck(config.ranges, interface.names, interface.shapes) if config.ranges else None
        )
        self.collector = (
            ShapeCollector(config.shape_range_info_path(), interface.names)
            if config.shape_range_info_collected()
            else None
        )
        self.golden_difference = self._check_golden()
        self.buckets: Buckets | None = None
        self.bucket_difference = 0.0
        if config.buckets is not None:
            self.buckets = Buckets(config.buckets, interface)
            self.bucket_difference = self.buckets.prove(interface, config.ranges, self.model.run)
        self.hooks = Hooks()
        self.times = _Times()
        seconds = config.idle_seconds
        self.idle = nullcontext() if seconds is None else IdleTrim(seconds, self.trim)

    def trim(self) -> None:
        """Drops what the next run can do without, and gives memory back to the system."""
        self.model.trim()
        release_memory()

    def _check_golden(self) -> float | None:
        if not self.config.check_golden:
            return None
        return self.interface.check_golden(self.model.run, ROUGHNESS[self.config.precision])

    def run(self, arrays: list[Any]) -> Sequence[Any]:
        """Checks arrays and computes the outputs."""
        sizes = self.interface.check_inputs(arrays)
        if self.ranges is not None:
            self.ranges.check(arrays)
        if self.collector is not None:
            self.collector.note(arrays)
        if self.hooks:
            artifact = self.prepared.artifact
            return self.hooks.run(artifact, artifact.weights, arrays)
        with self.idle:
            if self.config.profiles:
                return self.times.measure(lambda: self._compute(arrays, sizes))
            return self._compute(arrays, sizes)

    def _compute(self, arrays: list[Any], sizes: Mapping[str, int]) -> Sequence[Any]:
        if self.buckets is None:
            return self.model.run(arrays)
        return self.buckets.run(arrays, sizes[self.buckets.symbol], self.model.run)


def _let_go(artifact: Artifact, model: CompiledModel) -> None:
    """Lets go of what was read from the file, now that the engine has weights of its own."""
    pipeline = getattr(model, "pipeline", None)
    if pipeline is None:
        artifact.weights.clear()
    else:
        # On a CPU these are views; on another device hooks fetch what they need.
        held = pipeline.weights
        is_host = all(next(iter(a.devices())).platform == "cpu" for a in held.values())
        artifact.weights.update({n: np.asarray(a) if is_host else a for n, a in held.items()})


def _budget(config: Config) -> MemoryBudget:
    if config.engine != "xla":
        raise UnsupportedError(
            f"a memory limit with engine {config.engine!r}",
            expected="the engine 'xla', whose memory is known before a run",
            fix="call set_engine('xla'), or set_memory_limit(None)",
        )
    return MemoryBudget(config.memory_limit or 0)


class _Times:
    """Counts and times of runs, for `Config.enable_profile`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.count, self.total, self.largest = 0, 0.0, 0.0

    def measure(self, run: Any) -> Sequence[Any]:
        """Runs and counts."""
        start = time.perf_counter()
        outputs = [np.asarray(output) for output in run()]
        taken = time.perf_counter() - start
        with self._lock:
            self.count += 1
            self.total += taken
            self.largest = max(self.largest, taken)
        return outputs

    def __str__(self) -> str:
        if not self.count:
            return "0"
        mean, largest = self.total / self.count * 1e3, self.largest * 1e3
        return f"{self.count}, mean {mean:.2f} ms, largest {largest:.2f} ms"


class Predictor:
    """Runs a model.

    `run(inputs)` holds no state between calls, so any number of threads may call it. The
    handles of Paddle's API are there as well, one set per predictor and thread.

    Args:
        config: what to load, and how; later changes of it have no effect.
    """

    def __init__(self, config: Config) -> None:
        self._bind(_Shared(Config(config)))

    def _bind(self, shared: _Shared) -> None:
        self._shared = shared
        self._handles = _Handles()

    @property
    def config(self) -> Config:
        """The Config that the predictor was made with."""
        return self._shared.config

    @property
    def golden_difference(self) -> float | None:
        """Largest difference of the golden samples, in units of the tolerance."""
        return self._shared.golden_difference

    @property
    def manifest(self) -> dict[str, Any]:
        """The artifact's manifest: versions, input and output specs, lineage."""
        return self._shared.prepared.artifact.manifest

    def get_input_names(self) -> list[str]:
        """Returns the names of the inputs, in order."""
        return list(self._shared.interface.names)

    def get_output_names(self) -> list[str]:
        """Returns the names of the outputs, in order."""
        return list(self._shared.interface.output_names)

    def sample_inputs(self, batch: int | None = None, seed: int = 0) -> list[np.ndarray]:
        """Returns inputs that fit: normal floats, ones for integers, or like golden samples.

        Args:
            batch: size of the batch, where it is unknown; by default the smallest of its range,
                or else 1.
            seed: of the numbers.

        Raises:
            InvalidArgumentError: another unknown size, and neither a golden sample nor a range.
        """
        ranges = self.config.ranges
        return make_inputs(self._shared.interface, ranges, batch=batch, seed=seed)

    def run(self, inputs: Any = None) -> Any:
        """Computes the outputs.

        Args:
            inputs: arrays or Tensors in the order of `get_input_names()`, one array for a
                single input, or a dict by name. `None` uses this thread's handles.

        Returns:
            A list of NumPy arrays, of Tensors when all inputs are Tensors; `True` when handles
            were used.

        Raises:
            InvalidArgumentError, InvalidTypeError: an input does not fit its spec or range.
            MemoryLimitError: the run does not fit under the memory limit.
        """
        if inputs is None:
            return self._run_handles()
        given = self._ordered(inputs)
        wanted = [*self._shared.interface.dtypes, *[None] * len(given)]
        arrays = [_as_array(v, dtype) for v, dtype in zip(given, wanted, strict=False)]
        outputs = self._shared.run(arrays)
        if given and all(isinstance(value, Tensor) for value in given):
            return [_as_tensor(output) for output in outputs]
        return [np.array(output) for output in outputs]

    def _ordered(self, inputs: Any) -> Sequence[Any]:
        names = self._shared.interface.names
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
        names = self._shared.interface.names
        arrays = [_as_array(self.get_input_handle(name)._held(), None) for name in names]
        outputs = self._shared.run(arrays)
        for name, output in zip(self.get_output_names(), outputs, strict=True):
            self.get_output_handle(name)._array = np.asarray(output)
        return True

    def get_input_handle(self, name: str) -> Handle:
        """Returns this thread's handle of an input.

        Raises:
            UnknownNameError: no input has this name.
        """
        return _handle(self._handles.inputs, name, self._shared.interface.inputs)

    def get_output_handle(self, name: str) -> Handle:
        """Returns this thread's handle of an output.

        Raises:
            UnknownNameError: no output has this name.
        """
        return _handle(self._handles.outputs, name, self._shared.interface.outputs)

    def register_input_hook(self, hook: Hook) -> None:
        """Shows each input of each op to a function `hook(op, name, tensor)`.

        From then on this predictor and its clones run op by op, which takes much longer.

        Raises:
            UnsupportedError: another engine than XLA.
        """
        self._watched().inputs.append(hook)

    def register_output_hook(self, hook: Hook) -> None:
        """Shows each output of each op to a function `hook(op, name, tensor)`.

        From then on this predictor and its clones run op by op, which takes much longer.

        Raises:
            UnsupportedError: another engine than XLA.
        """
        self._watched().outputs.append(hook)

    def _watched(self) -> Hooks:
        if self.config.engine != "xla":
            raise UnsupportedError(
                f"a hook with engine {self.config.engine!r}",
                expected="the engine 'xla', which can run op by op",
                fix="call Config.set_engine('xla')",
            )
        return self._shared.hooks

    def clone(self) -> Predictor:
        """Returns a predictor with handles of its own that shares the loaded model."""
        made = object.__new__(Predictor)
        made._bind(self._shared)
        return made

    def trim(self) -> None:
        """Gives back the memory of compiled shapes, and freed memory to the system."""
        self._shared.trim()

    def try_shrink_memory(self) -> int:
        """Does what `trim` does; returns the bytes that were given back to the system."""
        before = resident_bytes()
        self.trim()
        return max(before - resident_bytes(), 0)

    def clear_intermediate_tensor(self) -> None:
        """Forgets this thread's handles; no intermediate tensor outlives a run."""
        self._handles.inputs.clear()
        self._handles.outputs.clear()

    def explain(self) -> str:
        """Says what runs where, in which precision, on what was measured and kept."""
        shared, config = self._shared, self.config
        lines = [config.summary(), *shared.model.explain()]
        lines.append(f"compiled       {shared.model.num_compiled} shapes")
        if shared.options.store is not None:
            store = shared.options.store
            lines.append(
                f"kept           {store.loaded} read, {store.saved} written: {store.folder}"
            )
        if shared.golden_difference is not None:
            lines.append(f"golden         {shared.golden_difference:.3g} of the tolerance")
        if shared.buckets is not None:
            lines.append(f"padded batches {shared.bucket_difference:.3g} of the tolerance")
        if shared.budget is not None:
            used, peak = shared.budget.used / MEGABYTE, shared.budget.peak / MEGABYTE
            lines.append(f"memory         {used:.1f} MB, at most {peak:.1f} MB")
        if config.profiles:
            lines.append(f"runs           {shared.times}")
        if config.choice is not None:
            lines.append(str(config.choice))
        for role, report in self.manifest.get("reports", {}).items():
            lines += [f"passes of {role}", report]
        return "\n".join(lines)


def _handle(known: dict[str, Handle], name: str, entries: Any) -> Handle:
    if name in known:
        return known[name]
    shapes = {entry["name"]: entry["shape"] for entry in entries}
    if name not in shapes:
        raise UnknownNameError(
            f"there is no {name!r}", expected=f"one of {list(shapes)}", fix="check the spelling"
        )
    declared = [extent if isinstance(extent, int) else -1 for extent in shapes[name]]
    return known.setdefault(name, Handle(name, declared))


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


def _as_tensor(output: Any) -> Tensor:
    return new_tensor(jax.numpy.asarray(output))


def create_predictor(config: Config) -> Predictor:
    """Loads the model of a Config and checks its golden samples.

    Raises:
        NotFoundError, ArtifactError: no file, or one that is not as it was written.
    """
    return Predictor(config)


class PredictorPool:
    """Predictors of one model, for as many callers; they share what is loaded.

    Args:
        config: what to load, and how.
        size: how many predictors.

    Raises:
        InvalidArgumentError: `size` is below 1.
    """

    def __init__(self, config: Config, size: int = 1) -> None:
        if size < 1:
            raise InvalidArgumentError(
                f"`size` is {size}", expected="at least 1", fix="pass the number of callers"
            )
        first = Predictor(config)
        self._predictors = [first, *[first.clone() for _ in range(size - 1)]]

    def retrieve(self, idx: int) -> Predictor:
        """Returns a predictor by its number.

        Raises:
            OutOfRangeError: there are fewer.
        """
        if not 0 <= idx < len(self._predictors):
            raise OutOfRangeError(
                f"predictor {idx} of a pool of {len(self._predictors)}",
                expected=f"a number from 0 to {len(self._predictors) - 1}",
                fix="make a larger pool",
            )
        return self._predictors[idx]
