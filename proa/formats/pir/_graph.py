"""Paddle's `.json` model files (PIR) from the inside: ops, values and blocks, built one by one.

The form is the one that Paddle 3.3.1 writes: an op is `{"#": name, "A": attributes, "I": operand
numbers, "O": numbers and types of its results, "OA": attributes of the results}`; names begin
with the number of their dialect (0 builtin, 1 operators, 2 control flow).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from proa.core import as_dtype, is_dimension
from proa.program import dimension_names, evaluate_dimension

from ._schema import Entry, schemas

_TYPES = {
    "bool": "0.t_bool",
    "int8": "0.t_i8",
    "uint8": "0.t_ui8",
    "int16": "0.t_i16",
    "int32": "0.t_i32",
    "int64": "0.t_i64",
    "float16": "0.t_f16",
    "bfloat16": "0.t_bf16",
    "float32": "0.t_f32",
    "float64": "0.t_f64",
    "complex64": "0.t_c64",
    "complex128": "0.t_c128",
}
_SCALARS = {"b": "0.a_bool", "i": "0.a_i32", "l": "0.a_i64", "f": "0.a_f32", "d": "0.a_f64"}
_SCALARS["s"] = "0.a_str"
_ITEMS = {"I": "i", "L": "l", "F": "f", "D": "d"}
_OPERANDS = {"i": "int32", "l": "int64", "f": "float32", "d": "float64"}
_OPEN_DTYPE = "Undefined(ALL_DTYPE)"
_ANYWHERE, _ON_CPU = [0, 0, ""], [1, 0, ""]
#: Integers that a float64, as which a file holds the value of `full`, keeps.
_EXACT = 1 << 53


class Unwritable(Exception):
    """A call has no form in Paddle's ops; the message says why, in a few words."""


class Out:
    """A value of a Paddle program: a number, a shape (maybe symbolic) and a dtype."""

    __slots__ = ("dtype", "number", "shape")

    def __init__(self, number: int, shape: Sequence[Any], dtype: Any) -> None:
        self.number, self.shape, self.dtype = number, tuple(shape), np.dtype(dtype)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)


Spec = tuple[Sequence[Any], Any]


def _tensor_type(shape: Sequence[Any], dtype: Any) -> dict[str, Any]:
    name = as_dtype(dtype).name
    if name not in _TYPES:
        raise Unwritable(f"Paddle's files have no dtype {name}")
    extents = [e if isinstance(e, int) else -1 for e in shape]
    return {"#": "0.t_dtensor", "D": [{"#": _TYPES[name]}, extents, "NCHW", [], 0]}


def _array(items: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"#": "0.a_array", "D": list(items)}


def attribute(kind: str, value: Any) -> dict[str, Any]:
    """Returns an attribute of a kind (see `_schema.KINDS`) as the file has it."""
    if kind == "t":
        # A NumPy dtype of float64 equals `None`.
        is_open = value is None or (isinstance(value, str) and value == "undefined")
        return {"#": "1.a_dtype", "D": _OPEN_DTYPE if is_open else as_dtype(value).name}
    if kind == "p":
        return {"#": "1.a_place", "D": value or _ANYWHERE}
    if kind == "N":
        return {"#": "1.a_intarray", "D": [int(v) for v in value]}
    if kind in _ITEMS:
        return _array([attribute(_ITEMS[kind], item) for item in value])
    convert = {"b": bool, "s": str, "i": int, "l": int}.get(kind, float)
    made = convert(value)
    if kind in "fd" and not math.isfinite(made):
        raise Unwritable(f"an attribute is {made}, which Paddle 3.3.1 writes and cannot read")
    return {"#": _SCALARS[kind], "D": made}


def flags(values: Sequence[bool], name: str) -> dict[str, Any]:
    """Returns an attribute of results: one truth value for each."""
    return {"AT": _array([attribute("b", v) for v in values]), "N": name}


def _fits(number: Any) -> bool:
    """Whether a number can stand in a program: as a float64 that is finite and exact."""
    if isinstance(number, int):
        return abs(number) <= _EXACT
    return isinstance(number, float) and math.isfinite(number)


