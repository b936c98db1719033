"""Patterns: trees of op names that are looked for in a Program, and what replaces them.

A pattern is written from the result back: `node("add", x=node("matmul", ...), y=leaf("bias"))`.
A name that is used twice means the same Value both times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from proa.core import Op

from .._program import Call, Program, Value, prune
from ._rewrite import Builder, Graph

_COMMUTATIVE = frozenset({"add", "multiply", "maximum", "minimum"})


@dataclass(frozen=True)
class Leaf:
    """Any Value.

    Attributes:
        name: what to call it.
        when: condition on `(graph, value)`.
    """

    name: str
    when: Callable[[Graph, Value], bool] | None = None


@dataclass(frozen=True)
class Node:
    """A call of one of some ops.

    Attributes:
        ops: their names.
        inputs: patterns by parameter name; inputs that are not named may be anything.
        name: what to call the call.
        when: condition on the call.
        shared: others may read what it gives: it is not removed then.
        absent: parameters that must be left out.
    """

    ops: tuple[str, ...]
    inputs: tuple[tuple[str, Any], ...]
    name: str = ""
    when: Callable[[Call], bool] | None = None
    shared: bool = False
    absent: tuple[str, ...] = ()


@dataclass(frozen=True)
class Either:
    """The first of some patterns that fits."""

    patterns: tuple[Any, ...]


Pattern = Leaf | Node | Either


def leaf(name: str, when: Callable[[Graph, Value], bool] | None = None) -> Leaf:
    """A Value of any origin."""
    return Leaf(name, when)


def scalar(name: str) -> Leaf:
    """A constant of one element."""
    return Leaf(name, lambda graph, value: graph.scalar(value) is not None)


def weight(name: str) -> Leaf:
    """A constant, a parameter, or what is computed from these alone."""
    return Leaf(name, lambda graph, value: graph.is_weight(value))


def node(
    ops: str | tuple[str, ...],
    *,
    name: str = "",
    when: Callable[[Call], bool] | None = None,
    shared: bool = False,
    absent: tuple[str, ...] = (),
    **inputs: Pattern,
) -> Node:
    """A call; see `Node`. Inputs `x` and `y` of a commutative op fit either way round."""
    names = (ops,) if isinstance(ops, str) else ops
    return Node(names, tuple(inputs.items()), name, when, shared, absent)


def either(*patterns: Pattern) -> Either:
    """Alternatives, the most specific first."""
    return Either(patterns)


@dataclass
class Match:
    """Where a pattern was found.

    Attributes:
        values: by name, Values of leaves.
        found: by name, calls.
        calls: all calls that fit.
        private: those of them that nobody else may read.
    """

    values: dict[str, Value] = field(default_factory=dict)
    found: dict[str, Call] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    private: list[Call] = field(default_factory=list)

    def with_value(self, name: str, value: Value) -> Match | None:
        """Returns this match with a leaf more; `None` if the name means another Value."""
        known = self.values.get(name)
        if known is not None:
            return self if known is value else None
        return Match({**self.values, name: value}, self.found, self.calls, self.private)

    def with_call(self, pattern: Node, call: Call) -> Match | None:
        """Returns this match with a call more."""
        known = self.found.get(pattern.name) if pattern.name else None
        if known is not None and known is not call:
            return None
        found = {**self.found, pattern.name: call} if pattern.name else self.found
        private = self.private if pattern.shared else [*self.private, call]
        return Match(self.values, found, [*self.calls, call], private)


def _search(graph: Graph, pattern: Pattern, value: Value, so_far: Match) -> Iterator[Match]:
    if isinstance(pattern, Either):
        for each in pattern.patterns:
            yield from _search(graph, each, value, so_far)
    elif isinstance(pattern, Leaf):
        if pattern.when is None or pattern.when(graph, value):
            made = so_far.with_value(pattern.name, value)
            if made is not None:
                yield made
    else:
        call = graph.makers.get(value)
        if call is not None:
            yield from _search_call(graph, pattern, call, so_far)


def _search_call(graph: Graph, pattern: Node, call: Call, so_far: Match) -> Iterator[Match]:
    if call.op.name not in pattern.ops or not isinstance(call.op, Op):
        return
    if pattern.when is not None and not pattern.when(call):
        return
    made = so_far.with_call(pattern, call)
    if made is None:
        return
    arguments = call.op.name_arrays(call.key[0], call.inputs)
    if any(arguments.get(name) is not None for name in pattern.absent):
        return
    wanted = dict(pattern.inputs)
    yield from _search_inputs(graph, list(wanted.items()), arguments, made)
    if call.op.name in _COMMUTATIVE and {*wanted} <= {"x", "y"}:
        swapped = {"x": arguments["y"], "y": arguments["x"]}
        yield from _search_inputs(graph, list(wanted.items()), swapped, made)


def _search_inputs(
    graph: Graph, wanted: Sequence[tuple[str, Pattern]], arguments: Any, so_far: Match
) -> Iterator[Match]:
    if not wanted:
        yield so_far
        return
    (name, pattern), rest = wanted[0], wanted[1:]
    value = arguments.get(name)
    if isinstance(value, Value):
        for made in _search(graph, pattern, value, so_far):
            yield from _search_inputs(graph, rest, arguments, made)


def _flow_alike(calls: Sequence[Call]) -> bool:
    """Whether gradients flow alike through all calls, so that one may stand for them."""
    kinds = {None if c.flows is None else (all(c.flows), any(c.flows)) for c in calls}
    return len(kinds) == 1 and kinds <= {None, (True, True), (False, False)}


def find(graph: Graph, pattern: Pattern, call: Call) -> Match | None:
    """Looks for a pattern that ends in a call.

    Nobody else may read what the calls before it give, and gradients flow alike in all.
    """
    if len(call.outputs) != 1 or not isinstance(pattern, Node):
        return None
    for match in _search_call(graph, pattern, call, Match()):
        before = [each for each in match.private if each is not call]
        if all(graph.is_private(each, match.calls) for each in before):
            if _flow_alike(match.calls):
                return match
    return None


Replace = Callable[[Builder, Match, Graph], Value | None]


def rewrite(program: Program, rules: Sequence[tuple[Pattern, Replace]]) -> tuple[Program, int]:
    """Replaces what fits one of some patterns, until nothing more does.

    Args:
        program: the Program.
        rules: pairs of a pattern and a function that adds new calls to the builder (inputs
            through `builder.now`) and returns the Value that stands for the result, or
            `None` to leave the match alone.

    Returns:
        The new Program, and how many matches were replaced.
    """
    total = 0
    while True:
        program, done = _rewrite_once(program, rules)
        total += done
        if not done:
            return program, total


def _rewrite_once(
    program: Program, rules: Sequence[tuple[Pattern, Replace]]
) -> tuple[Program, int]:
    graph, builder, done = Graph.of(program), Builder(program), 0
    used: set[int] = set()
    for call in program.calls:
        made = None
        for pattern, make in rules:
            match = find(graph, pattern, call)
            if match is None or any(id(each) in used for each in match.private):
                continue
            mark = len(builder.calls)
            made = make(builder, match, graph)
            if made is not None:
                used.update(id(each) for each in match.private)
                break
            del builder.calls[mark:]
        if made is None:
            builder.keep(call)
            continue
        (old,) = call.outputs
        if made.number > old.number and not made.name:
            made.name = old.name
        builder.renamed[old] = made
        done += 1
    return (prune(builder.finish()), done) if done else (program, 0)
