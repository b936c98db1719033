"""From a graph of Paddle's ops to an artifact: rules are run while a recorder listens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from proa.core import (
    InvalidArgumentError,
    ProaError,
    ProgramError,
    Tensor,
    as_dtype,
    located_at,
    no_grad,
    to_tensor,
)
from proa.program import Program, make_dimension, recording

from .._artifact import Artifact
from .._manifest import make_manifest
from ._control import CONTROL, blocks_of, overwritten
from ._graph import Block, Graph, Node, Variable, unknown_ops
from ._host import run_on_host
from ._rules import Rule, Unfit, find_rule, tensor

#: How unknown sizes of the inputs are named, tried in this order: each by itself, first axes
#: as one batch, equal axes of inputs of one rank as equal.
_NAMINGS = ("own", "batch", "axis")


def graph_to_artifact(
    graph: Graph, weights: Mapping[str, np.ndarray], lineage: Mapping[str, Any]
) -> Artifact:
    """Translates a graph.

    Args:
        graph: the graph.
        weights: arrays by name.
        lineage: where the model comes from.

    Raises:
        UnsupportedError: ops that are not known, all of them named.
        ProgramError: a call that no rule covers, or that Proa's ops cannot do.
    """
    unknown = [n for n in walk(graph.block) if not _is_known(n.op, graph.form)]
    if unknown:
        raise unknown_ops(unknown)
    namings = _NAMINGS if len(graph.inputs) > 1 else _NAMINGS[:1]
    for naming in namings:
        try:
            return _record(graph, weights, lineage, naming)
        except ProaError:
            if naming == namings[-1]:
                raise
    raise ProgramError("no naming", expected="one", fix="report it")


def walk(block: Block) -> Iterator[Node]:
    """Yields all nodes, those of branches and loops too."""
    for node in block.nodes:
        yield node
        for inner in blocks_of(node):
            yield from walk(inner)


def _is_known(op: str, form: str) -> bool:
    return find_rule(op, form) is not None or (form, op) in CONTROL


def _dimensions(variable: Variable, position: int, naming: str) -> tuple[Any, ...]:
    made = []
    for axis, extent in enumerate(variable.shape):
        if extent >= 0:
            made.append(extent)
            continue
        stem = "".join(c if c.isalnum() else "_" for c in variable.name)
        label = f"{stem}_{axis}" if stem[:1].isalpha() else f"x{position}_{axis}"
        if axis == 0 and (naming != "own" or position == 0):
            label = "batch"
        elif naming == "axis":
            label = f"rank{len(variable.shape)}_axis{axis}"
        made.append(make_dimension(label))
    return tuple(made)


def _record(
    graph: Graph, weights: Mapping[str, np.ndarray], lineage: Mapping[str, Any], naming: str
) -> Artifact:
    held = {v.key: to_tensor(weights[v.name]) for v in graph.weights}
    names = {id(held[v.key]): v.name for v in graph.weights}
    with no_grad(), recording() as recorder:
        values: dict[str, Any] = dict(held)
        for position, variable in enumerate(graph.inputs):
            shape = _dimensions(variable, position, naming)
            dtype = as_dtype(variable.dtype).numpy
            values[variable.key] = recorder.add_input(shape, dtype, variable.name)
        Translator(graph.form, values).run(graph.block)
        outputs = [_output(values, name, key) for name, key in graph.outputs]
        program, state = recorder.finish(outputs)
    captures = [names[id(t)] for t in state.captures]
    for value, name in zip(program.captures, captures, strict=True):
        value.name = name
    return make_artifact(program, captures, weights, [n for n, _ in graph.outputs], lineage)


def _output(values: Mapping[str, Any], name: str, key: str) -> Tensor:
    found = values.get(key)
    if found is None:
        raise ProgramError(
            f"output {name!r} of the model is a result that is not computed here",
            expected="results that calls for inference give",
            fix="export the model again with other outputs",
        )
    return tensor(found)


def make_artifact(
    program: Program,
    captures: Sequence[str],
    weights: Mapping[str, np.ndarray],
    outputs: Sequence[str],
    lineage: Mapping[str, Any],
) -> Artifact:
    """Puts a Program that was read and its weights together.

    Args:
        program: the Program.
        captures: name of the weight that each capture of the Program stands for.
        weights: arrays by name, more of them maybe.
        outputs: names of the outputs.
        lineage: where it comes from.
    """
    inputs = [(v.shape, v.dtype, v.name) for v in program.inputs]
    results = [(v.shape, v.dtype, n) for v, n in zip(program.outputs, outputs, strict=True)]
    manifest = make_manifest(inputs, results, {"main": list(captures)}, dict(lineage))
    return Artifact({"main": program}, {n: weights[n] for n in captures}, {}, manifest)


class Translator:
    """Runs rules, one node after the other.

    Args:
        form: form of the Program.
        values: what is known by variable: tensors, arrays of sizes, lists of them.
    """

    def __init__(self, form: str, values: dict[str, Any]) -> None:
        self.form, self.values = form, values

    def run(self, block: Block) -> None:
        """Runs all nodes of a block.

        Raises:
            ProgramError: a call that cannot be translated, with its op, inputs and place.
        """
        for node in block.nodes:
            # Calls stand where their op stands in the file, not in the code that reads it.
            with located_at(node.where):
                self.run_node(node)

    def run_node(self, node: Node) -> None:
        """Runs one node.

        Raises:
            UnsupportedError: its op has no rule.
            ProgramError: as `run`.
        """
        handler = CONTROL.get((self.form, node.op))
        if handler is not None:
            self._control(handler, node)
            return
        found = find_rule(node.op, self.form)
        if found is None:
            raise unknown_ops([node])
        try:
            arguments = found.arguments(node, self.values, self.form)
            results = run_on_host(found.name, arguments, found.positional)
            if results is None:
                results = found.function(**_as_tensors(arguments, found))
        except KeyError as error:
            raise _failed(node, f"variable {error} is not defined before") from error
        except (Unfit, ProaError, ValueError, TypeError, IndexError) as error:
            raise _failed(node, self._describe(node, error)) from error
        self._keep(node, found, results)

    def inside(self, values: dict[str, Any]) -> Translator:
        """Returns one for a block inside, on values of its own."""
        return Translator(self.form, values)

    def _control(self, handler: Any, node: Node) -> None:
        try:
            handler(self, node)
        except KeyError as error:
            raise _failed(node, f"variable {error} is not defined before") from error
        except (Unfit, InvalidArgumentError, ValueError, TypeError) as error:
            raise _failed(node, str(error)) from error

    def _keep(self, node: Node, found: Rule, results: Any) -> None:
        made = results if isinstance(results, tuple) else (results,)
        outputs = list(node.outputs.values())
        if self.form == "desc":
            # Newer ops write `out` for what is `Out` with the others.
            by_slot = {slot.lower(): names for slot, names in node.outputs.items()}
            outputs = [by_slot.get(slot.lower(), []) for slot in found.outputs]
        for names, result in zip(outputs, made, strict=False):
            if isinstance(result, list) and self.form == "desc":
                self.values.update(zip(names, result, strict=False))
            elif names:
                self.values[names[0]] = result
        target = overwritten(node) if self.form == "pir" else None
        if target is not None and outputs:
            # Who reads it after this call reads what the call gave.
            self.values[target] = self.values[outputs[0][0]]

    def _describe(self, node: Node, error: Exception) -> str:
        given = []
        for slot, names in node.slots.items():
            if names:
                given.append(f"{slot}: {', '.join(_shown(self.values.get(n)) for n in names)}")
        return f"({'; '.join(given)}): {error}"


def _as_tensors(arguments: dict[str, Any], found: Rule) -> dict[str, Any]:
    """Arguments of a recorded call: inputs that stand for data are tensors."""
    made = dict(arguments)
    for name in found.positional:
        value = made.get(name)
        if name in found.data and value is not None:
            made[name] = [tensor(v) for v in value] if isinstance(value, list) else tensor(value)
    return made


def _shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{value.dtype.name}{list(value.shape)}"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    return "nothing" if value is None else f"sizes {np.asarray(value).tolist()}"


def _failed(node: Node, what: str) -> ProgramError:
    return ProgramError(
        f"op `{node.op}` at {node.where} cannot be translated: {what}"[:2000],
        expected="arguments that Proa's ops can take while a Program is made",
        fix="export the model with fixed sizes, or rewrite that part of it",
    )
