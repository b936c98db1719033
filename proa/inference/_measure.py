"""Measuring engines on one model: who agrees with XLA, and how long each takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import jax
import numpy as np

from proa.core import ProaError
from proa.formats import Artifact
from proa.jit import largest_difference

from ._engine import ROUGHNESS, CompiledModel, EngineOptions
from ._engines import ENGINES, find_engine

_REFERENCE = "xla"
#: Another engine adds in another order, beside what its precision costs.
_OTHER_ORDER = 10.0


@dataclass(frozen=True)
class EngineTime:
    """What was found of one engine.

    Attributes:
        name: the engine.
        version: of its library; `None` when it is not installed.
        seconds: median time of a request; `None` when it was not measured.
        difference: largest difference to XLA's outputs, in units of the tolerance.
        reason: why it does not count, if it does not.
    """

    name: str
    version: str | None = None
    seconds: float | None = None
    difference: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Measurement:
    """What was found of all engines.

    Attributes:
        best: the fastest engine that agrees with XLA.
        entries: per engine, what was found.
        threads: threads of one run that were asked for.
        precision: precision that was asked for.
        shapes: per request, the shapes of its inputs.
    """

    best: str
    entries: dict[str, EngineTime]
    threads: int | None
    precision: str
    shapes: list[list[list[int]]]

    def describe(self) -> list[str]:
        """Returns the table, line by line."""
        lines = []
        for name, entry in self.entries.items():
            label = name if entry.version is None else f"{name} {entry.version}"
            if entry.seconds is None:
                found = (entry.reason or "").split("\n", 1)[0]
            else:
                found = f"{entry.seconds * 1e3:.3f} ms, {entry.difference:.2g} of the tolerance"
                found += "" if entry.reason is None else f": {entry.reason}"
            lines.append(f"{'*' if name == self.best else ' '} {label:<24} {found}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Returns plain data, which `from_dict` takes."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Measurement:
        """Makes a measurement of what `to_dict` returned.

        Raises:
            KeyError, TypeError: the data is of something else.
        """
        entries = {name: EngineTime(**entry) for name, entry in data["entries"].items()}
        if data["best"] not in entries:
            raise KeyError(data["best"])
        return cls(data["best"], entries, data["threads"], data["precision"], data["shapes"])


def measure_engines(
    artifact: Artifact,
    samples: Sequence[Sequence[Any]],
    *,
    options: EngineOptions,
    engines: Sequence[str] | None = None,
    rounds: int = 7,
    seconds: float = 0.2,
    narrowed: Artifact | None = None,
) -> Measurement:
    """Runs the same requests on all engines in turn, so that all see the same noise.

    Args:
        artifact: the model, after its passes.
        samples: requests, each an array per input; they must fit the artifact.
        options: how to run it; XLA computes as recorded in any case.
        engines: names; all by default. XLA is always among them.
        rounds: how often each takes its turn.
        seconds: about how long a turn takes.
        narrowed: what XLA is timed on instead: in another precision, or with kernels of its own.

    Raises:
        UnknownNameError: no such engine.
    """
    names = list(dict.fromkeys([_REFERENCE, *(ENGINES if engines is None else engines)]))
    recorded = replace(options, precision="float32")
    reference = find_engine(_REFERENCE).load(artifact, recorded)
    expected = [_outputs(reference, sample) for sample in samples]
    models: dict[str, CompiledModel] = {_REFERENCE: reference}
    found = {_REFERENCE: EngineTime(_REFERENCE, find_engine(_REFERENCE).version(), difference=0.0)}
    if narrowed is not None:
        models[_REFERENCE] = find_engine(_REFERENCE).load(narrowed, recorded)
        got = [_outputs(models[_REFERENCE], sample) for sample in samples]
        found[_REFERENCE] = replace(found[_REFERENCE], difference=_apart(got, expected))
    for name in names[1:]:
        found[name], model = _try(name, artifact, samples, expected, options)
        if model is not None:
            models[name] = model
    for name, taken in _times(models, samples, rounds, seconds).items():
        found[name] = replace(found[name], seconds=taken)
    times = {n: e.seconds for n, e in found.items() if e.reason is None and e.seconds is not None}
    shapes = [[list(array.shape) for array in sample] for sample in samples]
    best = min(times, key=lambda name: times[name])
    return Measurement(best, found, options.threads, options.precision, shapes)


def _outputs(model: CompiledModel, sample: Sequence[Any]) -> list[np.ndarray]:
    return [np.asarray(output) for output in model.run(sample)]


def _apart(got: Any, expected: Any) -> float:
    return max(largest_difference(a, b) for a, b in zip(got, expected, strict=True))


def _try(
    name: str, artifact: Artifact, samples: Any, expected: Any, options: EngineOptions
) -> tuple[EngineTime, CompiledModel | None]:
    """Loads an engine and compares its outputs; what fails is its reason."""
    engine = find_engine(name)
    reason = engine.unavailable()
    if reason is not None:
        return EngineTime(name, reason=reason), None
    version = engine.version()
    try:
        model = engine.load(artifact, options)
        got = [_outputs(model, sample) for sample in samples]
    except (ProaError, RuntimeError) as error:
        return EngineTime(name, version, reason=str(error)), None
    difference = _apart(got, expected)
    if difference > max(ROUGHNESS[options.precision], _OTHER_ORDER):
        reason = f"its outputs differ from those of {_REFERENCE}"
    return EngineTime(name, version, difference=difference, reason=reason), model


def _times(
    models: Mapping[str, CompiledModel], samples: Any, rounds: int, seconds: float
) -> dict[str, float]:
    """Median seconds of a request, per engine."""

    def once(model: CompiledModel) -> None:
        for sample in samples:
            jax.block_until_ready(model.run(sample))

    counts: dict[str, int] = {}
    for name, model in models.items():
        start = time.perf_counter()
        once(model)
        once(model)
        counts[name] = max(1, int(2 * seconds / max(time.perf_counter() - start, 1e-7)))
    taken: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(max(rounds, 1)):
        for name, model in models.items():
            start = time.perf_counter()
            for _ in range(counts[name]):
                once(model)
            passed = time.perf_counter() - start
            taken[name].append(passed / counts[name] / len(samples))
    return {name: statistics.median(values) for name, values in taken.items()}
