"""The variables of a branch or loop while it is recorded, for whatever trees they hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
from jax.core import max_dim

from proa.core import ProgramError, user_location
from proa.program import UNDEFINED, Kind, TensorList, longest_list

from ._dataclasses import flatten_tree


class Undefined:
    """A variable that has no value yet."""

    __slots__ = ("symbol_name",)

    def __init__(self, symbol_name: str) -> None:
        self.symbol_name = symbol_name


class UndefinedReturnValue:
    """The result of a function before its `return`."""


def is_undefined(value: Any) -> bool:
    """Whether a variable has no value yet."""
    return isinstance(value, Undefined | UndefinedReturnValue)


class Growth(NamedTuple):
    """What a block added to a list: entries exactly and at most, and their kind."""

    added: Any
    most: Any
    kind: Kind | None


class Variables:
    """The variables of a block as one list of leaves.

    Args:
        get_state: reads them.
        set_state: writes them.
        names: what they are called.
        is_loop: whether the block is the body of a loop.
    """

    def __init__(
        self,
        get_state: Callable[[], Any],
        set_state: Callable[[Any], None],
        names: Sequence[str],
        is_loop: bool = False,
    ) -> None:
        self.get, self.set, self.names = get_state, set_state, names
        self.first = tuple(get_state())
        #: Per variable, its structure where it is known.
        self.structures: list[Any] = [
            None if is_undefined(v) else flatten_tree(v)[1] for v in self.first
        ]
        #: Whether a value at the beginning is that of a loop's turn, and so of any length.
        self.is_loop = is_loop
        #: Per variable, the structures that trials have given it.
        self.seen: list[list[Any]] = [[] for _ in self.first]
        #: Per list that grows here, what each block added to it.
        self.growths: dict[int, list[Growth]] = {}

    def needs_trial(self) -> bool:
        """Whether a block must be run once to see what it makes of the variables."""
        return any(
            structure is None or isinstance(value, list | TensorList)
            for structure, value in zip(self.structures, self.first, strict=True)
        )

    def reset(self) -> None:
        """Gives the variables their first values; lists are new ones: a block adds to them."""
        self.set(tuple([self._copied(value) for value in self.first]))

    def _copied(self, value: Any) -> Any:
        if is_undefined(value):
            return value
        leaves, structure = flatten_tree(value)
        made = self._as_list_of(jax.tree_util.tree_unflatten(structure, leaves), value)
        if isinstance(made, TensorList):
            made.reserved = True
        return made

    def _as_list_of(self, made: Any, before: Any) -> Any:
        """Takes over what a list of tensors knows of itself, in a new one."""
        if isinstance(made, TensorList) and isinstance(before, TensorList):
            made.reserved = before.reserved or self.is_loop
            made.size = None if self.is_loop else before.size
        return made

    def labels(self) -> list[str]:
        """A name per leaf."""
        found = []
        for name, structure in zip(self.names, self.structures, strict=True):
            count = 1 if structure is None else structure.num_leaves
            name = "the returned value" if "retval_" in name else name
            found += [name] if count == 1 else [f"{name}[{i}]" for i in range(count)]
        return found

    def leaves(self) -> list[Any]:
        """The leaves of the variables now."""
        return self._leaves_of(self.get())

    def _leaves_of(self, values: Sequence[Any]) -> list[Any]:
        found: list[Any] = []
        for value, structure in zip(values, self.structures, strict=True):
            if is_undefined(value):
                found += [UNDEFINED] * (1 if structure is None else structure.num_leaves)
            elif structure is None:
                found.append(value)
            else:
                found += flatten_tree(value)[0]
        return found

    def learn(self) -> None:
        """Takes up the structures of variables that have got a value, and how lists grew."""
        for i, value in enumerate(self.get()):
            first = self.first[i]
            if not is_undefined(value):
                structure = flatten_tree(value)[1]
                self.seen[i].append(structure)
                if self.structures[i] is None:
                    self.structures[i] = structure
            if isinstance(first, list | TensorList):
                found = _growth(first, value)
                if found is not None:
                    self.growths.setdefault(i, []).append(found)

    def grows(self, i: int) -> bool:
        """Whether a variable is a list of which a block has made a longer one."""
        first, found = self.first[i], self.growths.get(i, ())
        if isinstance(first, TensorList):
            return not first.reserved and any(g.most is None or _is_some(g.most) for g in found)
        if self.is_loop:
            return any(g.most is None or _is_some(g.most) for g in found)
        # Branches that add alike leave a list a list.
        return len({g.added for g in found} - {None}) > 1 or any(g.added is None for g in found)

    def make_room(self, turns: Any) -> bool:
        """Replaces lists that grow by such with room.

        Args:
            turns: how often what is added is added; `None` if nobody knows.

        Returns:
            Whether the room is a guess, and must be checked when the program runs.
        """
        is_guess = False
        first = list(self.first)
        for i in self.growths:
            if not self.grows(i):
                continue
            before, found = first[i], self.growths[i]
            kind = next((g.kind for g in found if g.kind is not None), None)
            if kind is None:
                continue
            bound = _largest([g.most for g in found])
            has = before.capacity if isinstance(before, TensorList) else len(before)
            used = has if not isinstance(before, TensorList) or before.size is None else before.size
            if turns is None or bound is None:
                is_guess, room = True, longest_list()
                room = room if not isinstance(has, int) or has < room else has + room
            else:
                room = used + bound * turns
            if isinstance(before, TensorList):
                first[i] = before if _is_at_least(has, room) else before.extended(room, kind)
            else:
                first[i] = TensorList.of(before, kind, room)
            self.structures[i] = flatten_tree(first[i])[1]
        self.first = tuple(first)
        return is_guess

    def agree(self) -> None:
        """Takes up new structures on which both branches agree."""
        for i, seen in enumerate(self.seen):
            is_list = isinstance(self.first[i], TensorList)
            if len(seen) == 2 and seen[0] == seen[1] and not is_list:
                self.structures[i] = seen[0]

    def settle_lists(self, turns: Any, most_turns: Any) -> None:
        """Notes how long the lists are after the block, where that is known.

        Args:
            turns: how often the block ran; `None` if nobody knows.
            most_turns: how often it ran at most.
        """
        for i, value in enumerate(self.get()):
            before = self.first[i]
            if not isinstance(value, TensorList) or not isinstance(before, TensorList):
                continue
            found = self.growths.get(i, [Growth(0, 0, None)])
            added = {g.added for g in found}
            exact = None if len(added) > 1 else next(iter(added))
            value.size = _sum(before.size, exact, turns)
            value.added = _sum(before.added, exact, turns)
            value.most = _sum(before.most, _largest([g.most for g in found]), most_turns)
            value.reserved = before.reserved

    def refuse_changed(self, where: str) -> None:
        """Raises when a variable has another structure than before."""
        for name, value, structure in zip(self.names, self.get(), self.structures, strict=True):
            if is_undefined(value) or structure is None:
                continue
            now = flatten_tree(value)[1]
            if now != structure:
                raise ProgramError(
                    f"`{name}` is {_shown(structure)} and {_shown(now)} {where} on a tensor, "
                    f"at {user_location()}",
                    expected="the same structure each way",
                    fix="give it the same kind of value each way; a list may grow by append() "
                    "of tensors of one shape and dtype",
                )

    def restore(self, leaves: Sequence[Any]) -> None:
        """Gives the variables the values of a list of leaves."""
        remaining = iter(leaves)
        state = []
        for value, name, structure in zip(self.first, self.names, self.structures, strict=True):
            count = 1 if structure is None else structure.num_leaves
            found = [next(remaining) for _ in range(count)]
            if any(leaf is UNDEFINED for leaf in found):
                state.append(value if is_undefined(value) else Undefined(name))
            elif structure is None:
                state.append(found[0])
            else:
                made = jax.tree_util.tree_unflatten(structure, found)
                state.append(self._as_list_of(made, value))
        self.set(tuple(state))


def _growth(before: list[Any] | TensorList, after: Any) -> Growth | None:
    """What was added to a list; `None` where it is no list any more."""
    base = len(before) if isinstance(before, list) else 0
    if isinstance(after, TensorList):
        kind, added, most = after.kind, after.added, after.most
        return Growth(_less(added, base), _less(most, base), kind)
    if not isinstance(after, list) or not isinstance(before, list):
        return None
    entries = [*after[base:], *after]
    added = len(after) - base
    kind = Kind.of(entries[0]) if added > 0 and _is_entry(entries[0]) else None
    return Growth(added, added, kind)


def _is_entry(value: Any) -> bool:
    return not isinstance(value, str | list | tuple | dict | TensorList) and value is not None


def _less(number: Any, less: Any) -> Any:
    return None if number is None else number - less


def _is_some(number: Any) -> bool:
    return not isinstance(number, int) or number > 0


def _is_at_least(a: Any, b: Any) -> bool:
    return bool(a == b) or (isinstance(a, int) and isinstance(b, int) and a >= b)


def _largest(numbers: Sequence[Any]) -> Any:
    if any(number is None for number in numbers):
        return None
    found = numbers[0]
    for number in numbers[1:]:
        found = max_dim(found, number)
    return found


def _sum(before: Any, added: Any, turns: Any) -> Any:
    if before is None or added is None:
        return None
    if isinstance(added, int) and added == 0:
        return before
    return None if turns is None else before + added * turns


def _shown(structure: Any) -> str:
    text = str(structure).removeprefix("PyTreeDef(").removesuffix(")")
    return text.replace("*", "a value")
