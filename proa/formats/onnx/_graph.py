"""A graph of ONNX nodes in the making: values, nodes, constants, and sizes known at run time.

Source of node names, attributes and their meaning: the operator list of ONNX, opset 18 to 23.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from proa.core import is_dimension
from proa.program import evaluate_dimension

#: Where a slice ends that goes to the end.
FAR = 2**63 - 1


class CannotWrite(Exception):
    """A call has no form in ONNX; the text says why."""


@dataclass(frozen=True, eq=False)
class Ref:
    """A value of the graph.

    Attributes:
        name: its name in the graph.
        dtype: its dtype.
        shape: its extents where they are known: integers and symbolic dimensions.
        array: its elements where they are known: a weight, or a constant.
    """

    name: str
    dtype: np.dtype
    shape: tuple[Any, ...] | None = None
    array: np.ndarray | None = None

    @property
    def ndim(self) -> int:
        """Number of axes, of a value whose shape is known."""
        return len(self.extents)

    @property
    def extents(self) -> tuple[Any, ...]:
        """The shape, of a value of which it must be known."""
        if self.shape is None:
            raise CannotWrite(f"the number of axes of {self.name!r} is not known")
        return self.shape

    @property
    def is_integral(self) -> bool:
        """Whether it holds integers or booleans."""
        return self.dtype.kind in "biu"


@dataclass(frozen=True)
class Node:
    """One node: its kind, names of inputs (`""` for one left out) and outputs, attributes."""

    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]


@dataclass(frozen=True)
class Size:
    """A size that is computed when the graph runs: integers on its side become constants."""

    graph: Graph
    ref: Ref

    def _with(self, kind: str, other: Any, swapped: bool = False) -> Size:
        mine, given = self.ref, self.graph.size(other)
        pair = (given, mine) if swapped else (mine, given)
        return Size(self.graph, self.graph.node(kind, *pair, shape=(1,)))

    def __add__(self, other: Any) -> Size:
        return self._with("Add", other)

    def __sub__(self, other: Any) -> Size:
        return self._with("Sub", other)

    def __rsub__(self, other: Any) -> Size:
        return self._with("Sub", other, swapped=True)

    def __mul__(self, other: Any) -> Size:
        return self._with("Mul", other)

    def __mod__(self, other: Any) -> Size:
        return self._with("Mod", other)

    def __floordiv__(self, other: Any) -> Size:
        # ONNX divides towards zero; what is divided here has no remainder.
        return (self - self % other)._with("Div", other)

    def __neg__(self) -> Size:
        return 0 - self

    def __pow__(self, other: int) -> Size:
        made = self
        for _ in range(other - 1):
            made = made * self
        return made

    def max(self, other: Any) -> Size:
        """The larger of two sizes."""
        return self._with("Max", other)

    def min(self, other: Any) -> Size:
        """The smaller of two sizes."""
        return self._with("Min", other)

    __radd__ = __add__
    __rmul__ = __mul__


@dataclass
class Graph:
    """Collects nodes; a constant stands in the file once, and only if a node takes it.

    Attributes:
        opset: version of ONNX' operators that is written.
        call: the call of the Program that is being written.
        nodes: the nodes, in an order in which they can run.
        initializers: constants and weights that nodes take, by name.
        sizes: what the symbolic dimensions of the Program at hand are.
    """

    opset: int
    call: Any = None
    nodes: list[Node] = field(default_factory=list)
    initializers: dict[str, np.ndarray] = field(default_factory=dict)
    sizes: dict[str, Size] = field(default_factory=dict)
    _names: set[str] = field(default_factory=set)
    _held: dict[str, Ref] = field(default_factory=dict)
    _constants: dict[Any, Ref] = field(default_factory=dict)
    _made: dict[Any, tuple[Ref, ...]] = field(default_factory=dict)
    _next: int = 0

    @property
    def dtype(self) -> np.dtype:
        """Dtype of the first output of the call at hand."""
        return self.call.outputs[0].dtype

    @property
    def shape(self) -> tuple[Any, ...]:
        """Shape of the first output of the call at hand."""
        return self.call.outputs[0].shape

    def name(self, wanted: str) -> str:
        """Returns a name that nothing has yet, the wanted one if it is free."""
        found, number = wanted, 1
        while found in self._names:
            number += 1
            found = f"{wanted}_{number}"
        self._names.add(found)
        return found

    def held(self, array: np.ndarray, name: str) -> Ref:
        """Returns a value whose elements are known; it is written if a node takes it."""
        ref = Ref(self.name(name), array.dtype, array.shape, array)
        self._held[ref.name] = ref
        return ref

    def constant(self, array: Any, dtype: Any = None) -> Ref:
        """Returns a constant; equal ones are one."""
        made = np.asarray(array, None if dtype is None else np.dtype(dtype))
        key = (made.shape, made.dtype.name, made.tobytes()) if made.size <= 64 else object()
        found = self._constants.get(key)
        if found is None:
            self._next += 1
            found = self._constants[key] = self.held(made, f"constant_{self._next}")
        return found

    def number(self, value: Any, like: Ref) -> Ref:
        """Returns a 0-d constant of the dtype of another value."""
        return self.constant(np.asarray(value).astype(like.dtype))

    def integers(self, values: Sequence[int]) -> Ref:
        """Returns a constant vector of int64."""
        return self.constant(np.asarray(values, np.int64).reshape(-1))

    def node(
        self,
        kind: str,
        *inputs: Ref | None,
        dtype: Any = None,
        shape: Any = None,
        outputs: int = 1,
        **attributes: Any,
    ) -> Any:
        """Adds a node, unless there is an equal one, and returns its output or outputs.

        Args:
            kind: the operator.
            inputs: its inputs; `None` for one that is left out.
            dtype: of the outputs, or one for each; that of the first input by default.
            shape: of the output, where it is known.
            outputs: how many outputs are wanted.
            attributes: those that are `None` are left out.
        """
        given = list(inputs)
        while given and given[-1] is None:
            given.pop()
        names = tuple(["" if ref is None else self._take(ref) for ref in given])
        kept = {key: value for key, value in attributes.items() if value is not None}
        signature = (kind, names, outputs, repr(sorted(kept.items())))
        made = self._made.get(signature)
        if made is None:
            first = given[0].dtype if given and given[0] is not None else None
            dtypes = dtype if isinstance(dtype, tuple) else (dtype or first,) * outputs
            made = []
            for number in range(outputs):
                self._next += 1
                label = self.name(f"{kind.lower()}_{self._next}")
                made.append(Ref(label, np.dtype(dtypes[number]), shape))
            made = self._made[signature] = tuple(made)
            self.nodes.append(Node(kind, names, tuple([r.name for r in made]), kept))
        return made[0] if outputs == 1 else made

    def _take(self, ref: Ref) -> str:
        if ref.name in self._held:
            self.initializers[ref.name] = self._held[ref.name].array  # type: ignore[assignment]
        return ref.name

    def rename(self, ref: Ref, name: str) -> None:
        """Adds the node that gives a value the name of an output of the graph."""
        self.nodes.append(Node("Identity", (self._take(ref),), (name,), {}))

    # Nodes that need none where the elements are known.

    def cast(self, x: Ref, dtype: Any) -> Ref:
        """Returns a value in another dtype."""
        wanted = np.dtype(dtype)
        if x.dtype == wanted:
            return x
        if x.array is not None and x.array.size <= 64:
            return self.constant(x.array.astype(wanted))
        return self.node("Cast", x, dtype=wanted, shape=x.shape, to=wanted)

    def arrange(self, x: Ref, function: Callable[[np.ndarray], np.ndarray], what: str) -> Ref:
        """Applies a NumPy function to a value whose elements must be known."""
        if x.array is None:
            raise CannotWrite(f"{what} is computed by the Program; it must be a weight here")
        return self.held(np.ascontiguousarray(function(x.array)), x.name)

    def transpose(self, x: Ref, perm: Sequence[int]) -> Ref:
        """Reorders axes."""
        order = tuple(int(p) for p in perm)
        if order == tuple(range(len(order))):
            return x
        shape = None if x.shape is None else tuple([x.shape[i] for i in order])
        return self.node("Transpose", x, shape=shape, perm=order)

    def unsqueeze(self, x: Ref, axes: Sequence[int]) -> Ref:
        """Inserts axes of extent 1; they count in the result."""
        shape = None
        if x.shape is not None:
            count = len(x.shape) + len(axes)
            new = {axis % count for axis in axes}
            old = iter(x.shape)
            shape = tuple([1 if i in new else next(old) for i in range(count)])
            if x.array is not None and x.array.size <= 64:
                return self.constant(x.array.reshape(shape))
        return self.node("Unsqueeze", x, self.integers(axes), shape=shape) if axes else x

    def squeeze(self, x: Ref, axes: Sequence[int]) -> Ref:
        """Drops axes of extent 1."""
        shape = None
        if x.shape is not None:
            gone = {axis % len(x.shape) for axis in axes}
            shape = tuple([d for i, d in enumerate(x.shape) if i not in gone])
        return self.node("Squeeze", x, self.integers(axes), shape=shape) if axes else x

    def concat(self, parts: Sequence[Ref], axis: int) -> Ref:
        """Joins values along an axis."""
        if len(parts) == 1:
            return parts[0]
        arrays = [p.array for p in parts]
        if all(a is not None and a.size <= 64 for a in arrays):
            return self.constant(np.concatenate(arrays, axis))  # type: ignore[arg-type]
        return self.node("Concat", *parts, axis=axis)

    def slice(self, x: Ref, starts: Any, ends: Any, axes: Sequence[int], steps: Any = None) -> Ref:
        """Takes slices; starts and ends may be symbolic, ends `FAR`."""
        given = None if steps is None or all(s == 1 for s in steps) else self.integers(steps)
        return self.node("Slice", x, self.extents(starts), self.extents(ends),
                         self.integers(axes), given)  # fmt: skip

    # Shapes.

    def size(self, extent: Any) -> Ref:
        """Returns a size, known or not, as a vector of one int64."""
        if isinstance(extent, Size):
            return extent.ref
        if not is_dimension(extent):
            return self.integers([operator.index(extent)])
        found = evaluate_dimension(extent, self.sizes)
        return found.ref if isinstance(found, Size) else self.integers([found])

    def extents(self, values: Sequence[Any]) -> Ref:
        """Returns sizes as one vector of int64."""
        if not any(is_dimension(v) or isinstance(v, Size) for v in values):
            return self.integers([int(v) for v in values])
        return self.concat([self.size(v) for v in values], 0)

    def place(self, vector: Ref, position: int) -> Size:
        """Returns an element of a vector of integers as a size."""
        given = self.cast(vector, np.int64)
        part = self.slice(given, [position], [position + 1], [0])
        return Size(self, Ref(part.name, part.dtype, (1,)))

    def shape_of(self, x: Ref) -> Ref:
        """Returns the shape of a value as a vector of int64."""
        if x.shape is not None and not any(is_dimension(d) for d in x.shape):
            return self.integers(x.shape)
        return self.node("Shape", x, dtype=np.int64)

    def bind(self, inputs: Sequence[Ref]) -> None:
        """Makes the symbolic dimensions of some inputs known."""
        self.sizes = {}
        for ref in inputs:
            for axis, extent in enumerate(ref.extents):
                text = str(extent)
                if is_dimension(extent) and text.isidentifier() and text not in self.sizes:
                    found = self.node("Shape", ref, dtype=np.int64, shape=(1,),
                                      start=axis, end=axis + 1)  # fmt: skip
                    self.sizes[text] = Size(self, found)

    def reshape(self, x: Ref, extents: Sequence[Any]) -> Ref:
        """Gives a value another shape, with as little computed as possible."""
        wanted = tuple(extents)
        if x.shape is not None and [str(d) for d in x.shape] == [str(d) for d in wanted]:
            return x
        if x.array is not None and x.array.size <= 64:
            return self.constant(x.array.reshape(wanted))
        unknown = [i for i, d in enumerate(wanted) if is_dimension(d)]
        empty = any(not is_dimension(d) and d == 0 for d in wanted)
        target: list[Any] = list(wanted)
        if len(unknown) > 1 and x.shape is not None and not empty:
            # A zero keeps the extent that the input has at the same place.
            for i in unknown[:]:
                if i < len(x.shape) and str(x.shape[i]) == str(wanted[i]):
                    target[i] = 0
                    unknown.remove(i)
        if len(unknown) == 1 and not empty:
            target[unknown[0]] = -1
        shape = self.extents(target)
        return self.node("Reshape", x, shape, shape=wanted, allowzero=1 if empty else None)
