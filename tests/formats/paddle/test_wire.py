from __future__ import annotations

from dataclasses import dataclass

import pytest

from proa.formats.paddle._wire import Message, many, one


@dataclass
class Leaf(Message):
    name: str = one(1, "string", "")
    number: int | None = one(2, "int")


@dataclass
class Tree(Message):
    flag: bool | None = one(1, "bool")
    small: float | None = one(2, "float")
    wide: float | None = one(3, "double")
    data: bytes | None = one(4, "bytes")
    leaves: list[Leaf] = many(5, Leaf)
    numbers: list[int] = many(6, "int")
    floats: list[float] = many(7, "float")


# As written down in the encoding guide: 150 is 96 01 in field 1, "testing" in field 2.
@pytest.mark.parametrize(
    ("message", "content"),
    [
        (Leaf("testing"), b"\x0a\x07testing"),
        (Leaf("", 150), b"\x0a\x00\x10\x96\x01"),
        (Leaf("", -2), b"\x0a\x00\x10" + b"\xfe" + b"\xff" * 8 + b"\x01"),
        (Tree(flag=True, small=1.0), b"\x08\x01\x15\x00\x00\x80\x3f"),
        (Tree(wide=-0.5), b"\x19" + b"\x00" * 6 + b"\xe0\xbf"),
        (Tree(leaves=[Leaf("a"), Leaf("b")]), b"\x2a\x03\x0a\x01a\x2a\x03\x0a\x01b"),
        (Tree(numbers=[3, 270]), b"\x30\x03\x30\x8e\x02"),
    ],
)
def test_messages_are_the_bytes_of_the_specification(message, content):
    assert message.serialise() == content
    assert type(message).parse(content) == message


def test_a_run_of_numbers_and_unknown_fields_are_read():
    packed = b"\x32\x03\x03\x8e\x02" + b"\x3a\x08" + b"\x00\x00\x80\x3f" * 2
    unknown = b"\x98\x06\x05" + b"\x9a\x06\x02ab" + b"\x9d\x06" + b"\x00" * 4
    assert Tree.parse(packed + unknown) == Tree(numbers=[3, 270], floats=[1.0, 1.0])


def test_bytes_that_are_no_text_survive():
    made = Leaf.parse(b"\x0a\x02\xff\xfe")
    assert made.serialise() == b"\x0a\x02\xff\xfe"


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"\x0a\x07test", "7 bytes at byte 2, of which 4 exist"),
        (b"\x08\xff", "does not end"),
        (b"\x08" + b"\xff" * 11, "does not end"),
        (b"\x0b\x00", "wire type 3"),
        (b"\x2d\x00\x00\x00\x00", "field 'leaves' of Tree has wire type 5"),
        (b"\x0d\x00\x00\x00\x00", "field 'flag' of Tree has wire type 5"),
        (b"\x3a\x03abc", "3 bytes of float numbers"),
    ],
)
def test_odd_bytes_are_refused(content, match):
    with pytest.raises(ValueError, match=match):
        Tree.parse(content)
