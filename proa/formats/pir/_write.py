"""Writing an artifact as Paddle's pair of files: `.json` (the program) and `.pdiparams`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

import jax
import numpy as np

from proa.core import InvalidArgumentError, UnsupportedError, describe_array
from proa.framework import replace_file
from proa.program import Call, Program, Value, make_dimension

from .._artifact import ROLES, Artifact, artifact_path
from .._trainable import trainable_names
from ..paddle._tensors import pack_tensors
from . import (
    _primitives_control,
    _rules_nn,
    _rules_numbers,
    _rules_shape,
)
from ._basic import binary, cast, reshape, scaled
from ._graph import Graph, Out, Unwritable
from ._primitives import lower
from ._rules import RULES

#: Modules that enter rules when they are loaded.
TABLES = (_primitives_control, _rules_nn, _rules_numbers, _rules_shape)
_ENDINGS = (".json", ".pdmodel", ".pdiparams", ".proa")


def paddle_paths(path: Any) -> tuple[Path, Path]:
    """Returns the two files that a path given by a user means."""
    prefix = os.fspath(artifact_path(path)).removesuffix(".proa")
    for ending in _ENDINGS:
        prefix = prefix.removesuffix(ending)
    return Path(f"{prefix}.json"), Path(f"{prefix}.pdiparams")


def write_paddle(artifact: Artifact, path: Any) -> Path:
    """Writes an artifact as `<path>.json` and `<path>.pdiparams`, which Paddle 3 loads.

    Pre-processing, model and post-processing become one program. Golden samples and lineage
    have no place in these files.

    Args:
        artifact: the artifact.
        path: file path without ending.

    Returns:
        The path of the program.

    Raises:
        UnsupportedError: calls that Paddle's ops cannot express; all of them are named, with the
            user's line. Nothing is written then.
    """
    program, weights = paddle_paths(path)
    content, parameters = convert(artifact)
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    with replace_file(weights) as held, replace_file(program) as written:
        held.write_bytes(pack_tensors(parameters))
        written.write_text(text)
    return program


def convert(artifact: Artifact) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Returns the program as JSON data, and the arrays of the parameter file.

    Raises:
        UnsupportedError: calls that Paddle's ops cannot express.
    """
    others = sorted(set(artifact.programs) - set(ROLES))
    if others:
        raise UnsupportedError(
            f"the model has more than one function: {', '.join(others)}",
            expected="forward alone, with its pre- and post-processing",
            fix="save each function by itself, or all as .proa",
        )
    writer = _Writer()
    g = writer.graph
    manifest = artifact.manifest
    current = inputs = [
        g.input(entry["name"], tuple(map(_extent, entry["shape"])), entry["dtype"])
        for entry in manifest["inputs"]
    ]
    trainable = trainable_names(artifact)
    # Inputs, weights and outputs share one scope in Paddle's predictor.
    used = {entry["name"] for entry in manifest["inputs"]}
    weights: dict[str, Out] = {}
    for role in ROLES:
        program = artifact.programs.get(role)
        if program is None:
            continue
        names = manifest["captures"][role]
        for name in names:
            if name not in weights:
                array = artifact.weights[name]
                held = _distinct(name, used)
                weights[name] = g.parameter(held, array, trainable=name in trainable)
        current = writer.program(program, current, [weights[name] for name in names])
    writer.refuse()
    taken = {value.number for value in (*inputs, *weights.values())}
    for column, (value, entry) in enumerate(zip(current, manifest["outputs"], strict=True)):
        # What is fetched twice, or is fed, needs a value of its own.
        made = _copied(g, value) if value.number in taken else value
        taken.add(made.number)
        g.fetch(made, _distinct(entry["name"], used), column)
    content = g.as_json()
    return content, g.parameters


def _distinct(name: str, used: set[str]) -> str:
    """The name, or with a number where it is taken; it is taken from now on."""
    found = next(n for n in chain([name], (f"{name}_{i}" for i in count(1))) if n not in used)
    used.add(found)
    return found


def _copied(g: Graph, x: Out) -> Out:
    return binary(g, "logical_or", x, x) if x.dtype == np.bool_ else scaled(g, x, 1.0)


def _extent(extent: Any) -> Any:
    return make_dimension(extent) if isinstance(extent, str) else extent


