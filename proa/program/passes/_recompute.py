"""Recompute: segments that keep nothing for the gradient but what goes into them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fnmatch import fnmatchcase

from proa.core import InvalidArgumentError

from .._printing import layer_of
from .._program import Call, Program, has_effect
from .._region import RECOMPUTED, RegionOp
from ._fuse import make_region
from ._pass import register_pass
from ._rewrite import Builder, Graph, Notes, count


@register_pass("recompute", inside="nowhere")
def recompute(
    program: Program, segments: int | None = None, layers: Sequence[str] = ()
) -> tuple[Program, Notes]:
    """Makes segments whose inner results are computed again for the gradient, not kept.

    It shows when the gradient of the Program is taken; its results stay the same.

    Args:
        program: the Program.
        segments: number of segments, of about as many calls each; the square root of the number
            of calls by default.
        layers: patterns of layers such as `blocks.*`, in place of a number: a segment is each
            run of calls from the first to the last that reads the weights of such a layer.

    Raises:
        InvalidArgumentError: no positive number of segments, or a pattern without a layer.
    """
    if segments is not None and segments < 1:
        raise InvalidArgumentError(
            f"`segments` of the pass recompute is {segments}",
            expected="a positive number",
            fix="leave it out for the square root of the number of calls",
        )
    notes: Notes = {}
    if any(_is_segment(call) for call in program.calls):
        return program, notes
    parts = _by_layer(program, layers) if layers else _by_count(program, segments)
    graph, builder = Graph.of(program), Builder(program)
    for number, part in enumerate(parts):
        if len(part) < 2 or not _is_wrapped(part):
            for call in part:
                builder.keep(call)
            continue
        inside = {id(call) for call in part}
        outputs = [
            v
            for call in part
            for v in call.outputs
            if v in graph.outputs or any(id(u) not in inside for u in graph.users.get(v, ()))
        ]
        made = make_region(builder, part, outputs, RECOMPUTED, f"segment {number}")
        builder.renamed.update(zip(outputs, made, strict=True))
        count(notes, "segments made")
    return (builder.finish() if notes else program), notes


def _is_segment(call: Call) -> bool:
    return isinstance(call.op, RegionOp) and call.key[1] == RECOMPUTED


def _is_wrapped(part: Sequence[Call]) -> bool:
    # What is done beside computing would be done twice.
    return not any(has_effect(call) for call in part)


def _by_count(program: Program, segments: int | None) -> list[list[Call]]:
    calls = program.calls
    wanted = segments or max(round(math.sqrt(len(calls))), 1)
    size = max(math.ceil(len(calls) / wanted), 1)
    return [calls[i : i + size] for i in range(0, len(calls), size)]


def _by_layer(program: Program, patterns: Sequence[str]) -> list[list[Call]]:
    given = {*program.captures, *program.constants}
    spans: dict[str, list[int]] = {}
    for number, call in enumerate(program.calls):
        found = _matching(layer_of(call, given), patterns)
        if found:
            spans.setdefault(found, []).append(number)
    if not spans:
        known = sorted({layer_of(c, given) for c in program.calls} - {""})
        raise InvalidArgumentError(
            f"`layers` of the pass recompute is {list(patterns)}: no call belongs to such a layer",
            expected="patterns of " + (", ".join(known[:8]) or "layers (this Program names none)"),
            fix="write patterns such as 'blocks.*'",
        )
    parts: list[list[Call]] = []
    done = 0
    for numbers in spans.values():
        first, last = max(min(numbers), done), max(numbers) + 1
        parts += [[call] for call in program.calls[done:first]]
        parts.append(program.calls[first:last])
        done = max(done, last)
    return [*parts, *[[call] for call in program.calls[done:]]]


def _matching(layer: str, patterns: Sequence[str]) -> str:
    """The longest beginning of a layer's name that fits a pattern of as many parts."""
    parts = layer.split(".")
    for pattern in patterns:
        count_of_parts = len(pattern.split("."))
        name = ".".join(parts[:count_of_parts])
        if layer and fnmatchcase(name, pattern):
            return name
    return ""
