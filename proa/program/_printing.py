"""Programs as text that a person reads: short names, attributes that matter, repeats as one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from proa.core import DType, Op, Vjp

from ._dims import format_shape

if TYPE_CHECKING:
    from ._program import Call, Program, Value

#: Blocks of more calls than this are not looked for.
_MAX_BLOCK = 256


@dataclass
class Line:
    """One line of a listing.

    Attributes:
        kind: `call`, `heading` (of a branch, a body, a repeated block) or `result`.
        depth: how far it stands inside branches, loops, regions and repeated blocks.
        results: names of what the call gives, or the text of a heading.
        op: name of the op.
        inputs: names of what it takes.
        attributes: what else it is told, as text; defaults are left out.
        types: dtypes and shapes of what it gives.
        where: `file:line` of the user's code.
        layer: the layer whose weights it reads.
        call: the call itself.
    """

    kind: str
    depth: int
    results: str
    op: str = ""
    inputs: tuple[str, ...] = ()
    attributes: str = ""
    types: str = ""
    where: str = ""
    layer: str = ""
    call: Any = field(default=None, repr=False)

    def text(self) -> str:
        """Returns the line as text."""
        indent = "  " * self.depth
        if self.kind != "call":
            return indent + self.results
        inner = "; ".join(part for part in (", ".join(self.inputs), self.attributes) if part)
        return f"{indent}{self.results} = {self.op}({inner})  {self.types}"


def format_value(value: Value) -> str:
    """Prints dtype and shape: `float32[batch, 3]`."""
    return f"{value.dtype.name}{format_shape(value.shape)}"


def short_location(where: str) -> str:
    """Returns `file:line` without the folders."""
    return where.replace("\\", "/").rsplit("/", 1)[-1]


class Names:
    """What Values are called in a listing: their own names, numbers for constants, or `%1`."""

    def __init__(self) -> None:
        self.known: dict[Value, str] = {}
        self.next = 0

    def define(self, value: Value, name: str = "") -> str:
        """Gives a Value a name."""
        if not name:
            name, self.next = f"%{self.next}", self.next + 1
        self.known[value] = name
        return name

    def of(self, value: Value) -> str:
        """Returns the name of a Value."""
        return self.known.get(value) or self.define(value)

    def begin(self, program: Program) -> None:
        """Names what a Program is given."""
        for value in (*program.inputs, *program.captures):
            if value not in self.known:
                self.define(value, value.name)
        for value, array in program.constants.items():
            self.define(value, value.name or _constant(array))


def _constant(array: np.ndarray) -> str:
    if array.size == 1 and array.dtype.kind in "fiub":
        item = array.reshape(()).item()
        return repr(float(f"{item:.6g}")) if isinstance(item, float) else repr(item)
    return f"<{array.dtype.name}{format_shape(array.shape)}>"


def _attribute(value: Any) -> str:
    if isinstance(value, DType):
        return value.name
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        inner = ", ".join(_attribute(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return str(value) if not isinstance(value, str) else repr(value)


def attributes_of(call: Call) -> str:
    """Returns a call's attributes as text, without those that have their default."""
    op: Any = call.op
    key = call.key
    if isinstance(op, Vjp):
        return f"for inputs {', '.join(map(str, key[2]))}"
    if not isinstance(op, Op):
        label = [each for each in key if isinstance(each, str)] if op.has_programs else []
        return ", ".join(label)
    shown = []
    for parameter, value in zip(op.attributes, key[1], strict=True):
        # `(2, 2)` says what `2` says, and an internal op is told much that is not.
        alike = isinstance(value, tuple) and parameter.annotation == "Ints" and len(set(value)) == 1
        value = value[0] if alike else value
        is_default = value is None or value is False or value == ""
        if not parameter.required:
            is_default = value == parameter.default and type(value) is type(parameter.default)
        if not is_default:
            shown.append(f"{parameter.name}={_attribute(value)}")
    return ", ".join(shown)


