"""How Paddle's ops become calls of Proa's functions: the registry of rules.

A rule is a function of an op's inputs and attributes. Its parameters have the names that the newer
form of Programs gives them (those of Paddle's C++ API, `paddle/phi/api/include/api.h`); inputs
stand first, in the order of that form. ProgramDesc names slots and attributes partly in
another way: the rule says how.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from proa.core import ProgramError, Tensor, to_tensor
from proa.ops import sizes_tensor

from ._graph import Node

#: By name of the newer form, and by name of ProgramDesc.
PIR_RULES: dict[str, Rule] = {}
DESC_RULES: dict[str, Rule] = {}


#: Annotations of a rule's inputs: a tensor (or `None`), a list of tensors, a list of what
#: there is. An input without one of them is sizes, axes or a number, known or not.
Data = Any
Tensors = Any
Values = Any
_DATA = ("Data", "Tensors")
_LISTS = ("Tensors", "Values")


class Unfit(Exception):
    """A rule does not cover these arguments; the message says what."""


@dataclass(frozen=True)
class Rule:
    """How one op is translated.

    Attributes:
        name: the op in the newer form.
        function: the rule.
        outputs: output slots in ProgramDesc, in the order of the rule's results.
        renamed: parameter by slot or attribute of ProgramDesc.
        positional: names of the inputs.
        data: inputs that are tensors; the others are sizes, axes or numbers, known or not.
        lists: inputs that are lists of tensors.
        variadic: whether all operands of the newer form are the one list that it takes.
        known: names of all parameters.
        required: parameters without a default.
    """

    name: str
    function: Callable[..., Any]
    outputs: tuple[str, ...]
    renamed: dict[str, str]
    positional: tuple[str, ...]
    data: frozenset[str]
    lists: frozenset[str]
    variadic: bool
    known: frozenset[str]
    required: tuple[str, ...]

    def arguments(self, node: Node, values: dict[str, Any], form: str) -> dict[str, Any]:
        """Binds a node's attributes and inputs to parameters.

        Args:
            node: the call.
            values: what is known by variable.
            form: form of the Program.

        Raises:
            Unfit: a parameter has no value.
        """
        renamed = self.renamed if form == "desc" else {}
        bound = {}
        for name, value in node.attributes.items():
            parameter = renamed.get(name, name)
            if parameter in self.known:
                bound[parameter] = value
        for slot, names in node.slots.items():
            parameter = renamed.get(slot) or (snake(slot) if form == "desc" else slot)
            if not names or parameter not in self.known:
                continue
            found = [values[name] for name in names]
            as_list = parameter in self.lists and not isinstance(found[0], list)
            bound[parameter] = found if as_list or len(found) > 1 else found[0]
        missing = [name for name in self.required if name not in bound]
        if missing:
            raise Unfit(f"it has no {', '.join(missing)}")
        return bound


def snake(name: str) -> str:
    """`RoisNum` -> `rois_num`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def rule(
    *names: str, desc: str = "", outputs: str = "Out", variadic: bool = False, **renamed: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a rule.

    Args:
        names: the op in the newer form; several where they differ in name alone.
        desc: names in ProgramDesc, separated by spaces; by default the same, "-" for none.
        outputs: output slots in ProgramDesc.
        variadic: see `Rule`.
        renamed: parameter by slot or attribute of ProgramDesc, where it is not the same name
            in small letters.
    """
    in_desc = () if desc == "-" else desc.split() or names

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        found = inspect.signature(function).parameters
        parameters = {n: p for n, p in found.items() if p.kind is not p.VAR_KEYWORD}
        made = Rule(
            (*names, *in_desc)[0],
            function,
            tuple(outputs.split()),
            renamed,
            tuple([n for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]),
            frozenset([n for n, p in parameters.items() if p.annotation in _DATA]),
            frozenset([n for n, p in parameters.items() if p.annotation in _LISTS]),
            variadic,
            frozenset(parameters),
            tuple([n for n, p in parameters.items() if p.default is p.empty]),
        )
        for table, given in ((PIR_RULES, names), (DESC_RULES, in_desc)):
            for name in given:
                if name in table:
                    raise ProgramError(
                        f"two rules for {name!r}", expected="one each", fix="remove one"
                    )
                table[name] = made
        return function

    return register


def find_rule(op: str, form: str) -> Rule | None:
    """Returns the rule of an op; one that works in place is the same as one that does not."""
    if form == "desc":
        return DESC_RULES.get(op)
    return PIR_RULES.get(op) or PIR_RULES.get(op.removesuffix("_"))


def tensor(value: Any) -> Any:
    """Returns a value of the graph as a tensor; sizes that are known on the host become one."""
    if isinstance(value, Tensor) or value is None:
        return value
    array = np.asarray(value)
    if array.dtype != object:
        return to_tensor(array)
    return sizes_tensor(tuple(array.ravel())).reshape(list(array.shape))


def host(value: Any) -> np.ndarray | None:
    """Returns what is known of a value while the Program is made: an array, or `None`."""
    if isinstance(value, Tensor):
        data = value._data
        return np.asarray(data) if hasattr(data, "__array__") else None
    if isinstance(value, list | tuple):
        parts = [host(part) for part in value]
        if any(part is None for part in parts):
            return None
        flat: list[Any] = [e for part in parts if part is not None for e in part.ravel()]
        return whole(flat)
    return whole(value)


def whole(value: Any) -> np.ndarray:
    """Returns numbers as an array; of objects where an unknown size is among them."""
    if isinstance(value, np.ndarray):
        return value
    array = np.asarray(value, dtype=object)
    plain = all(isinstance(e, int | float | complex | bool | np.generic) for e in array.ravel())
    return np.asarray(value) if plain and array.size else array


def ints(value: Any, what: str = "a shape") -> list[Any]:
    """Returns sizes, axes or positions: integers, unknown sizes among them.

    Raises:
        Unfit: they are computed from what the tensors hold.
    """
    found = host(value)
    if found is None:
        raise Unfit(f"{what} is computed from the elements of a tensor")
    return [e if found.dtype == object else int(e) for e in found.ravel()]


def number(value: Any, what: str = "a number") -> Any:
    """Returns one integer, as `ints`."""
    (found,) = ints(value, what)
    return found


def scalar(value: Any) -> Any:
    """Returns one number as Python's, or the tensor that holds it; some files have it as text."""
    if isinstance(value, str):
        return float(value)
    found = host(value)
    if found is None or found.dtype == object:
        return tensor(value)
    return found.ravel()[0].item()


def as_list(value: Any) -> Sequence[Any]:
    """Returns an attribute that is one value or several as several."""
    return value if isinstance(value, list | tuple) else [value]
