"""Blocks keep calls apart, and know what they read and write outside."""

from __future__ import annotations

import pytest

import proa
from proa.core import ProgramError
from proa.program import record_block, recording


def test_a_block_keeps_its_calls_reads_and_writes():
    outer, kept = proa.ones([2]), proa.zeros([2])
    with recording() as recorder:
        x = recorder.add_input((2,), "float32", "x")
        doubled = x * 2

        def body():
            inside = doubled + outer
            inside.add_(x)
            kept.add_(inside)
            return [inside, "text"]

        block = record_block(recorder, body)
        assert [call.op.name for call in recorder.calls] == ["multiply"]
        assert [call.op.name for call in block.calls] == ["add"] * 3
        assert set(block.reads.values()) >= {doubled, outer, x, kept}
        assert [t for t, _ in block.writes.values()] == [kept]
        assert block.results[1] == "text"
        assert kept.numpy().tolist() == [0.0, 0.0]
        program, _ = recorder.finish([doubled])
    assert len(program.calls) == 1


def test_what_a_block_made_is_no_ones_outside():
    with recording() as recorder:
        x = recorder.add_input((2,), "float32", "x")
        leaked = []
        record_block(recorder, lambda: leaked.append(x * 2) or [])
        with pytest.raises(ProgramError, match="made inside a branch or loop is used outside"):
            leaked[0] + 1
