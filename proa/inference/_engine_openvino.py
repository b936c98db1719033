"""The engine `openvino`: the artifact as ONNX, run by OpenVINO on the CPU."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError
from proa.formats import Artifact

from ._engine import NAN_LINE, CompiledModel, Engine, EngineOptions
from ._onnx_model import as_arrays, dtypes_of, missing, model_bytes, refuse

_PRECISIONS = {"float32": "f32", "bfloat16": "bf16", "float16": "f16"}
_INT32 = np.iinfo(np.int32)


_REPORTS = "openvino_telemetry"


@cache
def _import_openvino() -> Any:
    """Imports openvino without its reports.

    Its import would tell a server of its maker, unasked, through a forked process: beside the
    threads of JAX a fork may hang.
    """
    reports = {_REPORTS: sys.modules[_REPORTS]} if _REPORTS in sys.modules else {}
    sys.modules[_REPORTS] = None  # type: ignore[assignment]
    try:
        import openvino
    finally:
        del sys.modules[_REPORTS]
        sys.modules.update(reports)
    return openvino


@cache
def _core() -> Any:
    return _import_openvino().Core()


class _Compiled(CompiledModel):
    """A compiled model and its request, which threads take in turn.

    Compiled for latency it has one stream: requests at once would wait for each other in it,
    and have been seen to wait for ever.
    """

    def __init__(self, model: Any, version: str) -> None:
        self._model, self._version = model, version
        self._names = [port.get_any_name() for port in model.inputs]
        self._count = len(model.outputs)
        self._request = model.create_infer_request()
        self._turn = threading.Lock()

    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        given = as_arrays(arrays)
        for array, name in zip(given, self._names, strict=True):
            _refuse_long(array, name)
        with self._turn:
            self._request.infer(given, share_inputs=True)
            # The request's buffers are the next run's too.
            return [np.array(self._request.get_output_tensor(i).data) for i in range(self._count)]

    def explain(self) -> list[str]:
        held = self._model.get_property
        return [
            f"engine         openvino {self._version} on cpu, "
            f"computes in {held('INFERENCE_PRECISION_HINT').get_type_name()}",
            f"threads        {held('INFERENCE_NUM_THREADS')}",
            "integers       int64 is computed in 32 bits; inputs that need more are refused",
            NAN_LINE,
        ]

    def trim(self) -> None:
        with self._turn:
            self._model.release_memory()


def _refuse_long(array: np.ndarray, name: str) -> None:
    if array.dtype.name not in ("int64", "uint32", "uint64") or not array.size:
        return
    if array.min() < _INT32.min or array.max() > _INT32.max:
        raise InvalidArgumentError(
            f"input `{name}` holds integers from {array.min()} to {array.max()}",
            expected="numbers of 32 bits: the engine openvino computes integers in them",
            fix="use the engine xla or onnxruntime",
        )


class OpenvinoEngine(Engine):
    """OpenVINO on the CPU."""

    name = "openvino"

    def unavailable(self) -> str | None:
        """Returns which package is missing, or `None`."""
        return missing(self.name, "onnx", "openvino")

    def version(self) -> str:
        """Returns the version of openvino."""
        return _import_openvino().__version__.split("-")[0]

    def load(self, artifact: Artifact, options: EngineOptions) -> CompiledModel:
        """Prepares an artifact.

        Raises:
            UnsupportedError: the engine cannot run it, or not in the precision asked for.
        """
        reason = self.unavailable()
        if reason is not None:
            raise refuse(self.name, reason, "install it, or use the engine xla")
        if "float64" in dtypes_of(artifact):
            # It would be computed in float32, in silence.
            raise refuse(self.name, "it computes in float64", "use the engine xla or onnxruntime")
        wanted = _PRECISIONS[options.precision]
        settings: dict[str, Any] = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": wanted,
        }
        if options.threads is not None:
            settings["INFERENCE_NUM_THREADS"] = options.threads
        content = model_bytes(self.name, artifact)
        try:
            model = _core().compile_model(_core().read_model(content), "CPU", settings)
        except RuntimeError as error:
            raise refuse(self.name, f"{error}"[:500], "use the engine xla") from error
        given = model.get_property("INFERENCE_PRECISION_HINT").get_type_name()
        if given != wanted:
            raise refuse(
                self.name,
                f"this CPU computes in {given} where {wanted} is asked for",
                "leave the precision at 'float32'",
            )
        return _Compiled(model, self.version())
