"""Programs and artifacts as ONNX models.

A model is written from its Programs alone: each op call by the rule of its op (`_rules`),
unknown sizes as named dimensions, sizes that a node needs from the shapes of the inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from proa.core import (
    InvalidArgumentError,
    MissingModuleError,
    UnsupportedError,
    describe_array,
    is_dimension,
)
from proa.program import Call, Program, prune
from proa.version import full_version

from .._artifact import ROLES, Artifact
from . import _activation as _activation
from . import _elementwise as _elementwise
from . import _layers as _layers
from . import _reduce as _reduce
from . import _shape as _shape
from . import _windows as _windows
from ._graph import CannotWrite, Graph, Ref
from ._rules import RULES

#: Versions of ONNX' operators that can be written, and the one that is written by default.
OPSETS, OPSET = range(18, 24), 20
#: Version of ONNX' file that came with each of them.
_FILE_VERSIONS = {18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11}


def import_onnx() -> Any:
    """Returns the package `onnx`.

    Raises:
        MissingModuleError: it is not installed.
    """
    try:
        import onnx
    except ImportError as error:
        raise MissingModuleError(
            "an ONNX model is to be written and the package onnx is not there",
            expected="onnx",
            fix="pip install 'proa[onnx]'",
        ) from error
    return onnx


def artifact_to_onnx(artifact: Artifact, *, opset: int = OPSET) -> Any:
    """Writes an artifact as one ONNX model: pre-processing, model and post-processing.

    Inputs and outputs have the names of the artifact; a size that was left open has a name.

    Args:
        artifact: the artifact.
        opset: version of the operators, from 18 to 23.

    Returns:
        An `onnx.ModelProto`.

    Raises:
        UnsupportedError: calls have no form in ONNX; all of them are named, with their place.
        InvalidArgumentError: another version of the operators.
        MissingModuleError: the package `onnx` is not installed.
    """
    if opset not in OPSETS:
        raise InvalidArgumentError(
            f"`opset` is {opset!r}",
            expected=f"{OPSETS[0]} to {OPSETS[-1]}",
            fix=f"leave it out for {OPSET}",
        )
    onnx = import_onnx()
    graph = Graph(opset)
    inputs = _named(graph, artifact.manifest["inputs"], artifact)
    output_names = [graph.name(entry["name"]) for entry in artifact.manifest["outputs"]]
    held: dict[str, Ref] = {}
    problems: list[str] = []
    current: list[Ref] = inputs
    for role in ROLES:
        if role in artifact.programs:
            names = artifact.manifest["captures"][role]
            for name in names:
                if name not in held:
                    held[name] = graph.held(np.asarray(artifact.weights[name]), name)
            weights = [held[name] for name in names]
            current = _write_program(graph, artifact.programs[role], current, weights, problems)
    if problems:
        raise _refusal(problems)
    for ref, name in zip(current, output_names, strict=True):
        graph.rename(ref, name)
    outputs = [Ref(name, r.dtype, r.shape) for name, r in zip(output_names, current, strict=True)]
    return _model(onnx, graph, inputs, outputs)


def _named(graph: Graph, entries: Sequence[Any], artifact: Artifact) -> list[Ref]:
    program = next(artifact.programs[role] for role in ROLES if role in artifact.programs)
    return [
        Ref(graph.name(entry["name"]), value.dtype, value.shape)
        for entry, value in zip(entries, program.inputs, strict=True)
    ]


def _refusal(problems: Sequence[str]) -> UnsupportedError:
    return UnsupportedError(
        f"{len(problems)} call{'s' if len(problems) > 1 else ''} of the model cannot be written "
        "as ONNX:\n  " + "\n  ".join(problems),
        expected="ops that ONNX has, or that a few of its operators make up",
        fix="write these parts with other ops, or run the model with the engine xla",
    )


def _write_program(
    graph: Graph, program: Program, given: Sequence[Ref], weights: Sequence[Ref], problems: Any
) -> list[Ref]:
    """Adds the nodes of a Program; returns its outputs and notes what cannot be written."""
    program = prune(program)
    known: dict[Any, Ref] = {}
    for value, ref in zip(program.inputs, given, strict=True):
        # What came before may not have known its shape.
        known[value] = Ref(ref.name, value.dtype, value.shape, ref.array)
    known.update(zip(program.captures, weights, strict=True))
    for value, array in program.constants.items():
        known[value] = graph.constant(np.asarray(array))
    graph.bind([known[value] for value in program.inputs])
    for number, call in enumerate(program.calls):
        if call.op.has_effect:
            continue
        try:
            made = _write_call(graph, call, known)
        except CannotWrite as error:
            problems.append(_describe(call, number, str(error)))
            made = [Ref("", value.dtype, value.shape) for value in call.outputs]
        for value, ref in zip(call.outputs, made, strict=True):
            array = ref.array if ref.dtype == value.dtype else None
            known[value] = Ref(ref.name, value.dtype, value.shape, array)
    return [known[value] for value in program.outputs]


def _write_call(graph: Graph, call: Call, known: dict[Any, Ref]) -> list[Ref]:
    rule = RULES.get(call.op.name)
    if rule is None:
        raise CannotWrite("there is no rule for it")
    graph.call = call
    arguments = {name: _refs(value, known) for name, value in call.arguments().items()}
    made = rule(graph, **arguments)
    made = list(made) if isinstance(made, tuple) else [made]
    return [graph.cast(ref, v.dtype) for ref, v in zip(made, call.outputs, strict=True)]


def _refs(value: Any, known: dict[Any, Ref]) -> Any:
    if isinstance(value, list):
        return [_refs(each, known) for each in value]
    try:
        return known.get(value, value)
    except TypeError:
        return value


def _describe(call: Call, number: int, why: str) -> str:
    given = ", ".join(describe_array(v) for v in call.inputs)
    place = f"at {call.where}" if call.where else f"call {number}"
    return f"{call.op.name}({given}) {place}: {why}"


def _needed(graph: Graph, outputs: Sequence[Ref]) -> list[Any]:
    """The nodes that outputs need, in order."""
    wanted, kept = {ref.name for ref in outputs}, []
    for node in reversed(graph.nodes):
        if wanted.intersection(node.outputs):
            kept.append(node)
            wanted.update(node.inputs)
    return kept[::-1]


def _model(onnx: Any, graph: Graph, inputs: Sequence[Ref], outputs: Sequence[Ref]) -> Any:
    helper = onnx.helper
    nodes = _needed(graph, outputs)
    taken = {name for node in nodes for name in node.inputs}
    made = helper.make_graph(
        [_node(helper, node) for node in nodes],
        "model",
        [_info(helper, ref) for ref in inputs],
        [_info(helper, ref) for ref in outputs],
        [
            onnx.numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)
            for name, array in graph.initializers.items()
            if name in taken
        ],
    )
    return helper.make_model(
        made,
        producer_name="proa",
        producer_version=full_version,
        ir_version=_FILE_VERSIONS[graph.opset],
        opset_imports=[helper.make_opsetid("", graph.opset)],
    )


def _node(helper: Any, node: Any) -> Any:
    attributes = {}
    for name, value in node.attributes.items():
        if isinstance(value, np.dtype):
            value = helper.np_dtype_to_tensor_dtype(value)
        elif isinstance(value, tuple):
            value = list(value)
        attributes[name] = value
    return helper.make_node(node.kind, node.inputs, node.outputs, node.outputs[0], **attributes)


def _info(helper: Any, ref: Ref) -> Any:
    """Name, dtype and shape of an input or output; a size without a name has none here."""
    shape: list[Any] = []
    for extent in ref.extents:
        if not is_dimension(extent):
            shape.append(int(extent))
        else:
            text = str(extent)
            shape.append(text if text.isidentifier() else None)
    return helper.make_tensor_value_info(
        ref.name, helper.np_dtype_to_tensor_dtype(ref.dtype), shape
    )