def layer_of(call: Call, given: set[Value]) -> str:
    """Returns the layer that a call belongs to: what the names of its weights begin with."""
    names = [v.name for v in call.inputs if v in given and "." in v.name]
    return _common([name.rsplit(".", 1)[0] for name in names])


def _common(names: Sequence[str]) -> str:
    if not names:
        return ""
    parts = [name.split(".") for name in names]
    shared = []
    for column in zip(*parts, strict=False):
        if len(set(column)) > 1:
            break
        shared.append(column[0])
    return ".".join(shared)


def _grouped(names: Sequence[str]) -> tuple[str, ...]:
    """Writes neighbours of one layer as one: `norm.{weight, bias}`."""
    made: list[tuple[str, list[str]]] = []
    for name in names:
        head, dot, last = name.rpartition(".")
        # Numbers have dots, too.
        is_weight = bool(dot) and not last[:1].isdigit()
        if is_weight and made and made[-1][0] == head:
            made[-1][1].append(last)
        else:
            made.append((head if is_weight else "", [last if is_weight else name]))
    return tuple(
        [
            f"{head}.{{{', '.join(parts)}}}" if len(parts) > 1 else f"{head}.{parts[0]}".lstrip(".")
            for head, parts in made
        ]
    )


def inner_programs(call: Call) -> list[tuple[str, Program]]:
    """Returns the Programs among a call's attributes, with what to call them."""
    found = [each.program for each in call.key if hasattr(each, "program")]
    titles = {"if_else": ("if true", "if false"), "while_loop": ("while", "do")}
    given = titles.get(call.op.name, ())
    return [(given[i] if i < len(given) else "with", p) for i, p in enumerate(found)]


def _outer_inputs(call: Call) -> tuple[Value, ...]:
    return call.inputs[1:] if call.op.name == "if_else" else call.inputs


class Listing:
    """The lines of a Program.

    Args:
        program: the Program.
        collapse: whether blocks that are repeated one after the other are shown once.
    """

    def __init__(self, program: Program, collapse: bool) -> None:
        self.collapse = collapse
        self.names = Names()
        self.names.begin(program)
        self.weights = {*program.captures, *program.constants}
        self.lines = list(self._calls(program.calls, 0))

    def _calls(self, calls: Sequence[Call], depth: int) -> Iterator[Line]:
        position = 0
        while position < len(calls):
            size, times = repeated(calls, position) if self.collapse else (1, 1)
            if times == 1:
                yield from self._call(calls[position], depth)
                position += 1
                continue
            blocks = [calls[position + i * size : position + (i + 1) * size] for i in range(times)]
            layers = [_common(self._layers(block)) for block in blocks]
            span = "" if not (layers[0] and layers[-1]) else f" in {layers[0]}"
            span += f" ... {layers[-1]}" if span and layers[0] != layers[-1] else ""
            yield Line("heading", depth, f"{times} times{span}:")
            for call in blocks[0]:
                yield from self._call(call, depth + 1)
            # Numbers go on as if all had been printed.
            for call in (call for block in blocks[1:] for call in block):
                for value in call.outputs:
                    self.names.of(value)
            position += size * times

    def _layers(self, calls: Sequence[Call]) -> list[str]:
        found = [layer_of(call, self.weights) for call in calls]
        return [layer for layer in found if layer]

    def _call(self, call: Call, depth: int) -> Iterator[Line]:
        names = self.names
        inputs = _grouped([names.of(v) for v in call.inputs])
        results = [names.define(v, v.name) for v in call.outputs]
        yield Line(
            "call",
            depth,
            ", ".join(results) or "_",
            call.op.name,
            inputs,
            attributes_of(call),
            ", ".join(map(format_value, call.outputs)),
            short_location(call.where),
            layer_of(call, self.weights),
            call,
        )
        if not call.op.has_programs:
            return
        for title, program in inner_programs(call):
            given = list(zip(program.inputs, _outer_inputs(call), strict=False))
            carried = call.key[2] if call.op.name == "while_loop" else 0
            state = [f"{names.define(v)} from {names.of(outer)}" for v, outer in given[:carried]]
            for value, outer in given[carried:]:
                names.known[value] = names.of(outer)
            names.begin(program)
            yield Line("heading", depth + 1, f"{title}{':' if not state else ''}" + _state(state))
            yield from self._calls(program.calls, depth + 2)
            given_back = ", ".join(names.of(v) for v in program.outputs)
            yield Line("result", depth + 2, f"give {given_back}")


