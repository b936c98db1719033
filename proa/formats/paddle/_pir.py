"""Paddle's newer Programs (`.json`, since 3.0) as a graph.

The form is JSON: an op is `{"#": name, "I": operands, "O": results, "A": attributes}`. Names begin
with the number of a dialect (0 builtin, 1 operators, 2 control flow). Operands have no names: they
stand in the order of the op's inputs in Paddle's C++ API.
"""

from __future__ import annotations

import json
from typing import Any

from ._graph import Block, Graph, Node, Variable, shortest
from ._rules import find_rule

#: Version of the form that Paddle 3.3.1 writes.
_NEWEST = 4
_DTYPES = {
    "bool": "bool",
    "i8": "int8",
    "ui8": "uint8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
}
_DIALECTS = {"0": "builtin", "1": "", "2": "cf", "3": "custom"}


def read_pir(content: bytes) -> Graph:
    """Reads a Program.

    Raises:
        ValueError: truncated, or of another form.
    """
    data = json.loads(content)
    if not isinstance(data, dict) or data.get("base_code", {}).get("magic") != "pir":
        raise ValueError("it is JSON, and no Program of Paddle")
    version = data["base_code"].get("version")
    if not isinstance(version, int) or version > _NEWEST:
        raise ValueError(f"it has version {version!r} of the form; {_NEWEST} is the newest known")
    reader = _Reader()
    (region,) = data["program"]["regions"]
    block = reader.block(region)
    if not reader.outputs:
        raise ValueError("it fetches nothing: it is no Program for inference")
    outputs = [(name, key) for _, name, key in sorted(reader.outputs)]
    return Graph("pir", reader.inputs, reader.weights, block, outputs)


class _Reader:
    """Collects inputs, weights and outputs while it reads the ops."""

    def __init__(self) -> None:
        self.inputs: list[Variable] = []
        self.weights: list[Variable] = []
        self.outputs: list[tuple[int, str, str]] = []

    def block(self, region: Any, place: str = "the main block") -> Block:
        """Reads a region of one block."""
        (found,) = region["blocks"]
        arguments = [_key(each) for each in found.get("args", [])]
        made = Block([], arguments)
        for number, op in enumerate(found["ops"]):
            self.op(op, made, f"op {number} of {place}")
        return made

    def op(self, op: Any, block: Block, where: str) -> None:
        """Reads one op into its block."""
        if op["#"] == "p":
            *_, name = op["A"]
            variable = _variable(name, op["O"])
            if op.get("OA", [1])[0]:
                self.weights.append(variable)
            else:
                # What is not persistable, the work space of a recurrence, stands in no file.
                facts = {"shape": list(variable.shape), "value": 0.0, "dtype": variable.dtype}
                block.nodes.append(Node("full", {}, {"0": [variable.key]}, facts, where))
            return
        dialect, _, bare = op["#"].partition(".")
        attributes = {each["N"]: _attribute(each["AT"]) for each in op.get("A", [])}
        operands = [_key(each) for each in op.get("I", [])]
        results = op.get("O", [])
        if bare == "data" and dialect == "1":
            self.inputs.append(_variable(attributes["name"], results[0]))
        elif bare == "fetch" and dialect == "1":
            name = attributes.get("name") or f"fetch_name_{len(self.outputs)}"
            column = int(attributes.get("col", len(self.outputs)))
            self.outputs.append((column, str(name), operands[0]))
        elif (dialect, bare) == ("2", "yield"):
            block.results = operands
        else:
            name = f"{_DIALECTS.get(dialect, dialect)}.{bare}".removeprefix(".")
            inner = f"a branch or loop of {where}"
            for number, region in enumerate(op.get("regions", [])):
                attributes[f"region_{number}"] = self.block(region, inner)
            layer = attributes.get("struct_name")
            place = f"{where}, in layer {layer}" if layer else where
            outputs = {str(i): [_key(each)] for i, each in enumerate(results)}
            block.nodes.append(Node(name, _slots(name, operands), outputs, attributes, place))


def _key(value: Any) -> str:
    # Arguments of a region have a number of another kind, below 0.
    return f"%{value['%'] if '%' in value else value['#']}"


def _slots(name: str, operands: list[str]) -> dict[str, list[str]]:
    """Operands by name; number 0 stands for one that is left out."""
    rule = find_rule(name, "pir")
    if rule is not None and rule.variadic:
        return {rule.positional[0]: operands}
    names = rule.positional if rule is not None else ()
    rest = [f"operand {i}" for i in range(len(names), len(operands))]
    pairs = zip((*names, *rest), operands, strict=False)
    return {slot: [key] for slot, key in pairs if key != "%0"}


def _variable(name: str, result: Any) -> Variable:
    kind = result["TT"]
    if not isinstance(name, str):
        raise ValueError(f"a variable is called {name!r}")
    if kind["#"] != "0.t_dtensor":
        raise ValueError(f"variable {name!r} is {kind['#']}, no tensor")
    dtype, dims = kind["D"][:2]
    found = _DTYPES.get(dtype["#"].removeprefix("0.t_"))
    if found is None:
        raise ValueError(f"variable {name!r} has dtype {dtype['#']!r}")
    return Variable(name, tuple([int(e) for e in dims]), found, _key(result))


def _attribute(value: Any) -> Any:
    """An attribute as plain data."""
    kind, held = value["#"], value.get("D")
    if kind == "0.a_array":
        return [_attribute(each) for each in held]
    if kind in ("0.a_f32", "0.a_f64"):
        # Numbers that JSON has no form for are text.
        number = float(held if held is not None else value["VD"])
        return shortest(number) if kind == "0.a_f32" else number
    if kind == "1.a_dtype":
        return None if held.startswith("Undefined") else held
    return held