class _Writer:
    """Writes Programs into a graph, and collects what cannot be written."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.failures: dict[tuple[str, str], str] = {}

    def refuse(self) -> None:
        """Raises one error for all calls that could not be written."""
        if not self.failures:
            return
        lines = [f"{op} at {where} ({why})" for (op, where), why in self.failures.items()]
        raise UnsupportedError(
            f"{len(lines)} kinds of calls have no form in Paddle's files: " + "; ".join(lines),
            expected="ops that Paddle 3.3.1 has",
            fix="write these with other ops, or save as .proa, which takes all of them",
        )

    def program(
        self, program: Program, inputs: Sequence[Out], captures: Sequence[Out]
    ) -> list[Out]:
        """Writes the calls of a Program; returns its outputs."""
        known: dict[Value, Out] = {}
        known.update(zip(program.inputs, inputs, strict=True))
        known.update(zip(program.captures, captures, strict=True))
        for value, array in program.constants.items():
            known[value] = self.graph.constant(array)
        for call in program.calls:
            made = self._call(call, [known[v] for v in call.inputs], known)
            known.update(zip(call.outputs, made, strict=True))
        return [known[v] for v in program.outputs]

    def _call(self, call: Call, inputs: list[Out], known: Mapping[Value, Out]) -> list[Out]:
        try:
            return self._fitted(call, self._written(call, inputs, known))
        except (Unwritable, jax.errors.InconclusiveDimensionOperation) as error:
            where = call.where or "a line that is not known"
            why = str(error) if isinstance(error, Unwritable) else "it asks for an unknown size"
            self.failures.setdefault((call.op.name, where), why)
            return [self.graph.value(v.shape, v.dtype) for v in call.outputs]

    def _written(self, call: Call, inputs: list[Out], known: Mapping[Value, Out]) -> Any:
        if call.op.name == "if_else":
            return self._branch(call, inputs)
        if call.op.name == "while_loop":
            return self._loop(call, inputs)
        rule = RULES.get(call.op.name)
        if call.op.name.endswith("_grad"):
            raise Unwritable("a gradient")
        made = None
        if rule is not None:
            specs = [(v.shape, v.dtype) for v in call.outputs]
            given = {n: _looked_up(v, known) for n, v in call.arguments().items()}
            made = rule(self.graph, specs if call.is_tuple else specs[0], **given)
        return lower(self.graph, call, inputs) if made is None else made

    def _fitted(self, call: Call, made: Any) -> list[Out]:
        """The results in the shapes and dtypes that the Program gives them."""
        results = made if isinstance(made, list) else [made]
        fitted = []
        for value, out in zip(call.outputs, results, strict=True):
            if len(out.shape) != len(value.shape):
                raise Unwritable(f"a rule gives {list(out.shape)} for {describe_array(value)}")
            out = cast(self.graph, out, value.dtype)
            # What the Program knows of the shape may be more than the rule does.
            fitted.append(Out(out.number, value.shape, out.dtype))
        return fitted

    def _branch(self, call: Call, inputs: list[Out]) -> list[Out]:
        g = self.graph
        condition = reshape(g, cast(g, inputs[0], np.bool_), ())
        blocks = []
        for sub in call.key[:2]:
            with g.block() as ops:
                ends = self.program(sub.program, inputs[1:], [])
            blocks.append(([], ops, ends))
        return g.structured("if", [condition], blocks, [(v.shape, v.dtype) for v in call.outputs])

    def _loop(self, call: Call, inputs: list[Out]) -> list[Out]:
        g = self.graph
        test, body, count = call.key[:3]
        state, rest = inputs[:count], inputs[count:]

        def condition(now: Sequence[Out]) -> Out:
            (found,) = self.program(test.program, [*now, *rest], [])
            return reshape(g, cast(g, found, np.bool_), ())

        return g.loop(state, condition, lambda now: self.program(body.program, [*now, *rest], []))


def _looked_up(value: Any, known: Mapping[Value, Out]) -> Any:
    """An argument of a call with values as the graph has them."""
    if isinstance(value, Value):
        return known[value]
    if isinstance(value, list) and value and isinstance(value[0], Value):
        return [known[v] for v in value]
    return value


def check_format(name: Any) -> str:
    """Returns the name of a file format that `jit.save` writes.

    Raises:
        InvalidArgumentError: it is none.
    """
    if name in ("proa", "paddle"):
        return name
    raise InvalidArgumentError(
        f"`format` is {name!r}", expected="'proa' or 'paddle'", fix="leave it out for .proa"
    )
