"""Loading an artifact back as a Layer."""

from __future__ import annotations

import os
from typing import Any

import jax
import numpy as np

from proa.core import (
    InvalidTypeError,
    Parameter,
    Tensor,
    checks_numbers,
    context,
    dispatch,
    to_tensor,
)
from proa.formats import read_model, trainable_names
from proa.nn import Layer
from proa.program import ProgramOp, run_stepwise

from ._pipeline import Pipeline

_NO_KEY = (None, ())


class TranslatedLayer(Layer):
    """A Layer made of an artifact's Programs; its weights can be trained further.

    The modes are those of the export (evaluation): dropout and running statistics stay as
    they were saved, in `train()` too.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        super().__init__()
        self._pipeline = pipeline
        self._stages: list[tuple[Any, list[str]]] = []
        captures = pipeline.artifact.manifest["captures"]
        for role, program in pipeline.artifact.programs.items():
            self._stages.append((ProgramOp(program, f"artifact_{role}"), captures[role]))
        self._order = {"preprocess": 0, "main": 1, "postprocess": 2}
        self._stages.sort(key=lambda stage: self._order[stage[0].name.removeprefix("artifact_")])
        self._weights: dict[str, Tensor] = {}
        trainable = trainable_names(pipeline.artifact)
        for name, array in pipeline.artifact.weights.items():
            self._weights[name] = self._hold(name, array, name in trainable)

    def _hold(self, name: str, array: np.ndarray, trainable: bool) -> Tensor:
        member = name.replace(".", "__").replace("/", "__")
        if trainable:
            parameter = Parameter.__new__(Parameter)
            parameter._data, parameter._name = jax.device_put(array), name
            parameter.optimize_attr = {"learning_rate": 1.0}
            self.add_parameter(member, parameter)
            return parameter
        buffer = to_tensor(array)
        self.register_buffer(member, buffer)
        return buffer

    @property
    def manifest(self) -> dict[str, Any]:
        """The artifact's manifest: versions, input and output specs, lineage."""
        return self._pipeline.artifact.manifest

    def program(self, role: str = "main") -> Any:
        """Returns a Program: `main`, `preprocess` or `postprocess`."""
        return self._pipeline.artifact.programs[role]

    def forward(self, *inputs: Any) -> Any:
        """Runs the stages; returns one tensor or a tuple of them.

        Raises:
            InvalidArgumentError: an input does not fit the recorded spec.
        """
        tensors = tuple([t if isinstance(t, Tensor) else to_tensor(t) for t in inputs])
        self._pipeline.check_inputs([t._data for t in tensors])
        # While recording, the ops become part of the outer Program, and can be saved again.
        by_op = context.recorder is not None or checks_numbers()
        for op, names in self._stages:
            given = (*tensors, *[self._weights[n] for n in names])
            tensors = tuple(
                run_stepwise(op.program, given) if by_op else dispatch(op, given, _NO_KEY)
            )
        return tensors[0] if len(tensors) == 1 else tensors


def load(path: Any, *, check: bool = True, **configs: Any) -> TranslatedLayer:
    """Loads an artifact saved by `save`, or a model of Paddle, as a Layer.

    Args:
        path: the file, with or without its ending: `.proa`, or Paddle's `.json` or `.pdmodel`
            with its `.pdiparams`. Where several are there, `.proa` is loaded. The folder of
            an old model of Paddle will do, too.
        check: run the golden samples first.
        configs: `model_filename` and `params_filename`, names of the files in a folder; further
            options of Paddle, without effect here.

    Returns:
        A Layer whose call runs pre-processing, model and post-processing.

    Raises:
        NotFoundError: no such file.
        ArtifactError: truncated, altered, or its golden samples give other outputs here.
        UnsupportedError: a model of Paddle with ops that are not known here; all are named.
    """
    if not isinstance(path, str) and not hasattr(path, "__fspath__"):
        raise InvalidTypeError(
            f"`path` is a {type(path).__name__}", expected="a file path", fix="pass a string"
        )
    program, params = configs.get("model_filename"), configs.get("params_filename")
    source = path if program is None else os.path.join(path, program)
    pipeline = Pipeline(read_model(source, params))
    if check:
        pipeline.check_golden()
    layer = TranslatedLayer(pipeline)
    layer.eval()
    return layer
