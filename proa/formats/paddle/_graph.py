"""What both of Paddle's Program forms say, in one form: inputs, weights, calls, outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from proa.core import ArtifactError, UnsupportedError


@dataclass(frozen=True)
class Variable:
    """An input or a weight.

    Attributes:
        name: its name.
        shape: sizes; -1 is an unknown one.
        dtype: name of its dtype.
        key: what nodes call it; the name, unless the form numbers its variables.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    key: str = ""


@dataclass
class Node:
    """One call of an op.

    Attributes:
        op: the op as the file names it.
        slots: variables by input slot; an empty list where the slot is left out.
        outputs: variables by output slot.
        attributes: attributes by name; branches and loops hold a `Block` in theirs.
        where: where the call stands, for messages.
    """

    op: str
    slots: dict[str, list[str]]
    outputs: dict[str, list[str]]
    attributes: dict[str, Any]
    where: str


@dataclass
class Block:
    """Calls in order.

    Attributes:
        nodes: the calls.
        arguments: variables that a region takes.
        results: variables that it yields.
        local: variables that a block of ProgramDesc declares; others that it writes are those
            of the blocks around it.
    """

    nodes: list[Node] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    local: frozenset[str] = frozenset()


@dataclass
class Graph:
    """A whole Program.

    Attributes:
        form: `"desc"` for ProgramDesc, `"pir"` for the newer form.
        inputs: what is fed, in order.
        weights: what the parameter files hold.
        block: the calls.
        outputs: `(name, variable)` of what is fetched, in order.
    """

    form: str
    inputs: list[Variable]
    weights: list[Variable]
    block: Block
    outputs: list[tuple[str, str]]


def shortest(value: float) -> float:
    """Returns the number that somebody wrote, of the 32-bit float that a file has of it."""
    return float(str(np.float32(value)))


def refuse(path: Any, what: str) -> ArtifactError:
    """Returns the error for a file that cannot be what it should be."""
    return ArtifactError(
        f"model file {str(path)!r} {what}",
        expected="the files exactly as Paddle wrote them",
        fix="copy or export the model again",
    )


def unknown_ops(nodes: Sequence[Node]) -> UnsupportedError:
    """Returns the one error that names all calls of ops that nobody can translate."""
    lines = []
    for node in nodes:
        given = ", ".join(f"{slot}={names}" for slot, names in node.slots.items() if names)
        lines.append(f"`{node.op}` ({given}) at {node.where}")
    kinds = sorted({node.op for node in nodes})
    return UnsupportedError(
        f"the model calls {len(nodes)} times ops that are not known here: {', '.join(kinds)}\n  "
        + "\n  ".join(lines),
        expected="ops of proa.formats.paddle_ops()",
        fix="rewrite that part of the model with other ops and export it again, or ask for the op",
    )
