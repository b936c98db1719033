"""Protocol buffers on the wire: messages declared as dataclasses, read and written.

The encoding is that of https://protobuf.dev/programming-guides/encoding: a message is a row of
(field number, wire type, value). A field that a class does not declare is skipped.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, Self

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_WIRE_TYPES = {"int": _VARINT, "bool": _VARINT, "float": _FIXED32, "double": _FIXED64}
_PACKING = {"float": struct.Struct("<f"), "double": struct.Struct("<d")}
# Messages inside messages: deeper than any file means, shallower than Python's own limit.
_MAX_DEPTH = 64


@dataclass(frozen=True)
class _Field:
    number: int
    kind: Any
    repeated: bool
    name: str = ""


def one(number: int, kind: Any, default: Any = None) -> Any:
    """Declares a field that stands at most once; `None` when it does not stand.

    Args:
        number: its number.
        kind: `"int"`, `"bool"`, `"float"`, `"double"`, `"string"`, `"bytes"` or a message class.
        default: its value when the file does not have it.
    """
    return field(default=default, metadata={"wire": _Field(number, kind, False)})


def many(number: int, kind: Any) -> Any:
    """Declares a field that stands any number of times: a list."""
    return field(default_factory=list, metadata={"wire": _Field(number, kind, True)})


@cache
def _declared(kind: type) -> tuple[_Field, ...]:
    found = [(f.metadata["wire"], f.name) for f in fields(kind)]
    return tuple([_Field(w.number, w.kind, w.repeated, name) for w, name in found])


@cache
def _by_number(kind: type) -> dict[int, _Field]:
    return {each.number: each for each in _declared(kind)}


def read_varint(data: bytes, position: int) -> tuple[int, int]:
    """Returns an unsigned number of up to 64 bits and the position after it.

    Raises:
        ValueError: the bytes end inside of it, or it is too long.
    """
    number = shift = 0
    while True:
        if position >= len(data) or shift > 63:
            raise ValueError(f"a number at byte {position} does not end")
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & 0xFFFFFFFFFFFFFFFF, position
        shift += 7


def _varint(number: int) -> bytes:
    number &= 0xFFFFFFFFFFFFFFFF
    made = bytearray()
    while number >= 0x80:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    made.append(number)
    return bytes(made)


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _take(data: bytes, position: int, wire: int) -> tuple[Any, int]:
    """Returns the raw value of a field (a number or bytes) and the position after it."""
    if wire == _VARINT:
        return read_varint(data, position)
    size = {_FIXED64: 8, _FIXED32: 4}.get(wire)
    if wire == _LENGTH:
        size, position = read_varint(data, position)
    if size is None:
        raise ValueError(f"wire type {wire} at byte {position}")
    if position + size > len(data):
        raise ValueError(f"{size} bytes at byte {position}, of which {len(data) - position} exist")
    return data[position : position + size], position + size


def _decode(kind: Any, raw: Any, depth: int) -> Any:
    if kind == "int":
        return _signed(raw)
    if kind == "bool":
        return bool(raw)
    if kind in _PACKING:
        return _PACKING[kind].unpack(raw)[0]
    if kind == "string":
        # Names are text; where one is not, its bytes survive a round trip.
        return raw.decode("utf-8", "surrogateescape")
    return raw if kind == "bytes" else kind.parse(raw, depth + 1)


def _unpack(kind: str, raw: bytes) -> list[Any]:
    """Numbers of a repeated field that stand in one run."""
    if kind in _PACKING:
        if len(raw) % _PACKING[kind].size:
            raise ValueError(f"{len(raw)} bytes of {kind} numbers")
        return [value for (value,) in _PACKING[kind].iter_unpack(raw)]
    found, position = [], 0
    while position < len(raw):
        number, position = read_varint(raw, position)
        found.append(_decode(kind, number, 0))
    return found


def _encode(each: _Field, value: Any) -> bytes:
    kind = each.kind
    wire = _WIRE_TYPES.get(kind, _LENGTH) if isinstance(kind, str) else _LENGTH
    head = _varint(each.number << 3 | wire)
    if wire == _VARINT:
        return head + _varint(int(value))
    if wire != _LENGTH:
        return head + _PACKING[kind].pack(value)
    if kind == "string":
        value = value.encode("utf-8", "surrogateescape")
    elif kind != "bytes":
        value = value.serialise()
    return head + _varint(len(value)) + value


@dataclass
class Message:
    """Base of messages: subclasses are dataclasses whose fields are `one(...)` or `many(...)`."""

    #: What the message is called in errors.
    label: ClassVar[str] = ""

    @classmethod
    def parse(cls, data: bytes, depth: int = 0) -> Self:
        """Reads a message.

        Raises:
            ValueError: the bytes are no message of this kind.
        """
        if depth > _MAX_DEPTH:
            raise ValueError("messages stand inside one another too deep")
        made, declared = cls(), _by_number(cls)
        position = 0
        while position < len(data):
            tag, position = read_varint(data, position)
            raw, position = _take(data, position, tag & 7)
            each = declared.get(tag >> 3)
            if each is None:
                continue
            simple = _WIRE_TYPES.get(each.kind) if isinstance(each.kind, str) else None
            if each.repeated and tag & 7 == _LENGTH and simple is not None:
                getattr(made, each.name).extend(_unpack(each.kind, raw))
                continue
            if tag & 7 != (_LENGTH if simple is None else simple):
                raise ValueError(f"field {each.name!r} of {cls.__name__} has wire type {tag & 7}")
            value = _decode(each.kind, raw, depth)
            if each.repeated:
                getattr(made, each.name).append(value)
            else:
                setattr(made, each.name, value)
        return made

    def serialise(self) -> bytes:
        """Returns the message as bytes, fields in the order in which they are declared."""
        made = []
        for each in _declared(type(self)):
            value = getattr(self, each.name)
            for item in value if each.repeated else ([] if value is None else [value]):
                made.append(_encode(each, item))
        return b"".join(made)