def _state(state: Sequence[str]) -> str:
    return f" ({', '.join(state)}):" if state else ""


def _signature(call: Call) -> Any:
    shapes = tuple([(v.shape, v.dtype) for v in (*call.inputs, *call.outputs)])
    return call.op, call.key, len(call.inputs), shapes


def repeated(calls: Sequence[Call], start: int) -> tuple[int, int]:
    """Finds the block at `start` that, repeated, covers most calls.

    Returns:
        Its number of calls, and how often it stands there; `(1, 1)` for none.
    """
    signatures = [_signature(call) for call in calls[start : start + 4 * _MAX_BLOCK]]
    best, saved = (1, 1), 0
    for size in range(1, min(_MAX_BLOCK, len(signatures) // 2) + 1):
        if signatures[size] != signatures[0]:
            continue
        block, times = signatures[:size], 1
        while signatures[times * size : (times + 1) * size] == block:
            times += 1
        if (times - 1) * size > saved and times > 1:
            best, saved = (size, times), (times - 1) * size
    # One line for a heading must pay.
    return best if saved > 1 else (1, 1)


def count_text(values: Sequence[Value]) -> str:
    """Says how many numbers some Values hold."""
    known = [v for v in values if all(isinstance(e, int) for e in v.shape)]
    return f"{sum(math.prod(v.shape) for v in known):,} numbers in {len(values)} arrays"


def format_program(
    program: Program, *, collapse: bool = False, where: bool = False, weights: str = "captures"
) -> str:
    """Returns a Program as text.

    Values have their names, or `%` and a number; what an op is told is written by name unless it
    has its default; branches, loops and regions stand indented below their call.

    Args:
        program: the Program.
        collapse: whether blocks that are repeated one after the other are shown once.
        where: whether to add where in the user's code each call stands.
        weights: what to call its captures.

    Examples:
        >>> import numpy as np
        >>> import proa
        >>> from proa.program import format_program, recording
        >>> with recording() as recorder:
        ...     x = recorder.add_input([2, 3], np.float32, "x")
        ...     program, _ = recorder.finish([proa.nn.functional.softmax(x * 2, axis=0)])
        >>> print(format_program(program))
        inputs: x: float32[2, 3]
          %0 = multiply(x, 2.0)  float32[2, 3]
          %1 = softmax(%0; axis=0)  float32[2, 3]
        outputs: %1
    """
    listing = Listing(program, collapse)
    head = [f"inputs: {_typed(listing, program.inputs)}"]
    if len(program.captures) > 12 and collapse:
        head.append(f"{weights}: {count_text(program.captures)}")
    elif program.captures:
        head.append(f"{weights}: {_typed(listing, program.captures)}")
    body = ["  " + line.text() + _place(line, where) for line in listing.lines]
    tail = [f"outputs: {', '.join(listing.names.of(v) for v in program.outputs)}"]
    return "\n".join([*head, *body, *(tail if program.outputs else [])])


def _typed(listing: Listing, values: Sequence[Value]) -> str:
    return ", ".join(f"{listing.names.of(v)}: {format_value(v)}" for v in values)


def _place(line: Line, where: bool) -> str:
    return f"  # {line.where}" if where and line.where else ""
