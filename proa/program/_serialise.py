"""Programs as JSON: op names, attributes and shapes as text; arrays are kept elsewhere."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from proa.core import (
    ArtifactError,
    DType,
    Op,
    UnknownNameError,
    as_dtype,
    get_op,
    is_dimension,
    is_inexact,
)

from ._control_flow import SubProgram
from ._dims import make_dimension
from ._printing import short_location
from ._program import Call, Program, Value

SCHEMA = 1


def _encode(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return {"float": repr(value)}
    if isinstance(value, complex):
        return {"complex": [repr(value.real), repr(value.imag)]}
    if isinstance(value, tuple):
        return {"tuple": [_encode(item) for item in value]}
    if isinstance(value, DType):
        return {"dtype": value.name}
    if is_dimension(value):
        return {"dimension": str(value)}
    if value is Ellipsis:
        return {"ellipsis": True}
    if isinstance(value, slice):
        return {"slice": [_encode(v) for v in (value.start, value.stop, value.step)]}
    if isinstance(value, np.generic):
        return _encode(value.item())
    if isinstance(value, SubProgram):
        data, arrays = program_to_dict(value.program)
        # Constants inside a branch or loop are few and small: they stand where they are used.
        held = {name: _array_to_dict(array) for name, array in arrays.items()}
        return {"program": {**data, "arrays": held} if held else data}
    raise ArtifactError(
        f"attribute {value!r} ({type(value).__name__}) cannot be written to a file",
        expected="numbers, strings, dtypes, dimensions and tuples of them",
        fix="keep Python objects out of the saved function",
    )


def _array_to_dict(array: np.ndarray) -> dict[str, Any]:
    text = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"dtype": as_dtype(array.dtype).name, "shape": list(array.shape), "bytes": text}


def _array_from_dict(entry: dict[str, Any]) -> np.ndarray:
    content = base64.b64decode(entry["bytes"], validate=True)
    return np.frombuffer(content, as_dtype(entry["dtype"]).numpy).reshape(entry["shape"])


def _decode_tagged(tag: str, content: Any) -> Any:
    if tag == "float":
        return float(content)
    if tag == "complex":
        return complex(float(content[0]), float(content[1]))
    if tag == "tuple":
        return tuple([_decode(item) for item in content])
    if tag == "dtype":
        return as_dtype(content)
    if tag == "dimension":
        return make_dimension(content)
    if tag == "ellipsis":
        return Ellipsis
    if tag == "slice":
        return slice(*[_decode(item) for item in content])
    if tag == "program":
        held = content.get("arrays", {})
        return SubProgram(_build(content, {n: _array_from_dict(e) for n, e in held.items()}))
    raise ArtifactError(
        f"a Program holds an attribute of unknown kind {tag!r}",
        expected=f"schema {SCHEMA}",
        fix="load it with the Proa version that wrote it, or a newer one",
    )


def _decode(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    ((tag, content),) = value.items()
    return _decode_tagged(tag, content)


def _value_to_dict(value: Value) -> dict[str, Any]:
    return {
        "shape": [_encode(extent) for extent in value.shape],
        "dtype": as_dtype(value.dtype).name,
        "name": value.name,
    }


def program_to_dict(program: Program) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Returns a Program as plain data, and its constants by name.

    Raises:
        ArtifactError: a call's attribute or op cannot be written.
    """
    numbers: dict[Value, int] = {}
    for group in (program.inputs, program.captures, program.constants):
        for value in group:
            numbers[value] = len(numbers)
    calls = []
    for call in program.calls:
        known = isinstance(call.op, Op) or call.op.has_programs
        if not known and not call.op.name.endswith("_grad"):
            raise ArtifactError(
                f"op {call.op.name!r} has no declaration that a file could name",
                expected="registered ops",
                fix="save the function without this call",
            )
        for value in call.outputs:
            numbers[value] = len(numbers)
        calls.append(
            {
                "op": call.op.name,
                "inputs": [numbers[v] for v in call.inputs],
                "key": _encode(call.key),
                "outputs": [_value_to_dict(v) for v in call.outputs],
                "tuple": call.is_tuple,
                **_ends_of_gradients(call),
            }
        )
        if call.where and not call.where.startswith("<"):
            # The file's name is enough to find the place, and folders are nobody's business.
            calls[-1]["where"] = short_location(call.where)
    data = {
        "schema": SCHEMA,
        "inputs": [_value_to_dict(v) for v in program.inputs],
        "captures": [_value_to_dict(v) for v in program.captures],
        "constants": [_value_to_dict(v) for v in program.constants],
        "calls": calls,
        "outputs": [numbers[v] for v in program.outputs],
    }
    arrays = {f"constant_{i}": a for i, a in enumerate(program.constants.values())}
    return data, arrays