class Graph:
    """A Paddle program while it is written.

    Attributes:
        parameters: arrays of the parameter file, by name.
        trainable: those of them that an optimizer may change.
        sizes: per unknown size, a tensor of one int64 that holds it.
    """

    def __init__(self) -> None:
        self.ops: list[dict[str, Any]] = []
        self.parameters: dict[str, np.ndarray] = {}
        self.sizes: dict[str, Out] = {}
        self._parameter_ops: list[dict[str, Any]] = []
        self._made: list[dict[Any, Out]] = [{}]
        self._number = self._argument = 0

    def value(self, shape: Sequence[Any], dtype: Any) -> Out:
        """Returns a new value that no op has made yet."""
        self._number += 1
        return Out(self._number, shape, dtype)

    def argument(self, shape: Sequence[Any], dtype: Any) -> Out:
        """Returns an argument of a block; those have numbers below zero."""
        self._argument -= 1
        return Out(self._argument, shape, dtype)

    def parameter(self, name: str, array: np.ndarray, *, trainable: bool) -> Out:
        """Returns a tensor that stands in the parameter file."""
        self.parameters[name] = array
        made = self.value(array.shape, array.dtype)
        self._parameter_ops.append(
            {
                "#": "p",
                "A": [0, 1, 1, name],
                "DA": [],
                "O": {"%": made.number, "TT": _tensor_type(array.shape, array.dtype)},
                "OA": [1, int(not trainable), int(trainable)],
                "QA": [],
            }
        )
        return made

    def input(self, name: str, shape: Sequence[Any], dtype: Any) -> Out:
        """Returns an input of the program; its unknown sizes are known from now on."""
        extents = [e if isinstance(e, int) else -1 for e in shape]
        made = self.call("data", out=(shape, dtype), name=name, shape=extents, dtype=dtype)
        for axis, extent in enumerate(shape):
            if is_dimension(extent) and str(extent) not in self.sizes:
                self.sizes[str(extent)] = self._size_of(made, axis)
        return made

    def _size_of(self, x: Out, axis: int) -> Out:
        shape = self.call("shape64", x, out=((x.ndim,), np.int64))
        return self.call(
            "slice", shape, starts=[axis], ends=[axis + 1], axes=[0], infer_flags=[1],
            decrease_axis=[], out=((1,), np.int64),
        )  # fmt: skip

    def fetch(self, x: Out, name: str, column: int) -> None:
        """Makes a value an output of the program."""
        entries = [{"AT": attribute("s", name), "N": "name"}]
        entries.append({"AT": attribute("i", column), "N": "col"})
        made = self.value(x.shape, x.dtype)
        self._append("1.fetch", entries, [x.number], [self._result(made)])
        self.ops[-1]["OA"].insert(0, flags([True], "persistable"))

    def call(self, op: str, /, *inputs: Any, out: Any, **given: Any) -> Any:
        """Adds one op.

        Args:
            op: Paddle's name of the op.
            inputs: its operands: values, lists of them, `None` for one that is left out.
            out: `(shape, dtype)` of its result; a list of such for several, inside of which a
                list stands for a result that is a row of tensors.
            given: attributes, and operands that are made from Python values, by name; a name
                that Python reserves ends with an underscore.

        Returns:
            The result as an `Out`, or a list of them.
        """
        schema = schemas()[op]
        given = {key.rstrip("_"): value for key, value in given.items()}
        remaining = iter(inputs)
        operands = []
        for entry in schema.operands:
            value = given.pop(entry.name) if entry.name in given else next(remaining, None)
            operands.append(self._operand(entry, value))
        entries = []
        for entry in schema.attributes:
            value = given.pop(entry.name, entry.default)
            entries.append({"AT": attribute(entry.kind, value), "N": entry.name})
        if given or next(remaining, None) is not None:
            raise TypeError(f"{op} does not take {sorted(given) or 'so many operands'}")
        several = isinstance(out, list)
        specs = out if several else [out]
        results = [self._row(s) if isinstance(s, list) else self.value(*s) for s in specs]
        written = [r[0] if isinstance(r, tuple) else self._result(r) for r in results]
        self._append(f"1.{op}", entries, operands, written)
        found = [self._taken_apart(*r) if isinstance(r, tuple) else r for r in results]
        return found if several else found[0]

    def _result(self, value: Out) -> dict[str, Any]:
        return {"%": value.number, "TT": _tensor_type(value.shape, value.dtype)}

    def _row(self, specs: Sequence[Spec]) -> tuple[dict[str, Any], Sequence[Spec]]:
        """A result that is a row of tensors, as the file has it."""
        self._number += 1
        kinds = [_tensor_type(*spec) for spec in specs]
        return {"%": self._number, "TT": {"#": "0.t_vec", "D": kinds}}, specs

    def _taken_apart(self, row: dict[str, Any], specs: Sequence[Spec]) -> list[Out]:
        parts = [self.value(*spec) for spec in specs]
        self._append("0.split", [], [row["%"]], [self._result(p) for p in parts])
        return parts

    def _operand(self, entry: Entry, value: Any) -> int:
        """Returns the number of an operand, 0 for one that is left out."""
        if value is None:
            return 0
        if isinstance(value, Out):
            return value.number
        if not entry.kind:
            row, _ = self._row([(v.shape, v.dtype) for v in value])
            self._append("0.combine", [], [v.number for v in value], [row])
            return row["%"]
        if entry.kind == "L":
            return self.integers(value).number
        return self.full((1,), value, _OPERANDS[entry.kind]).number

    def _append(
        self,
        name: str,
        entries: list[Any],
        operands: Sequence[int],
        results: list[Any],
        **more: Any,
    ) -> None:
        stopped = flags([False] * len(results), "stop_gradient")
        op = {"#": name, "A": entries, "I": [{"%": n} for n in operands], "O": results}
        self.ops.append({**op, "OA": [stopped] if results else [], **more})

    def integers(self, values: Sequence[Any]) -> Out:
        """Returns a tensor of int64 numbers, some of which may be symbolic."""
        if any(is_dimension(v) for v in values):
            parts = [self.dimension(v) for v in values]
            return self.call("concat", parts, axis=0, out=((len(parts),), np.int64))
        known = tuple([int(v) for v in values])
        return self._once(
            ("integers", known),
            lambda: self.call(
                "full_int_array", value=known, dtype="int64", place=_ON_CPU,
                out=((len(known),), np.int64),
            ),
        )  # fmt: skip

    def dimension(self, extent: Any) -> Out:
        """Returns a tensor of one int64 that holds a size.

        Raises:
            Unwritable: it depends on a size that no input has.
        """
        if not is_dimension(extent):
            return self.integers([extent])
        unknown = dimension_names(extent) - set(self.sizes)
        if unknown:
            raise Unwritable(f"no input has the size {sorted(unknown)[0]}")
        sizes = {name: _Size(self, size) for name, size in self.sizes.items()}
        made = self._once(("size", str(extent)), lambda: evaluate_dimension(extent, sizes).out)
        return made

    def full(self, shape: Sequence[int], value: Any, dtype: Any) -> Out:
        """Returns a tensor of one number."""
        number = np.asarray(value).item()
        if not _fits(number):
            return self._held(np.full(shape, value, dtype))
        known, name = tuple(shape), as_dtype(dtype).name
        return self._once(
            ("full", known, repr(float(number)), name),
            lambda: self.call(
                "full", shape=known, value=number, dtype=name, place=_ON_CPU, out=(known, dtype)
            ),
        )

    def constant(self, array: np.ndarray) -> Out:
        """Returns a constant: a number in the program, or an array in the parameter file."""
        array = np.asarray(array)
        if array.ndim == 0 and _fits(array.item()):
            return self.full((), array, array.dtype)
        if not array.size:
            # A parameter without elements has no memory, over which Paddle 3.3.1 stops.
            return self.full(array.shape, 0, array.dtype)
        return self._held(array)

    def _held(self, array: np.ndarray) -> Out:
        """An array that stands in the parameter file."""
        key = ("constant", array.shape, array.dtype.str, array.tobytes())
        if key not in self._made[0]:
            names = (f"constant/{i}" for i in range(len(self.parameters) + 1))
            name = next(n for n in names if n not in self.parameters)
            self._made[0][key] = self.parameter(name, array, trainable=False)
        return self._made[0][key]

    def _once(self, key: Any, make: Any) -> Out:
        """A value that depends on nothing is made once per block, or taken from one around it."""
        for known in self._made:
            if key in known:
                return known[key]
        made = self._made[-1][key] = make()
        return made

    @contextmanager
    def block(self) -> Iterator[list[dict[str, Any]]]:
        """Ops go to a block of their own; what it makes is unknown outside of it."""
        outer, self.ops = self.ops, []
        self._made.append({})
        try:
            yield self.ops
        finally:
            self._made.pop()
            self.ops = outer

    def loop(self, state: Sequence[Out], test: Any, body: Any) -> list[Out]:
        """Adds a loop.

        Args:
            state: what it begins with.
            test: function from the state to a bool tensor without axes: whether to go on.
            body: function from the state to the next one.
        """
        # Paddle 3.3.1 takes over the memory of what a loop begins with; others may need it.
        state = [self.call("assign", v, out=(v.shape, v.dtype)) for v in state]
        first = test(state)
        arguments = [self.argument(v.shape, v.dtype) for v in state]
        with self.block() as ops:
            ends = body(arguments)
            ends = [test(ends), *ends]
        specs = [(v.shape, v.dtype) for v in state]
        return self.structured("while", [first, *state], [(arguments, ops, ends)], specs)

    def structured(
        self, name: str, operands: Sequence[Out], blocks: Sequence[Any], outs: Sequence[Spec]
    ) -> list[Out]:
        """Adds an op that has blocks: `(arguments, ops, what it gives)` for each."""
        regions = []
        for arguments, ops, given in blocks:
            ends = {"#": "2.yield", "A": [], "I": [{"%": v.number} for v in given]}
            held = [{"#": v.number, "TT": _tensor_type(v.shape, v.dtype)} for v in arguments]
            body = {"args": held, "ops": [*ops, {**ends, "O": [], "OA": []}]}
            regions.append({"blocks": [body]})
        results = [self.value(*spec) for spec in outs]
        numbers = [v.number for v in operands]
        written = [self._result(r) for r in results]
        self._append(f"1.{name}", [], numbers, written, regions=regions)
        return results

    def as_json(self) -> dict[str, Any]:
        """Returns the program as the content of a file, without ops that nobody needs."""
        needed: set[int] = set()
        ops = _live(self.ops, needed)
        if not any(p["O"]["%"] in needed for p in self._parameter_ops):
            # Paddle 3.3.1 refuses to load a parameter file that holds nothing.
            needed.add(self.parameter("empty", np.zeros((1,), np.float32), trainable=False).number)
        held = [p for p in self._parameter_ops if p["O"]["%"] in needed]
        kept = {p["A"][3] for p in held}
        self.parameters = {n: a for n, a in self.parameters.items() if n in kept}
        body = {"#": "block_0", "args": [], "ops": [*held, *ops]}
        program = {"regions": [{"#": "region_0", "blocks": [body]}]}
        _name_blocks(ops, [0])
        return {
            "base_code": {"magic": "pir", "trainable": True, "version": 4},
            "program": program,
        }


