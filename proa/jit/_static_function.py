"""StaticFunction: records a function once per signature and runs the Program as one op."""

from __future__ import annotations

import functools
import inspect
import time
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    ProgramError,
    Tensor,
    as_dtype,
    context,
    define_flag,
    get_flags,
)
from proa.program import InputSpec, NeedsStatic, bind_sizes, recording, verify

from ._entry import Entry, recording_mode
from ._signature import NUMBER, TENSOR, Leaf, changed, flatten_call, leaf_names, read_leaf

define_flag("FLAGS_max_compiled_variants", 64)
define_flag("FLAGS_compile_budget", 0)


@dataclass(frozen=True, slots=True)
class Variant:
    """Why a compiled variant exists: for `explain()`."""

    number: int
    reason: str
    signature: str
    num_calls: int
    record_seconds: float


class Explanation(list):
    """The variants of a compiled function; prints as a table."""

    def __str__(self) -> str:
        lines = ["variant  ops    recorded  because"]
        for v in self:
            lines.append(f"{v.number:>7}  {v.num_calls:>4}  {v.record_seconds:>7.3f} s  {v.reason}")
        return "\n".join(lines)

    __repr__ = __str__


class StaticFunction:
    """A function that is recorded once per signature and then runs compiled.

    Made by `to_static`. While another function is being recorded it is simply called.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        input_spec: Any = None,
        full_graph: bool = False,
        bound_to: Any = None,
    ) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._input_spec = input_spec
        self._full_graph = full_graph
        self._bound_to = bound_to
        self._entries: OrderedDict[Any, list[Entry]] = OrderedDict()
        self._leaves: dict[int, list[Leaf]] = {}
        self._static_positions: set[int] = set()
        self._variants: list[Variant] = []
        self._eager_because: str | None = None
        self._last_specs: list[InputSpec] | None = None
        self._bound: weakref.WeakKeyDictionary[Any, StaticFunction] = weakref.WeakKeyDictionary()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        bound = self._bound.get(instance)
        if bound is None:
            method = self._function.__get__(instance, owner)
            bound = StaticFunction(method, self._input_spec, self._full_graph, instance)
            self._bound[instance] = bound
        return bound

    @property
    def dygraph_function(self) -> Callable[..., Any]:
        """The function itself, uncompiled."""
        return self._function

    @property
    def last_specs(self) -> list[InputSpec] | None:
        """Specs of the last call's tensor arguments, or `None` before the first call."""
        return self._last_specs

    @property
    def num_variants(self) -> int:
        """How many variants were compiled so far."""
        return len(self._variants)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if context.recorder is not None or self._eager_because is not None or not enabled[0]:
            return self._function(*args, **kwargs)
        try:
            return self._call_compiled(args, kwargs)
        except ProgramError as error:
            if self._full_graph:
                raise
            self._eager_because = str(error)
            warnings.warn(
                f"{self.__name__} runs uncompiled: {error.got}. Pass full_graph=True to make "
                "this an error.",
                stacklevel=2,
            )
            return self._function(*args, **kwargs)

    def _call_compiled(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        flat, structure = flatten_call(args, kwargs)
        leaves, tensors = [], []
        for position, value in enumerate(flat):
            leaf, tensor = read_leaf(value, position in self._static_positions)
            leaves.append(leaf)
            if tensor is not None:
                tensors.append(tensor)
        if self._input_spec is not None:
            leaves = self._generalise(leaves, tensors)
        signature = (structure, tuple(leaves), recording_mode())
        for entry in self._entries.get(signature, ()):
            if entry.holds():
                return entry.run(tensors)
        try:
            entry = self._record(args, kwargs, flat, structure, leaves, signature)
        except NeedsStatic as request:
            self._static_positions |= request.leaves
            return self._call_compiled(args, kwargs)
        return entry.run(tensors)

    def _generalise(self, leaves: list[Leaf], tensors: list[Tensor]) -> list[Leaf]:
        specs = self._specs()
        positions = [i for i, leaf in enumerate(leaves) if leaf.kind == TENSOR]
        if len(specs) != len(positions):
            raise InvalidArgumentError(
                f"{self.__name__} was given {len(positions)} tensors",
                expected=f"{len(specs)}, one per InputSpec",
                fix="pass the tensors that input_spec describes",
            )
        shapes = [spec.dimensions(i) for i, spec in enumerate(specs)]
        arrays = [
            t._data
            for t, leaf in zip(tensors, _dynamic(leaves), strict=True)
            if leaf.kind == TENSOR
        ]
        bind_sizes(shapes, arrays, [s.name or f"input {i}" for i, s in enumerate(specs)])
        general = list(leaves)
        for position, shape, spec in zip(positions, shapes, specs, strict=True):
            _, dtype, stop = leaves[position].what
            if dtype != spec.dtype.name:
                raise InvalidTypeError(
                    f"input `{spec.name or position}` of {self.__name__} has dtype {dtype}",
                    expected=spec.dtype.name,
                    fix="cast the input, or change the InputSpec",
                )
            general[position] = Leaf(TENSOR, (shape, dtype, stop))
        return general

    def _specs(self) -> list[InputSpec]:
        found = jax.tree_util.tree_leaves(
            self._input_spec, is_leaf=lambda s: isinstance(s, InputSpec)
        )
        return [s if isinstance(s, InputSpec) else InputSpec.from_tensor(s) for s in found]

    def _record(
        self,
        args: Any,
        kwargs: Any,
        flat: list[Any],
        structure: Any,
        leaves: list[Leaf],
        signature: Any,
    ) -> Entry:
        start = time.perf_counter()
        names = leaf_names(self._function, args, kwargs, len(flat))
        self._check_budget(leaves, names)
        with recording() as recorder:
            given = []
            for position, (value, leaf) in enumerate(zip(flat, leaves, strict=True)):
                given.append(_placeholder(recorder, value, leaf, names[position], position))
            new_args, new_kwargs = jax.tree_util.tree_unflatten(structure, given)
            result = self._function(*new_args, **new_kwargs)
            out_leaves, out_structure = jax.tree_util.tree_flatten(result)
            tensors = [leaf for leaf in out_leaves if isinstance(leaf, Tensor)]
            outputs = [
                (True, has_no_graph(leaf)) if isinstance(leaf, Tensor) else (False, leaf)
                for leaf in out_leaves
            ]
            program, state = recorder.finish(tensors)
        if get_flags("FLAGS_verify_program")["FLAGS_verify_program"]:
            verify(program)
        entry = Entry(program, state, out_structure, outputs, self.__name__)
        self._keep(entry, signature, leaves, names, time.perf_counter() - start)
        return entry

    def _keep(
        self, entry: Entry, signature: Any, leaves: list[Leaf], names: list[str], seconds: float
    ) -> None:
        siblings = self._entries.setdefault(signature, [])
        siblings.append(entry)
        self._entries.move_to_end(signature)
        limit = get_flags("FLAGS_max_compiled_variants")["FLAGS_max_compiled_variants"]
        while sum(map(len, self._entries.values())) > limit:
            oldest = next(iter(self._entries))
            self._entries[oldest].pop(0)
            if not self._entries[oldest]:
                del self._entries[oldest]
        described = ", ".join(f"{n}: {x.describe()}" for n, x in zip(names, leaves, strict=True))
        number = len(self._variants) + 1
        self._variants.append(
            Variant(
                number,
                self._reason(leaves, names, siblings),
                described,
                len(entry.program.calls),
                seconds,
            )
        )
        self._leaves[number] = leaves
        self._last_specs = [
            InputSpec([None if not isinstance(e, int) else e for e in x.what[0]], x.what[1], n)
            for n, x in zip(names, leaves, strict=True)
            if x.kind == TENSOR
        ]

    def _reason(self, leaves: list[Leaf], names: list[str], siblings: list[Entry]) -> str:
        if not self._leaves:
            return "first call"
        if len(siblings) > 1:
            return siblings[-2].why_not()
        reasons = [changed(old, leaves, names) for old in self._leaves.values()]
        closest = min(reasons, key=len)
        return "; ".join(closest) if closest else "train/eval, gradient or AMP mode changed"

    def _check_budget(self, leaves: list[Leaf], names: list[str]) -> None:
        budget = get_flags("FLAGS_compile_budget")["FLAGS_compile_budget"]
        if budget and len(self._variants) >= budget:
            reason = self._reason(leaves, names, [])
            raise InvalidArgumentError(
                f"compile number {len(self._variants) + 1} of `{self.__name__}`: {reason}",
                expected=f"at most {budget} (FLAGS_compile_budget)",
                fix="pad inputs to a few sizes, give an input_spec with None, or raise the budget",
            )

    def explain(self) -> Explanation:
        """Says which variants were compiled, and why each was needed."""
        return Explanation(self._variants)

    def rollback(self) -> Callable[..., Any]:
        """Returns the uncompiled function."""
        return self._function

    @property
    def concrete_program(self) -> Any:
        """The Program of the latest variant.

        Raises:
            ProgramError: the function was not called yet.
        """
        if not self._entries:
            raise ProgramError(
                f"{self.__name__} has no Program yet",
                expected="a function that was called once",
                fix="call it with example inputs, or use jit.save with an input_spec",
            )
        return next(reversed(self._entries.values()))[-1].program


def has_no_graph(t: Tensor) -> bool:
    """Whether nothing can be differentiated through an output any more.

    After `loss.backward()` inside the function the graph of `loss` is used up.
    """
    return t._stop or (t._edge is not None and getattr(t._edge[0], "saved", t) is None)


def _dynamic(leaves: list[Leaf]) -> list[Leaf]:
    return [leaf for leaf in leaves if leaf.kind in (TENSOR, NUMBER)]


def _placeholder(recorder: Any, value: Any, leaf: Leaf, name: str, position: int) -> Any:
    if leaf.kind == TENSOR:
        shape, dtype, stop = leaf.what
        made = recorder.add_input(shape, _numpy_dtype(dtype), name)
        made._stop = stop
        return made
    if leaf.kind == NUMBER:
        made = recorder.add_input((), _numpy_dtype(leaf.what), name, leaf=position)
        made._weak = True
        return made
    return value


def _numpy_dtype(name: str) -> Any:
    return as_dtype(name).numpy


enabled = [True]


def enable_to_static(enable_to_static_bool: bool) -> None:
    """Switches compilation by `to_static` on or off for all functions."""
    enabled[0] = bool(enable_to_static_bool)


def not_to_static(func: Callable[..., Any] | None = None) -> Any:
    """Marks a function as one to call as it is; kept for Paddle's signature."""
    return (lambda f: f) if func is None else func


def to_static(
    function: Any = None,
    input_spec: Any = None,
    build_strategy: Any = None,
    backend: Any = None,
    *,
    full_graph: bool = False,
    **kwargs: Any,
) -> Any:
    """Compiles a function, a method or a Layer: recorded once per signature, run as one op.

    A whole training step compiles too: forward, `loss.backward()`, `opt.step()` and
    `opt.clear_grad()` in one function; the tensors it writes are updated in place.

    Args:
        function: function, method or Layer; `None` to use it as a decorator with arguments.
        input_spec: InputSpecs of the tensor arguments; sizes of `None` then need no new
            recording.
        build_strategy: kept for Paddle's signature; nothing depends on it.
        backend: kept for Paddle's signature; XLA is the only one.
        full_graph: make code that cannot be recorded an error instead of running it
            uncompiled after one warning.
        kwargs: further options of Paddle, without effect here.

    Returns:
        The compiled function; for a Layer, the Layer with a compiled `forward`.

    Raises:
        InvalidTypeError: `function` cannot be called.

    Examples:
        >>> import proa
        >>> @proa.jit.to_static
        ... def double(x):
        ...     return x * 2
        >>> double(proa.to_tensor([1.0, 2.0])).tolist()
        [2.0, 4.0]
    """
    if function is None:
        return functools.partial(to_static, input_spec=input_spec, full_graph=full_graph)
    if isinstance(function, StaticFunction):
        return function
    if hasattr(function, "forward") and hasattr(function, "sublayers"):
        forward = function.forward
        if not isinstance(forward, StaticFunction):
            object.__setattr__(
                function, "forward", StaticFunction(forward, input_spec, full_graph, function)
            )
        return function
    if not callable(function):
        raise InvalidTypeError(
            f"to_static was given a {type(function).__name__}",
            expected="a function, a method or a Layer",
            fix="write to_static(my_function)",
        )
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise InvalidTypeError(
            f"to_static was given the generator or coroutine {function.__name__!r}",
            expected="a plain function",
            fix="return a list of tensors instead of yielding them",
        )
    return StaticFunction(function, input_spec, full_graph)
