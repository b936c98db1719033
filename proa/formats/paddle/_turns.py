"""How often a loop of Paddle's runs, where that follows from sizes.

`for i in range(n)` is a loop whose condition is `i + 1 < n` at the end of each turn. If `n` is
known while the Program is made, a number or a size, so is the number of turns; then the loop can
be a scan, and lists that grow in it have a known length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._graph import Block, Node
from ._rules import host

#: Ops that hand a number on.
_SAME = frozenset({"assign", "cast", "share_data", "share_data_", "assign_out_"})
#: Ops that overwrite an operand, and which.
_IN_PLACE = {"increment_": 0, "assign_out_": 1}
_ADDS = frozenset({"add", "elementwise_add", "add_"})


def known_turns(
    block: Block,
    arguments: Sequence[str],
    results: Sequence[str],
    start: Sequence[Any],
    values: dict[str, Any],
) -> Any:
    """Returns the number of turns, a number or a dimension; `None` if nobody knows.

    Args:
        block: the body.
        arguments: what the state is called at the beginning of a turn.
        results: condition and state at the end of a turn.
        start: condition and state before the loop.
        values: what is known outside.
    """
    first = host(start[0])
    if first is None or first.dtype == object or first.size != 1 or not first.ravel()[0]:
        return None
    body = _Body(block, arguments, values)
    test = body.maker(body.end(results[0]))
    if test is None or test.op not in ("less_than", "less_than_"):
        return None
    counter, bound = (body.operand(test, i) for i in range(2))
    end, counted = body.outside(bound), body.plus_one(counter, test)
    if end is None or counted is None or counted not in arguments:
        return None
    position = list(arguments).index(counted)
    if body.end(results[position + 1]) != body.origin(counter):
        return None
    begin = host(start[position + 1])
    if begin is None or begin.size != 1:
        return None
    return _plain(end) - _plain(begin.ravel()[0])


def _plain(number: Any) -> Any:
    return number if not hasattr(number, "item") else number.item()


class _Body:
    """Who makes what in the body of a loop."""

    def __init__(self, block: Block, arguments: Sequence[str], values: dict[str, Any]) -> None:
        self.carried, self.values = set(arguments), values
        self.makers: dict[str, Node] = {}
        self.order: dict[int, int] = {}
        for position, node in enumerate(block.nodes):
            self.order[id(node)] = position
            for names in node.outputs.values():
                self.makers.update(dict.fromkeys(names, node))
            if node.op in _IN_PLACE:
                self.makers[self.operand(node, _IN_PLACE[node.op])] = node

    def maker(self, key: str) -> Node | None:
        """The node that makes a variable, if one of the body does."""
        return self.makers.get(key)

    def operand(self, node: Node, position: int) -> str:
        """The variable at a place of a node."""
        given = [names[0] for names in node.slots.values() if names]
        by_slot = node.slots.get("XY"[position]) or node.slots.get("xy"[position])
        return by_slot[0] if by_slot else given[position]

    def origin(self, key: str) -> str:
        """What a variable that is read is the same number as, back to what is carried."""
        while key not in self.carried:
            node = self.makers.get(key)
            if node is None or node.op not in _SAME:
                break
            key = self.operand(node, 0)
        return key

    def end(self, key: str) -> str:
        """What a variable is the same number as when the turn ends."""
        node = self.makers.get(key)
        if node is None or node.op not in _SAME:
            return key
        return self.origin(self.operand(node, 0))

    def outside(self, key: str) -> Any:
        """The number that a variable is in every turn, if it is known."""
        key = self.origin(key)
        if key in self.carried:
            return None
        node = self.makers.get(key)
        if node is not None:
            value = node.attributes.get("value") if node.op in ("full", "fill_constant") else None
            whole = isinstance(value, int | float) and int(value) == value
            return int(value) if whole and value is not None else None
        found = host(self.values.get(key))
        return None if found is None or found.size != 1 else found.ravel()[0]

    def plus_one(self, key: str, reader: Node) -> str | None:
        """The carried variable that was one less when the turn began, for who reads `key`."""
        key = self.origin(key)
        node = self.makers.get(key)
        if node is None or (key in self.carried and node.op not in _IN_PLACE):
            return None
        if key in self.carried and self.order[id(node)] > self.order[id(reader)]:
            return None
        if node.op in _ADDS:
            is_one = self.outside(self.operand(node, 1)) == 1
            return self.origin(self.operand(node, 0)) if is_one else None
        if node.op not in ("scale", "scale_", "increment", "increment_"):
            return None
        scaled = node.slots.get("scale") or node.slots.get("ScaleTensor")
        factor = self.outside(scaled[0]) if scaled else node.attributes.get("scale", 1)
        more = node.attributes.get("value" if "increment" in node.op else "bias", 1)
        if factor != 1 or more != 1:
            return None
        return key if key in self.carried else self.origin(self.operand(node, 0))