def _live(ops: Sequence[dict[str, Any]], needed: set[int]) -> list[dict[str, Any]]:
    """Ops whose results somebody needs; inputs and outputs of the program stay."""
    kept = []
    for op in reversed(ops):
        ends = op["#"] in ("1.fetch", "2.yield", "1.data")
        if ends or any(r["%"] in needed for r in op["O"]):
            needed.update(entry["%"] for entry in op["I"])
            for region in op.get("regions", ()):
                for block in region["blocks"]:
                    block["ops"] = _live(block["ops"], needed)
            kept.append(op)
    return kept[::-1]


def _name_blocks(ops: Sequence[dict[str, Any]], counts: list[int]) -> None:
    for op in ops:
        for i, region in enumerate(op.get("regions", ())):
            region["#"] = f"region_{i}"
            for block in region["blocks"]:
                counts[0] += 1
                block["#"] = f"block_{counts[0]}"
                _name_blocks(block["ops"], counts)


class _Size:
    """A size while a formula of sizes is written as ops: Python's operators add them."""

    def __init__(self, graph: Graph, out: Out) -> None:
        self.graph, self.out = graph, out

    def _with(self, name: str, other: Any, swapped: bool = False) -> _Size:
        theirs = other.out if isinstance(other, _Size) else self.graph.integers([other])
        pair = (theirs, self.out) if swapped else (self.out, theirs)
        return _Size(self.graph, self.graph.call(name, *pair, out=((1,), np.int64)))

    def __add__(self, other: Any) -> _Size:
        return self._with("add", other)

    def __radd__(self, other: Any) -> _Size:
        return self._with("add", other, True)

    def __sub__(self, other: Any) -> _Size:
        return self._with("subtract", other)

    def __rsub__(self, other: Any) -> _Size:
        return self._with("subtract", other, True)

    def __mul__(self, other: Any) -> _Size:
        return self._with("multiply", other)

    def __rmul__(self, other: Any) -> _Size:
        return self._with("multiply", other, True)

    def __floordiv__(self, other: Any) -> _Size:
        return self._with("floor_divide", other)

    def __mod__(self, other: Any) -> _Size:
        return self._with("remainder", other)

    def __neg__(self) -> _Size:
        return self._with("multiply", -1)

    def __pow__(self, power: int) -> _Size:
        made = self
        for _ in range(power - 1):
            made = made * self
        return made

    def max(self, other: Any) -> _Size:
        """The larger of two sizes."""
        return self._with("maximum", other)

    def min(self, other: Any) -> _Size:
        """The smaller of two sizes."""
        return self._with("minimum", other)
