"""Branches, loops and arrays of tensors in both of Paddle's Program forms, recorded as Proa's.

In the newer form a region takes arguments and yields results. In ProgramDesc a sub-block writes to
variables of the blocks around it: what it writes and does not declare itself is what the
branch or loop gives. Arrays of tensors are changed in place in both: a `TensorList`
(a buffer and a count) stands for one, and goes through loops as two tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from proa import ops
from proa.core import Tensor, context, new_tensor
from proa.program import (
    UNDEFINED,
    Result,
    RoomCheck,
    TensorList,
    Value,
    longest_list,
    record_block,
    record_cond,
    record_effect,
    record_while,
)

from ._graph import Block, Node
from ._rules import Unfit, host, tensor
from ._turns import known_turns


class Runs(Protocol):
    """What runs nodes: a `Translator`."""

    values: dict[str, Any]

    def inside(self, values: dict[str, Any]) -> Runs:
        """One for a block inside, on values of its own."""
        ...

    def run(self, block: Block) -> None:
        """Runs all nodes."""
        ...


Handler = Callable[[Runs, Node], None]
#: By form and op.
CONTROL: dict[tuple[str, str], Handler] = {}
#: Ops that change an array of tensors, and where they name it.
_WRITES = {"write_to_array": "Out", "array_write_": "operand 0", "array_pop": "operand 0"}


def _handles(*names: tuple[str, str]) -> Callable[[Handler], Handler]:
    def register(function: Handler) -> Handler:
        CONTROL.update(dict.fromkeys(names, function))
        return function

    return register


def blocks_of(node: Node) -> Iterator[Block]:
    """Yields the branches or bodies of a node."""
    for value in node.attributes.values():
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, Block):
                yield inner


def _written(block: Block) -> list[str]:
    """Variables of the blocks outside that a block of ProgramDesc writes."""
    found: dict[str, None] = {}
    for node in block.nodes:
        for names in node.outputs.values():
            found.update(dict.fromkeys(names))
        for inner in blocks_of(node):
            found.update(dict.fromkeys(_written(inner)))
    return [name for name in found if name not in block.local]


#: Ops whose name ends as that of one in place, and which overwrite another operand than the first.
_NOT_FIRST = frozenset({"batch_norm_", "sync_batch_norm_", "array_write_", "share_data_"})


def overwritten(node: Node) -> str | None:
    """The variable that a call of the newer form overwrites, if it works in place."""
    if node.op == "assign_out_":
        return node.slots["operand 1"][0]
    if not node.op.endswith("_") or node.op in _NOT_FIRST:
        return None
    return next((names[0] for names in node.slots.values() if names), None)


def _overwritten_outside(block: Block) -> list[str]:
    """Variables of the blocks outside that a region overwrites."""
    found: dict[str, None] = {}
    made = set(block.arguments)
    for node in block.nodes:
        made |= {name for names in node.outputs.values() for name in names}
        target = overwritten(node)
        if target is not None:
            found[target] = None
        for inner in blocks_of(node):
            found.update(dict.fromkeys(_overwritten_outside(inner)))
    return [name for name in found if name not in made]


def _changed_lists(blocks: Sequence[Block], values: dict[str, Any]) -> list[str]:
    """Arrays from outside that blocks change."""
    found: dict[str, None] = {}
    for block in blocks:
        for node in block.nodes:
            if node.op in _WRITES:
                slot = _WRITES[node.op]
                found.update(dict.fromkeys(node.outputs.get(slot, node.slots.get(slot, []))))
            inner = list(blocks_of(node))
            found.update(dict.fromkeys(_changed_lists(inner, values)))
    return [name for name in found if isinstance(values.get(name), TensorList)]


def _read_before_written(block: Block) -> set[str]:
    """Variables whose value before a block may be read in it."""
    found: set[str] = set()
    written: set[str] = set()
    for node in block.nodes:
        given = {name for names in node.slots.values() for name in names}
        for inner in blocks_of(node):
            given |= _read_before_written(inner) - inner.local
            given |= set(inner.results)
        found |= given - written
        # A branch may leave a variable as it is.
        if not any(True for _ in blocks_of(node)):
            written |= {name for names in node.outputs.values() for name in names}
    return found | (set(block.results) - written)


def _differ(before: Any, after: Any) -> bool:
    """Whether two tensors, or what stands for them, are of different shapes or dtypes."""
    if before is UNDEFINED or after is UNDEFINED:
        return False
    a, b = (getattr(each, "_data", each) for each in (before, after))
    return (tuple(a.shape), a.dtype) != (tuple(b.shape), b.dtype)


class _Lists:
    """Arrays that a branch or loop changes, as tensors that go in and come out."""

    def __init__(self, runs: Runs, blocks: Sequence[Block]) -> None:
        self.runs = runs
        self.names = _changed_lists(blocks, runs.values)
        self.before: dict[str, TensorList] = {n: runs.values[n] for n in self.names}
        self.tried: dict[str, TensorList] = {}

    def try_out(self, block: Block, given: dict[str, Any], keys: Sequence[str]) -> list[Any]:
        """Runs a block once to see what it makes, and adds to lists; nothing of it is kept."""
        recorder: Any = context.recorder
        held = {name: recorder.value_of(value) for name, value in given.items()}
        # What the state is before the first turn must decide nothing.
        held = {n: Value(v.shape, v.dtype, owner=recorder) for n, v in held.items()}

        def trial() -> list[Any]:
            now = {name: new_tensor(value) for name, value in held.items()}
            values = {**self.runs.values, **now, **self.copies()}
            self.runs.inside(values).run(block)
            self.tried = {name: values[name] for name in self.names}
            return [_as_leaf(values.get(key, UNDEFINED)) for key in keys]

        found = record_block(recorder, trial, list(held.values())).results
        return [each.value if isinstance(each, Result) else each for each in found]

    def make_room(self, turns: Any) -> list[TensorList]:
        """Gives lists room for what is added; returns those whose room is a guess."""
        guessed = []
        for name in self.names:
            before, tried = self.before[name], self.tried[name]
            kind = before.kind or tried.kind
            if before.reserved or kind is None:
                continue
            is_known = None not in (turns, tried.most, before.size)
            room = before.size + turns * tried.most if is_known else longest_list()
            made = before.extended(room, kind) if before.buffer is None else before
            if before.buffer is not None and not _is_at_least(before.capacity, room):
                made = before.extended(room, kind)
            self.before[name] = made
            if not is_known:
                guessed.append(made)
        return guessed

    def copies(self) -> dict[str, TensorList]:
        """The lists again, for a block to change."""
        return {n: _copy(v, v.buffer, v.length) for n, v in self.before.items()}

    def with_leaves(self, leaves: Sequence[Any]) -> dict[str, TensorList]:
        """The lists of what `leaves` holds of them."""
        pairs = zip(leaves[::2], leaves[1::2], strict=True)
        rows = zip(self.before.items(), pairs, strict=True)
        return {name: _copy(made, *pair, size=None) for (name, made), pair in rows}

    def keep(self, leaves: Sequence[Any], turns: Any) -> None:
        """Sets the lists after the branch or loop.

        Args:
            leaves: their buffers and counts.
            turns: how often the block ran, if that is known.
        """
        for name, made in self.with_leaves(leaves).items():
            # The same list goes by one name only, and a loop outside has its own copy.
            before = self.before[name]
            added = self.tried[name].added if name in self.tried else None
            if None not in (turns, added, before.size):
                made.size = before.size + turns * added
            made.added = None if None in (before.added, added, turns) else turns * added
            made.reserved = before.reserved
            self.runs.values[name] = made


def _copy(made: TensorList, buffer: Any, length: Any, size: Any = ...) -> TensorList:
    copy = TensorList(buffer, length, made.size if size is ... else size)
    copy.reserved = True
    return copy


def leaves_of(lists: Sequence[TensorList]) -> list[Any]:
    """Buffers and counts."""
    return [leaf for each in lists for leaf in (each.buffer, each.length)]


def _is_at_least(capacity: Any, room: Any) -> bool:
    return isinstance(capacity, int) and isinstance(room, int) and capacity >= room


def _known(value: Any) -> bool | None:
    """A condition whose value is known while the Program is made."""
    found = host(value)
    if found is None or found.dtype == object or found.size != 1:
        return None
    return bool(found.ravel()[0])


def _condition(value: Any) -> Any:
    return ops.cast(ops.reshape(tensor(value), []), "bool")


def _as_leaf(value: Any) -> Any:
    return value if value is UNDEFINED else tensor(value)


def _first(node: Node, slot: str) -> str:
    names = node.slots.get(slot) or node.outputs.get(slot) or []
    if not names:
        raise Unfit(f"it has no {slot}")
    return names[0]


@_handles(("pir", "if"))
def _if(runs: Runs, node: Node) -> None:
    keys = [key for names in node.slots.values() for key in names]
    blocks = [node.attributes["region_0"], node.attributes["region_1"]]
    found = dict.fromkeys([name for block in blocks for name in _overwritten_outside(block)])
    names = [*[each[0] for each in node.outputs.values()], *found]
    wanted = [[*block.results, *found] for block in blocks]
    results = _branch(runs, runs.values[keys[0]], blocks, wanted, names)
    runs.values.update(zip(names, results, strict=True))


@_handles(("desc", "conditional_block"))
def _conditional_block(runs: Runs, node: Node) -> None:
    if not node.attributes.get("is_scalar_condition", False):
        raise Unfit("its condition is whether tensors have elements, not a value")
    block = node.attributes["sub_block"]
    condition = runs.values[_first(node, "Cond")]
    lists = set(_changed_lists([block], runs.values))
    names = [name for name in _written(block) if name not in lists]
    results = _branch(runs, condition, [block, Block()], [names, names], names)
    _keep_defined(runs, names, results)


def _branch(
    runs: Runs,
    condition: Any,
    blocks: Sequence[Block],
    keys: Sequence[Sequence[str]],
    names: Sequence[str],
) -> list[Any]:
    """Runs one of two blocks; returns what `keys` are after it, in each of them."""
    known = _known(condition)
    if known is not None:
        # A size decides: the other branch is never run.
        values = dict(runs.values)
        runs.inside(values).run(blocks[not known])
        for name in _changed_lists([blocks[not known]], runs.values):
            runs.values[name] = values[name]
        return [values.get(key, UNDEFINED) for key in keys[not known]]
    lists = _Lists(runs, blocks)
    for block in blocks:
        if _changed_lists([block], runs.values):
            lists.try_out(block, {}, [])
    lists.make_room(1)

    def run(block: Block, wanted: Sequence[str]) -> list[Any]:
        own = lists.copies()
        values = {**runs.values, **own}
        runs.inside(values).run(block)
        found = [_as_leaf(values.get(key, UNDEFINED)) for key in wanted]
        return [*found, *leaves_of([values[name] for name in own])]

    (first, second), (if_first, if_second) = blocks, keys
    results = record_cond(
        _condition(condition), lambda: run(first, if_first), lambda: run(second, if_second), names
    )
    lists.keep(results[len(names) :], None)
    return results[: len(names)]


def _keep_defined(runs: Runs, names: Sequence[str], results: Sequence[Any]) -> None:
    found = zip(names, results, strict=True)
    runs.values.update({name: value for name, value in found if value is not UNDEFINED})


@_handles(("desc", "select_input"))
def _select_input(runs: Runs, node: Node) -> None:
    names, mask = node.slots["X"], runs.values[_first(node, "Mask")]
    known, out = _known(mask), node.outputs["Out"][0]
    if known is not None:
        runs.values[out] = runs.values[names[known]]
        return
    first, second = (tensor(runs.values[name]) for name in names)
    if (first.shape, first.dtype) != (second.shape, second.dtype):
        raise Unfit(
            f"the branches give {first.dtype.name}{list(first.shape)} and "
            f"{second.dtype.name}{list(second.shape)}"
        )
    runs.values[out] = ops.where(_condition(mask), second, first)


@_handles(("pir", "while"))
def _while_region(runs: Runs, node: Node) -> None:
    keys = [key for names in node.slots.values() for key in names]
    block = node.attributes["region_0"]
    found = [name for name in _overwritten_outside(block) if name != keys[0]]
    arguments, ends = [*block.arguments, *found], [*block.results, *found]
    results = _loop(runs, block, [*keys, *found], arguments, ends)
    names = [*[each[0] for each in node.outputs.values()], *found]
    runs.values.update(zip(names, results, strict=True))
    runs.values[keys[0]] = np.asarray(False)


@_handles(("desc", "while"))
def _while_block(runs: Runs, node: Node) -> None:
    block, condition = node.attributes["sub_block"], _first(node, "Condition")
    lists = set(_changed_lists([block], runs.values))
    names = [name for name in _written(block) if name not in lists and name != condition]
    results = _loop(runs, block, [condition, *names], names, [condition, *names])
    _keep_defined(runs, names, results)
    runs.values[condition] = np.asarray(False)


def _loop(
    runs: Runs,
    block: Block,
    keys: Sequence[str],
    arguments: Sequence[str],
    results: Sequence[str],
) -> list[Any]:
    """Records a loop.

    Args:
        runs: the outer values.
        block: the body.
        keys: condition and state before the loop.
        arguments: what the state is called in the body.
        results: condition and state at the end of the body.

    Returns:
        The state after the loop, without the condition.
    """
    start = [runs.values.get(key, UNDEFINED) for key in keys]
    if _known(start[0]) is False:
        return start[1:]
    turns = known_turns(block, arguments, results, start, runs.values)
    lists, count = _Lists(runs, [block]), len(keys)
    given = [_as_leaf(value) for value in start]
    own = {n: v for n, v in zip(arguments, given[1:], strict=True) if v is not UNDEFINED}
    if lists.names or not own.keys() <= _read_before_written(block):
        ends = lists.try_out(block, own, results)
        for i, name in enumerate(arguments, 1):
            # What no turn reads of before the loop stands for nothing, where it is of another kind.
            if name not in _read_before_written(block) and _differ(given[i], ends[i]):
                given[i] = UNDEFINED
    guessed = lists.make_room(turns)

    def body(state: Sequence[Any]) -> Sequence[Any]:
        now = {n: v for n, v in zip(arguments, state[1:count], strict=True) if v is not UNDEFINED}
        values = {**runs.values, **now, **lists.with_leaves(state[count:])}
        runs.inside(values).run(block)
        found = [_as_leaf(values.get(key, UNDEFINED)) for key in results]
        found[0] = _condition(found[0])
        return [*found, *leaves_of([values[name] for name in lists.names])]

    given[0] = _condition(given[0])
    first = [*given, *leaves_of(list(lists.before.values()))]
    names = [*keys, *[f"{n} {part}" for n in lists.names for part in ("entries", "length")]]
    after = record_while(lambda state: state[0], body, first, names, turns, turns is not None)
    lists.keep(after[count:], turns)
    for name, made in zip(lists.names, lists.before.values(), strict=True):
        if any(made is each for each in guessed):
            record_effect(RoomCheck(made.capacity), [runs.values[name].length])
    return after[1:count]


@_handles(("pir", "assign_out_"))
def _assign_out(runs: Runs, node: Node) -> None:
    """`output` is overwritten by `x`: whoever reads it after that reads `x`."""
    source, target = (node.slots[f"operand {i}"][0] for i in range(2))
    (names,) = node.outputs.values()
    runs.values[target] = runs.values[names[0]] = runs.values[source]


# Arrays of tensors.


def _list(runs: Runs, name: str) -> TensorList:
    found = runs.values.get(name)
    if not isinstance(found, TensorList):
        raise Unfit(f"{name} is no array of tensors")
    return found


def _operands(node: Node, *slots: str) -> list[str]:
    given = [node.slots.get(f"operand {i}") or node.slots.get(s) for i, s in enumerate(slots)]
    return [names[0] for names in given if names]


def _empty() -> TensorList:
    return TensorList(None, tensor(np.zeros([], np.int64)), 0)


@_handles(("pir", "create_array"), ("desc", "create_array"))
def _create_array(runs: Runs, node: Node) -> None:
    (names,) = node.outputs.values()
    runs.values[names[0]] = _empty()


@_handles(("pir", "array_write_"), ("desc", "write_to_array"))
def _write(runs: Runs, node: Node) -> None:
    if node.op == "array_write_":
        name, item, index = (node.slots[f"operand {i}"][0] for i in range(3))
        runs.values[node.outputs["0"][0]] = _list(runs, name)
    else:
        name, item, index = (_first(node, slot) for slot in ("Out", "X", "I"))
        runs.values.setdefault(name, _empty())
    made, place = _list(runs, name), runs.values[index]
    known = host(place)
    is_next = place is runs.values.get(f"{name} length") or (
        known is not None and isinstance(made.size, int) and int(known.ravel()[0]) == made.size
    )
    if is_next:
        made.append(tensor(runs.values[item]))
    else:
        made.write(tensor(place), tensor(runs.values[item]))


@_handles(("pir", "array_length"), ("desc", "lod_array_length"))
def _length(runs: Runs, node: Node) -> None:
    (name,) = _operands(node, "X")
    made = _list(runs, name)
    found = ops.reshape(made.length, [1])
    # Who writes at this place makes the list longer by one.
    runs.values[f"{name} length"] = found
    (names,) = node.outputs.values()
    runs.values[names[0]] = found


@_handles(("pir", "array_read"), ("desc", "read_from_array"))
def _read(runs: Runs, node: Node) -> None:
    name, index = _operands(node, "X", "I")
    (names,) = node.outputs.values()
    runs.values[names[0]] = _list(runs, name)[tensor(runs.values[index])]


@_handles(("pir", "array_pop"))
def _pop(runs: Runs, node: Node) -> None:
    (name,) = _operands(node, "input")
    runs.values[list(node.outputs.values())[-1][0]] = _list(runs, name).pop(
        int(node.attributes.get("index", -1))
    )


@_handles(("pir", "array_to_tensor"), ("desc", "tensor_array_to_tensor"))
def _to_tensor(runs: Runs, node: Node) -> None:
    (name,) = _operands(node, "X")
    made, axis = _list(runs, name), int(node.attributes.get("axis", 0))
    join = TensorList.stack if node.attributes.get("use_stack") else TensorList.concat
    names = list(node.outputs.values())
    found: Tensor = join(made, axis)
    runs.values[names[0][0]] = found
