"""The engine `onnxruntime`: the artifact as ONNX, run by ONNX Runtime on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proa.core import UnsupportedError, describe_array
from proa.formats import Artifact

from ._engine import NAN_LINE, CompiledModel, Engine, EngineOptions
from ._onnx_model import as_arrays, missing, model_bytes, refuse


class _Session(CompiledModel):
    def __init__(self, session: Any, version: str, threads: int | None, is_recurrent: bool) -> None:
        # One session serves all threads; each run has buffers of its own.
        self._session, self._version, self._threads = session, version, threads
        self._names = [each.name for each in session.get_inputs()]
        self._is_recurrent = is_recurrent

    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        given = dict(zip(self._names, as_arrays(arrays), strict=True))
        if self._is_recurrent:
            self._refuse_empty(given)
        return self._session.run(None, given)

    @staticmethod
    def _refuse_empty(given: dict[str, Any]) -> None:
        for name, array in given.items():
            if not array.size:
                # Seen with 1.32: its recurrent kernels end the process.
                raise UnsupportedError(
                    f"input `{name}` is {describe_array(array)}",
                    expected="an element at least: onnxruntime cannot run recurrent layers on none",
                    fix="leave the request out, or use the engine xla",
                )

    def explain(self) -> list[str]:
        threads = self._threads or "as onnxruntime chooses"
        return [
            f"engine         onnxruntime {self._version} on cpu, float32 where recorded so",
            f"threads        {threads}",
            NAN_LINE,
        ]


class OnnxruntimeEngine(Engine):
    """ONNX Runtime on the CPU."""

    name = "onnxruntime"

    def unavailable(self) -> str | None:
        """Returns which package is missing, or `None`."""
        return missing(self.name, "onnx", "onnxruntime")

    def version(self) -> str:
        """Returns the version of onnxruntime."""
        import onnxruntime

        return onnxruntime.__version__

    def load(self, artifact: Artifact, options: EngineOptions) -> CompiledModel:
        """Prepares an artifact.

        Raises:
            UnsupportedError: the engine cannot run it, or not in the precision asked for.
        """
        if options.precision != "float32":
            raise UnsupportedError(
                f"engine 'onnxruntime' with precision {options.precision!r}",
                expected="'float32': this engine computes as recorded",
                fix="leave the precision, or take the engine openvino for bfloat16",
            )
        reason = self.unavailable()
        if reason is not None:
            raise refuse(self.name, reason, "install it, or use the engine xla")
        import onnxruntime

        settings = onnxruntime.SessionOptions()
        settings.log_severity_level = 3
        if options.threads is not None:
            settings.intra_op_num_threads = options.threads
            settings.inter_op_num_threads = 1
        content = model_bytes(self.name, artifact)
        try:
            session = onnxruntime.InferenceSession(
                content, settings, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            # Its errors share no base; any of them means that it cannot run this model.
            raise refuse(self.name, f"{error}"[:500], "use the engine xla") from error
        calls = [call.op.name for p in artifact.programs.values() for call in p.calls]
        is_recurrent = any(name.startswith("recurrent") for name in calls)
        return _Session(session, onnxruntime.__version__, options.threads, is_recurrent)
