"""What the server does, whatever protocol asks for it: named arrays in, named arrays out."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from proa.core import UnknownNameError

from ._repository import Repository, Version


@dataclass(frozen=True)
class Request:
    """Arrays for a model; no version means the highest, no outputs means all."""

    model: str
    inputs: Mapping[str, np.ndarray]
    version: str = ""
    outputs: Sequence[str] = ()


@dataclass(frozen=True)
class Response:
    """The arrays that a version answered with."""

    model: str
    version: str
    outputs: Mapping[str, np.ndarray]


class Service:
    """Answers requests from the models of a repository; any thread may call it.

    Args:
        repository: where the models come from.
    """

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    def infer(self, request: Request) -> Response:
        """Runs a model.

        Raises:
            UnknownNameError: no such model or version is ready, or it has no such output.
            InvalidArgumentError, InvalidTypeError: an input does not fit.
        """
        version = self.repository.find(request.model, request.version)
        rows = max((len(array) for array in request.inputs.values() if array.ndim), default=1)
        start, passed = time.perf_counter_ns(), False
        try:
            outputs = _run(version, request)
            passed = True
        finally:
            taken, now = time.perf_counter_ns() - start, time.time_ns() // 10**6
            version.statistics.add(passed=passed, rows=rows, nanoseconds=taken, now=now)
        return Response(version.name, str(version.number), outputs)


def _run(version: Version, request: Request) -> dict[str, np.ndarray]:
    names = version.predictor.get_output_names()
    unknown = [name for name in request.outputs if name not in names]
    if unknown:
        raise UnknownNameError(
            f"model {version.name!r} has no output {unknown[0]!r}",
            expected=f"one of {names}",
            fix="name the outputs as the model's metadata does",
        )
    outputs = version.predictor.run(dict(request.inputs))
    found = dict(zip(names, outputs, strict=True))
    return {name: found[name] for name in request.outputs or names}
