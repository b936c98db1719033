"""What is known of Paddle's ops: the table is read whole, and says what the files say."""

from __future__ import annotations

import pytest

from proa.formats.pir._schema import KINDS, Entry, Schema, schemas


def test_every_entry_has_a_known_kind_and_a_name_of_its_own() -> None:
    for name, schema in schemas().items():
        entries = (*schema.operands, *schema.attributes)
        assert all(not e.kind or e.kind in KINDS for e in entries), name
        assert len({e.name for e in entries}) == len(entries), name
        assert all(e.kind for e in schema.attributes), name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("matmul", Schema(1, (Entry("x", ""), Entry("y", "")), (
            Entry("transpose_x", "b", False), Entry("transpose_y", "b", False)))),
        ("concat", Schema(1, (Entry("x", ""), Entry("axis", "i")), ())),
        ("topk", Schema(2, (Entry("x", ""), Entry("k", "i")), (
            Entry("axis", "i", -1), Entry("largest", "b", True), Entry("sorted", "b", True)))),
        ("amax", Schema(1, (Entry("x", ""),), (
            Entry("axis", "L", []), Entry("keepdim", "b", False)))),
    ],
)  # fmt: skip
def test_operands_attributes_and_defaults(name: str, expected: Schema) -> None:
    assert schemas()[name] == expected


def test_a_line_that_goes_on_is_one_entry() -> None:
    assert [e.name for e in schemas()["rnn"].attributes][-1] == "is_test"
    assert schemas()["conv2d"].attributes[0] == Entry("strides", "I", [1, 1])
