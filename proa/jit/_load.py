"""Loading an artifact back as a Layer."""

from __future__ import annotations

import os
from typing import Any

import jax
import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Parameter,
    Tensor,
    UnknownNameError,
    checks_numbers,
    context,
    dispatch,
    to_tensor,
)
from proa.formats import ROLES, read_model, trainable_names
from proa.nn import Layer
from proa.program import ProgramOp, bind_sizes, run_stepwise

from ._dataclasses import flatten_tree
from ._nesting import METHOD, build_result
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
        programs = pipeline.artifact.programs
        for role in ROLES:
            if role in programs:
                op = ProgramOp(programs[role], f"artifact_{role}")
                self._stages.append((op, captures[role]))
        self._weights: dict[str, Tensor] = {}
        trainable = trainable_names(pipeline.artifact)
        for name, array in pipeline.artifact.weights.items():
            self._weights[name] = self._hold(name, array, name in trainable)
        for name, entry in self.manifest.get("methods", {}).items():
            program = programs[METHOD + name]
            method = _Method(self, name, program, captures[METHOD + name], entry)
            object.__setattr__(self, name, method)

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

    def program(self, method_name: str = "forward") -> Any:
        """Returns a Program.

        Args:
            method_name: `forward` (the same as `main`), `preprocess`, `postprocess`, or the
                name of another method that was saved.

        Raises:
            UnknownNameError: there is none of that name.
        """
        programs = self._pipeline.artifact.programs
        for role in ("main" if method_name == "forward" else method_name, METHOD + method_name):
            if role in programs:
                return programs[role]
        raise UnknownNameError(
            f"no Program {method_name!r} in this model",
            expected=", ".join(role.removeprefix(METHOD) for role in programs),
            fix="use one of these names",
        )

    def extra_repr(self) -> str:
        """Says how far compiled and uncompiled outputs were apart when it was saved."""
        found = self.manifest.get("eager_difference_absolute")
        return "" if found is None else f"largest difference to the uncompiled model: {found:.3g}"

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """Runs the stages; returns what the saved function did, lists and dicts included.

        Args:
            inputs: tensors, or lists and dicts of them, as the saved function takes them.
            named: inputs by name, after those.

        Raises:
            InvalidArgumentError: an input does not fit the recorded spec.
        """
        tensors = _as_tensors(inputs, named, self._pipeline.names)
        self._pipeline.check_inputs([t._data for t in tensors])
        for op, names in self._stages:
            tensors = _run(op, (*tensors, *[self._weights[n] for n in names]))
        return _result(self.manifest.get("result"), tensors)


class _Method:
    """A saved method of a layer besides `forward`."""

    def __init__(
        self, layer: TranslatedLayer, name: str, program: Any, captures: list[str], entry: Any
    ) -> None:
        self._layer, self._captures, self._entry = layer, captures, entry
        self.__name__ = name
        self._op = ProgramOp(program, f"artifact_{name}")
        self._names = [each["name"] for each in entry["inputs"]]

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        tensors = _as_tensors(inputs, named, self._names)
        program = self._op.program
        bind_sizes([v.shape for v in program.inputs], [t._data for t in tensors], self._names)
        weights = [self._layer._weights[name] for name in self._captures]
        return _result(self._entry["result"], _run(self._op, (*tensors, *weights)))


def _as_tensors(
    inputs: tuple[Any, ...], named: dict[str, Any], names: list[str]
) -> tuple[Tensor, ...]:
    leaves = flatten_tree(inputs)[0]
    if len(leaves) > len(names):
        # Constants stand in the saved function already.
        leaves = [v for v in leaves if isinstance(v, Tensor | np.ndarray)]
    unknown = [name for name in named if name not in names[len(leaves) :]]
    if unknown:
        raise InvalidArgumentError(
            f"an input named {unknown[0]!r}",
            expected="inputs " + ", ".join(names),
            fix="use these names, each input once",
        )
    leaves += [named[name] for name in names[len(leaves) :] if name in named]
    if len(leaves) != len(names):
        raise InvalidArgumentError(
            f"{len(leaves)} inputs were given",
            expected=f"{len(names)}: " + ", ".join(names),
            fix="pass one tensor per input, in this order",
        )
    return tuple([t if isinstance(t, Tensor) else to_tensor(t) for t in leaves])


def _run(op: ProgramOp, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    # While recording, the ops become part of the outer Program, and can be saved again.
    by_op = context.recorder is not None or checks_numbers()
    return tuple(run_stepwise(op.program, given) if by_op else dispatch(op, given, _NO_KEY))


def _result(description: Any, tensors: tuple[Tensor, ...]) -> Any:
    if description is not None:
        return build_result(description, tensors)
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
