"""The bodies of the Open Inference Protocol over HTTP: JSON, and tensors in binary after it.

Source: "Open Inference Protocol", version 2, and Triton's binary tensor data extension.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError

from ._datatypes import datatype_of, dtype_of
from ._service import Request, Response

_LARGEST = 2**40


def read_request(
    model: str, version: str, body: bytes, header_length: str | None
) -> tuple[Request, Mapping[str, Any]]:
    """Reads a body; returns the request and the JSON in it, which says how to answer.

    Raises:
        InvalidArgumentError: the body is not of the protocol; the message names the field.
    """
    length = _header_length(header_length, len(body))
    header = _object(_parse(body[:length]), "the body")
    rest, arrays = memoryview(body)[length:], {}
    for position, entry in enumerate(_list(header.get("inputs"), "inputs")):
        field = f"inputs[{position}]"
        name, array, rest = _read_tensor(_object(entry, field), field, rest)
        if name in arrays:
            raise _bad(f"{field}.name is {name!r} a second time", "each input once")
        arrays[name] = array
    if len(rest):
        raise _bad(f"{len(rest)} bytes follow the last binary input", "none")
    outputs = []
    for position, entry in enumerate(_list(header.get("outputs", []), "outputs")):
        field = f"outputs[{position}]"
        outputs.append(_name(_object(entry, field), field))
        _parameters(entry, field)
    _parameters(header, "the body")
    return Request(model, arrays, version, tuple(outputs)), header


def write_response(response: Response, asked: Mapping[str, Any]) -> tuple[bytes, int | None]:
    """Returns the body, and the length of its JSON where binary tensors follow.

    Raises:
        InvalidArgumentError: JSON was asked for, which cannot hold NaN or infinity.
    """
    default = asked.get("parameters", {}).get("binary_data_output", False)
    wanted = {
        entry["name"]: entry.get("parameters", {}).get("binary_data", default)
        for entry in asked.get("outputs", [])
    }
    entries, chunks = [], []
    for name, array in response.outputs.items():
        entry = {
            "name": name,
            "datatype": datatype_of(array.dtype),
            "shape": list(array.shape),
        }
        if wanted.get(name, default):
            chunks.append(np.ascontiguousarray(array).tobytes())
            entry["parameters"] = {"binary_data_size": len(chunks[-1])}
        else:
            entry["data"] = array.ravel().tolist()
        entries.append(entry)
    answer = {
        "model_name": response.model,
        "model_version": response.version,
        "outputs": entries,
    }
    if "id" in asked:
        answer["id"] = asked["id"]
    try:
        header = json.dumps(answer, allow_nan=False, separators=(",", ":")).encode()
    except ValueError as error:
        raise InvalidArgumentError(
            "an output holds NaN or infinity, which JSON cannot",
            expected="finite outputs, or outputs in binary",
            fix="ask for the output with the parameter binary_data: true",
        ) from error
    return b"".join([header, *chunks]), len(header) if chunks else None


def _bad(got: str, expected: str) -> InvalidArgumentError:
    return InvalidArgumentError(got, expected=expected, fix="see the Open Inference Protocol")


def _header_length(text: str | None, size: int) -> int:
    if text is None:
        return size
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) <= size):
        raise _bad(
            f"Inference-Header-Content-Length is {text[:40]!r}", f"a number from 0 to {size}"
        )
    return int(text)


def _parse(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _bad(f"the JSON of the body cannot be read: {error}", "a JSON object") from error


def _object(value: Any, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _bad(f"{field} is a {type(value).__name__}", "an object")
    return value


def _list(value: Any, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise _bad(f"{field} is a {type(value).__name__}", "a list")
    return value


def _name(entry: dict[str, Any], field: str) -> str:
    if not isinstance(entry.get("name"), str):
        raise _bad(f"{field}.name is {entry.get('name')!r}", "a text")
    return entry["name"]


def _parameters(entry: dict[str, Any], field: str) -> dict[str, Any]:
    return _object(entry.get("parameters", {}), f"{field}.parameters")


def _shape(entry: dict[str, Any], field: str) -> list[int]:
    shape = _list(entry.get("shape"), f"{field}.shape")
    if not all(type(extent) is int and 0 <= extent <= _LARGEST for extent in shape):
        raise _bad(f"{field}.shape is {str(shape)[:80]}", "whole numbers from 0")
    if len(shape) > 32:
        raise _bad(f"{field}.shape has {len(shape)} axes", "at most 32")
    return shape


def _read_tensor(
    entry: dict[str, Any], field: str, rest: memoryview
) -> tuple[str, np.ndarray, memoryview]:
    name, shape = _name(entry, field), _shape(entry, field)
    dtype = dtype_of(entry.get("datatype"), field)
    size = _parameters(entry, field).get("binary_data_size")
    if size is None:
        return name, _from_json(entry.get("data"), dtype, shape, field), rest
    wanted = math.prod(shape) * dtype.itemsize
    if type(size) is not int or size != wanted:
        raise _bad(
            f"{field}.parameters.binary_data_size is {size!r}",
            f"{wanted} bytes for shape {shape} of {entry['datatype']}",
        )
    if size > len(rest):
        raise _bad(f"{field} has {len(rest)} bytes of binary data left", f"{size} bytes")
    return name, np.frombuffer(rest[:size], dtype).reshape(shape), rest[size:]


def _from_json(data: Any, dtype: np.dtype, shape: list[int], field: str) -> np.ndarray:
    flat: list[Any] = []
    _flatten(_list(data, f"{field}.data"), flat)
    if len(flat) != math.prod(shape):
        raise _bad(f"{field}.data has {len(flat)} numbers", f"{math.prod(shape)} for {shape}")
    allowed = {"b": (bool,), "i": (int,), "u": (int,)}.get(dtype.kind, (int, float))
    wrong = next((value for value in flat if type(value) not in allowed), None)
    if wrong is not None or None in flat:
        raise _bad(f"{field}.data has {str(wrong)[:40]!r}", f"values of {datatype_of(dtype)}")
    try:
        return np.array(flat, dtype).reshape(shape)
    except (OverflowError, ValueError) as error:
        raise _bad(f"{field}.data: {error}", f"values of {datatype_of(dtype)}") from error


def _flatten(values: list[Any], flat: list[Any]) -> None:
    for value in values:
        if isinstance(value, list):
            _flatten(value, flat)
        else:
            flat.append(value)