def _ends_of_gradients(call: Call) -> dict[str, Any]:
    """Inputs of a call that no gradient flows back to, where the function says so."""
    if call.flows is None:
        return {}
    pairs = enumerate(zip(call.flows, call.inputs, strict=True))
    stops = [i for i, (flow, v) in pairs if not flow and is_inexact(v.dtype)]
    return {"stops": stops} if stops else {}


def program_from_dict(data: dict[str, Any], arrays: dict[str, np.ndarray]) -> Program:
    """Builds a Program from plain data.

    Raises:
        ArtifactError: another schema, a malformed entry, or ops this Proa does not have
            (all of them are named at once).
    """
    if data.get("schema") != SCHEMA:
        raise ArtifactError(
            f"a Program of schema {data.get('schema')!r}",
            expected=f"schema {SCHEMA}",
            fix="load it with the Proa version that wrote it, or a newer one",
        )
    try:
        return _build(data, arrays)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        if isinstance(error, ArtifactError):
            raise
        raise ArtifactError(
            f"a Program cannot be read: {type(error).__name__}: {error}",
            expected="the file as Proa wrote it",
            fix="export the model again",
        ) from error


def _build(data: dict[str, Any], arrays: dict[str, np.ndarray]) -> Program:
    values: list[Value] = []

    def make(entry: dict[str, Any]) -> Value:
        shape = [_decode(extent) for extent in entry["shape"]]
        value = Value(shape, as_dtype(entry["dtype"]).numpy, name=entry["name"])
        values.append(value)
        return value

    inputs = [make(entry) for entry in data["inputs"]]
    captures = [make(entry) for entry in data["captures"]]
    constants = {
        make(entry): np.asarray(arrays[f"constant_{i}"])
        for i, entry in enumerate(data["constants"])
    }
    _refuse_unknown(data["calls"])
    calls = []
    for entry in data["calls"]:
        given = tuple([values[i] for i in entry["inputs"]])
        outputs = tuple([make(e) for e in entry["outputs"]])
        key = _decode(entry["key"])
        where = str(entry.get("where", ""))
        stops = entry.get("stops")
        flows = None if stops is None else tuple([i not in stops for i in range(len(given))])
        op, is_tuple = get_op(entry["op"]), entry["tuple"]
        calls.append(Call(op, given, key, outputs, is_tuple, where, flows))
    return Program(inputs, captures, constants, calls, [values[i] for i in data["outputs"]])


def _refuse_unknown(calls: list[dict[str, Any]]) -> None:
    unknown: dict[str, int] = {}
    for position, entry in enumerate(calls):
        try:
            get_op(entry["op"])
        except UnknownNameError:
            unknown.setdefault(entry["op"], position)
    if unknown:
        listed = ", ".join(f"{name} (first in call {i})" for name, i in unknown.items())
        raise ArtifactError(
            f"the Program uses ops that this Proa does not have: {listed}",
            expected="ops of this version",
            fix="load it with the Proa version that wrote it, or a newer one",
        )
