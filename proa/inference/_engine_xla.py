"""The engine `xla`: the artifact's Programs compiled by XLA, once per input shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from proa.core import UnsupportedError
from proa.formats import Artifact
from proa.jit import Pipeline

from ._engine import CompiledModel, Engine, EngineOptions


class _Compiled(CompiledModel):
    def __init__(self, artifact: Artifact, options: EngineOptions) -> None:
        self.pipeline = Pipeline(
            artifact,
            options.max_variants,
            options.device,
            store=options.store,
            budget=options.budget,
        )
        self._threads = options.threads

    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        return self.pipeline.run(arrays)

    def explain(self) -> list[str]:
        device = self.pipeline.device or jax.devices()[0]
        lines = [f"engine         xla {jax.__version__} on {device}, computes as recorded"]
        if self._threads is not None:
            lines.append("threads        no effect on xla: limit the cores of the process instead")
        for role, program in self.pipeline.artifact.programs.items():
            lines.append(f"{role:<14} {len(program.calls)} ops")
        return lines

    @property
    def num_compiled(self) -> int:
        return self.pipeline.num_compiled

    def trim(self) -> None:
        self.pipeline.trim()


class XlaEngine(Engine):
    """XLA: every op, every device that JAX knows."""

    name = "xla"

    def unavailable(self) -> str | None:
        """It is always there."""
        return None

    def version(self) -> str:
        """Returns JAX's version."""
        return jax.__version__

    def load(self, artifact: Artifact, options: EngineOptions) -> CompiledModel:
        """Prepares an artifact; shapes are compiled at their first run.

        Raises:
            UnsupportedError: another precision than the recorded one is asked for.
        """
        if options.precision != "float32":
            raise UnsupportedError(
                f"engine 'xla' with precision {options.precision!r}",
                expected="the precision that the model was recorded in",
                fix="record the model under amp.auto_cast, or take another engine",
            )
        return _Compiled(artifact, options)
