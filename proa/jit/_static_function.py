"""StaticFunction: records a function once per signature and runs the Program as one op."""

from __future__ import annotations

import copy
import functools
import inspect
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import jax

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    ProgramError,
    Tensor,
    as_dtype,
    checks_numbers,
    context,
    define_flag,
    get_flags,
    state_lock,
)
from proa.program import InputSpec, NeedsConversion, NeedsStatic, bind_sizes, recording, verify

from ._convert import Unconvertible, adapt, converted_source, explain_unconverted
from ._dataclasses import flatten_tree, refuse_hidden_tensors
from ._entry import TENSOR_LEAF, Entry, recording_mode
from ._kept_step import read_ahead
from ._python_guard import PythonGuard
from ._signature import (
    NUMBER,
    SAME,
    STATIC,
    TENSOR,
    Leaf,
    RepeatedCall,
    as_static,
    changed,
    flatten_call,
    leaf_names,
    read_leaf,
)
from ._switches import tell

# Variants that `explain()` remembers, and how often one variable may cause another.
_MAX_NOTED = 1024
_STORM = 8

_NOTHING = nullcontext()

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

    __name__: str

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
        self._owner: StaticFunction | None = None
        self._entries: OrderedDict[Any, list[Entry]] = OrderedDict()
        self._leaves: dict[int, list[Leaf]] = {}
        self._static_positions: set[int] = set()
        self._variants: list[Variant] = []
        self._eager_because: str | None = None
        self._last_specs: list[InputSpec] | None = None
        self._general: tuple[list[InputSpec], list[Any], list[str]] | None = None
        self._warned_of_storm = False
        #: Leaves of the call that was recorded last (no tensors), their kinds, the structure.
        self._last_given: tuple[list[Any], list[Leaf], Any] | None = None
        self._repeated: RepeatedCall | None = None
        #: Whether its source is converted first: it was seen to branch on a tensor.
        self._converts = False

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        # Kept by the instance itself, so that what was compiled for it goes when it goes.
        fields = getattr(instance, "__dict__", {})
        key = f"_compiled_{self._function.__name__}"
        bound = fields.get(key)
        if bound is None or bound._owner is not self:
            method = self._function.__get__(instance, owner)
            bound = StaticFunction(method, self._input_spec, self._full_graph, instance)
            bound._owner = self
            fields[key] = bound
        return bound

    def __deepcopy__(self, memo: dict[int, Any]) -> StaticFunction:
        return self.__class__(*[copy.deepcopy(a, memo) for a in self._arguments()])

    def __reduce__(self) -> tuple[Any, ...]:
        return (self.__class__, self._arguments())

    def _arguments(self) -> tuple[Any, ...]:
        """What makes the same function again, with nothing compiled yet."""
        return (self._function, self._input_spec, self._full_graph, self._bound_to)

    @property
    def dygraph_function(self) -> Callable[..., Any]:
        """The function itself, uncompiled."""
        return self._function

    @property
    def last_specs(self) -> list[InputSpec] | None:
        """Specs of the last call's tensor arguments, or `None` before the first call."""
        return self._last_specs

    def last_arguments(self, specs: list[InputSpec]) -> list[Any]:
        """Returns the arguments of the last recorded call, with specs in place of tensors."""
        if self._last_given is None:
            return list(specs)
        given, remaining = self._last_given, iter(specs)
        filled = [
            next(remaining) if leaf.kind == TENSOR else value
            for value, leaf in zip(*given[:2], strict=True)
        ]
        args, kwargs = jax.tree_util.tree_unflatten(given[2], filled)
        if not kwargs:
            return list(args)
        bound = inspect.signature(self._function).bind(*args, **kwargs)
        return list(bound.args) if not bound.kwargs else list(specs)

    @property
    def code(self) -> str:
        """The function's source after its conversion, as it is recorded where it branches.

        Raises:
            ProgramError: it cannot be converted; the message says why.
        """
        try:
            return converted_source(self._function)
        except Unconvertible as error:
            raise ProgramError(
                f"`{self.__name__}` has no converted source: {error}",
                expected="a Python function whose source is there",
                fix="define it in a file",
            ) from None

    @property
    def class_instance(self) -> Any:
        """The object that the method is bound to, or `None`."""
        return self._bound_to

    @property
    def function_spec(self) -> Any:
        """The InputSpecs that it was given, or `None`."""
        return self._input_spec

    @property
    def program_cache(self) -> list[Any]:
        """The Programs of all variants that are kept, oldest first."""
        return [entry.program for entries in self._entries.values() for entry in entries]

    @property
    def main_program(self) -> Any:
        """The Program of the latest variant; see `concrete_program`."""
        return self.concrete_program

    @property
    def inputs(self) -> list[Any]:
        """Inputs of the latest Program: Values with name, shape and dtype."""
        return list(self.concrete_program.inputs)

    @property
    def outputs(self) -> list[Any]:
        """Outputs of the latest Program that the function returns."""
        entry = next(reversed(self._entries.values()))[-1] if self._entries else None
        return self.concrete_program.outputs[: entry.num_tensors if entry else 0]

    def get_traced_count(self) -> int:
        """How often the function was recorded."""
        return len(self._variants)

    def get_concrete_program(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function once, so that it is recorded for such arguments.

        Returns:
            The Program.
        """
        self(*args, **kwargs)
        return self.concrete_program

    def train(self) -> None:
        """Puts the layer that the method belongs to into training mode."""
        self._layer("train").train()

    def eval(self) -> None:
        """Puts the layer that the method belongs to into evaluation mode."""
        self._layer("eval").eval()

    def _layer(self, what: str) -> Any:
        if not hasattr(self._bound_to, what):
            raise ProgramError(
                f"{what}() of the function `{self.__name__}`",
                expected="a method of a Layer",
                fix="call it on the layer that the function uses",
            )
        return self._bound_to

    @property
    def num_variants(self) -> int:
        """How many variants were compiled so far."""
        return len(self._variants)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        recorder = context.recorder
        if recorder is not None and recorder.adapt is not None:
            return recorder.adapt(self._function)(*args, **kwargs)
        if recorder is not None or self._eager_because is not None or not enabled[0]:
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
        repeated = self._repeated
        if repeated is not None and not kwargs and repeated.fits(args, recording_mode()):
            entry = repeated.entry
            with state_lock if entry.stores else _NOTHING:
                if entry.holds(args):
                    self._keep_longer(repeated.signature)
                    return self._run(entry, args, args, kwargs)
        flat, structure = flatten_call(args, kwargs)
        leaves, tensors = self._read(flat)
        if self._input_spec is not None:
            leaves = self._generalise(leaves, tensors)
        mode = recording_mode()
        signature = (structure, tuple(leaves), mode)
        entry = self._find(signature, tensors)
        if entry is not None:
            if self._input_spec is None and not kwargs and RepeatedCall.is_plain(args):
                self._repeated = RepeatedCall(args, mode, signature, entry)
            if not entry.stores:
                return self._run(entry, tensors, args, kwargs)
        # Threads take turns where one is to be recorded, or overwrites what others read: what
        # the guards see must still hold when the step begins.
        with state_lock:
            entry = self._find(signature, tensors)
            if entry is None:
                given = _Given(args, kwargs, flat, structure, leaves, tensors)
                try:
                    entry = self._record(given, signature)
                except NeedsStatic as request:
                    self._static_positions |= request.leaves
                    return self._call_compiled(args, kwargs)
                except NeedsConversion as error:
                    if self._converts:
                        raise explain_unconverted(self._function, error) from None
                    self._converts = True
                    return self._call_compiled(args, kwargs)
            if entry.stores:
                return self._run(entry, tensors, args, kwargs)
        return self._run(entry, tensors, args, kwargs)

    def _run(self, entry: Entry, tensors: Sequence[Tensor], args: Any, kwargs: Any) -> Any:
        if entry.gradient is not None and checks_numbers():
            return self._function(*args, **kwargs)
        return entry.run(tensors)

    def _read(self, flat: list[Any]) -> tuple[list[Leaf], list[Tensor]]:
        """Returns the leaves of a call's signature, and the tensors to pass."""
        leaves: list[Leaf] = []
        tensors: list[Tensor] = []
        firsts: dict[int, int] = {}
        for position, value in enumerate(flat):
            if isinstance(value, Tensor) and self._input_spec is None:
                first = firsts.setdefault(id(value), position)
                if first != position:
                    leaves.append(Leaf(SAME, first))
                    continue
            leaf, tensor = read_leaf(value, position in self._static_positions)
            leaves.append(leaf)
            if tensor is not None:
                tensors.append(tensor)
        return leaves, tensors

    def _find(self, signature: Any, tensors: list[Tensor]) -> Entry | None:
        for entry in self._entries.get(signature, ()):
            if entry.holds(tensors):
                self._keep_longer(signature)
                return entry
        return None

    def _keep_longer(self, signature: Any) -> None:
        if len(self._entries) > 1 and signature in self._entries:
            self._entries.move_to_end(signature)

    def _generalise(self, leaves: list[Leaf], tensors: list[Tensor]) -> list[Leaf]:
        if self._general is None:
            self._general = self._read_specs()
        specs, shapes, names = self._general
        positions = [i for i, leaf in enumerate(leaves) if leaf.kind == TENSOR]
        if len(specs) != len(positions):
            raise InvalidArgumentError(
                f"{self.__name__} was given {len(positions)} tensors",
                expected=f"{len(specs)}, one per InputSpec: {', '.join(names)}",
                fix="pass the tensors that input_spec describes",
            )
        dynamic = zip(tensors, _dynamic(leaves), strict=True)
        bind_sizes(shapes, [t._data for t, leaf in dynamic if leaf.kind == TENSOR], names)
        general = list(leaves)
        for position, shape, spec, name in zip(positions, shapes, specs, names, strict=True):
            _, dtype, *tape = leaves[position].what
            if dtype != spec.dtype.name:
                raise InvalidTypeError(
                    f"input `{name}` of {self.__name__} has dtype {dtype}",
                    expected=spec.dtype.name,
                    fix="cast the input, or change the InputSpec",
                )
            general[position] = Leaf(TENSOR, (shape, dtype, *tape))
        return general

    def _read_specs(self) -> tuple[list[InputSpec], list[Any], list[str]]:
        """The specs, their shapes with symbolic dimensions, and the inputs' names."""
        specs = self._specs()
        try:
            names = list(inspect.signature(self._function).parameters)
        except (TypeError, ValueError):
            names = []
        names += [f"input {i}" for i in range(len(names), len(specs))]
        named = [s.name or name for s, name in zip(specs, names, strict=False)]
        return specs, [spec.dimensions(i) for i, spec in enumerate(specs)], named

    def _specs(self) -> list[InputSpec]:
        found = jax.tree_util.tree_leaves(
            self._input_spec, is_leaf=lambda s: isinstance(s, InputSpec)
        )
        return [s if isinstance(s, InputSpec) else InputSpec.from_tensor(s) for s in found]

    def _record(self, given: _Given, signature: Any) -> Entry:
        start = time.perf_counter()
        names = leaf_names(self._function, given.args, given.kwargs, len(given.flat))
        reason = self._reason(given, names, self._entries.get(signature, []))
        self._check_budget(reason)
        objects = [
            v for v, leaf in zip(given.flat, given.leaves, strict=True) if leaf.kind == STATIC
        ]
        python = PythonGuard(self._function, objects)
        # A note is of a function's first variant; others would read what they do not need.
        ahead = None if self._entries else read_ahead(self._function)
        with recording(as_taped=True) as recorder:
            if hasattr(self._bound_to, "guard"):
                recorder.note_layer(self._bound_to)
            args, kwargs = given.placeholders(recorder, names)
            before = flatten_tree((args, kwargs))
            function = self._function
            if self._converts:
                recorder.adapt = adapt
                function = adapt(function)
            result = function(*args, **kwargs)
            _refuse_changed_arguments(before, (args, kwargs))
            python.settle()
            leaves, structure = flatten_tree(result)
            refuse_hidden_tensors(leaves)
            program, state, gradient = recorder.finish_differentiable(
                [leaf for leaf in leaves if isinstance(leaf, Tensor)]
            )
        leaves = [TENSOR_LEAF if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        if get_flags("FLAGS_verify_program")["FLAGS_verify_program"]:
            verify(program)
        name = getattr(self._function, "__name__", type(self._function).__name__)
        tell(3, lambda: str(program))
        entry = Entry(program, state, gradient, (structure, leaves), python, name, ahead)
        self._keep(entry, signature)
        self._note(
            given,
            names,
            Variant(
                len(self._variants) + 1,
                reason,
                ", ".join(f"{n}: {x.describe()}" for n, x in zip(names, given.leaves, strict=True)),
                len(program.calls),
                time.perf_counter() - start,
            ),
        )
        return entry

    def _keep(self, entry: Entry, signature: Any) -> None:
        self._entries.setdefault(signature, []).append(entry)
        self._entries.move_to_end(signature)
        limit = get_flags("FLAGS_max_compiled_variants")["FLAGS_max_compiled_variants"]
        while sum(map(len, self._entries.values())) > limit:
            oldest = next(iter(self._entries))
            self._entries[oldest].pop(0)
            if not self._entries[oldest]:
                del self._entries[oldest]
            self._repeated = None

    def _note(self, given: _Given, names: list[str], variant: Variant) -> None:
        """Notes why a variant was compiled, and warns when one Python variable is to blame."""
        self._variants.append(variant)
        del self._variants[:-_MAX_NOTED]
        self._leaves[variant.number] = given.leaves
        self._leaves.pop(variant.number - _MAX_NOTED, None)
        kept = zip(given.flat, given.leaves, strict=True)
        self._last_given = (
            [None if leaf.kind == TENSOR else value for value, leaf in kept],
            given.leaves,
            given.structure,
        )
        tell(1, lambda: f"recorded `{self.__name__}`, variant {variant.number}: {variant.reason}")
        self._last_specs = [
            InputSpec([None if not isinstance(e, int) else e for e in x.what[0]], x.what[1], n)
            for n, x in zip(names, given.leaves, strict=True)
            if x.kind == TENSOR
        ]
        blamed = variant.reason.partition(":")[0]
        storm = [v for v in self._variants if v.reason.partition(":")[0] == blamed]
        if "`" in blamed and len(storm) >= _STORM and " -> " in variant.reason:
            self._warn_of_storm(blamed, len(storm))

    def _warn_of_storm(self, blamed: str, count: int) -> None:
        if self._warned_of_storm or blamed.startswith(("`", "dim ")):
            return
        self._warned_of_storm = True
        warnings.warn(
            f"`{self.__name__}` was compiled {count} times because {blamed} changes. Pass it as "
            "an argument: a float or a tensor needs no new compilation.",
            stacklevel=5,
        )

    def _reason(self, given: _Given, names: list[str], siblings: list[Entry]) -> str:
        if not self._leaves:
            return "first call"
        if siblings:
            return siblings[-1].why_not(given.tensors) or "dropped before (too many variants)"
        reasons = [changed(old, given.leaves, names) for old in self._leaves.values()]
        closest = min(reasons, key=len)
        return "; ".join(closest) if closest else "gradient or AMP mode changed, or dropped before"

    def _check_budget(self, reason: str) -> None:
        budget = get_flags("FLAGS_compile_budget")["FLAGS_compile_budget"]
        if budget and len(self._variants) >= budget:
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


def _refuse_changed_arguments(before: tuple[Any, Any], arguments: Any) -> None:
    leaves, structure = before
    now, now_structure = flatten_tree(arguments)
    if structure != now_structure or any(a is not b for a, b in zip(leaves, now, strict=True)):
        raise ProgramError(
            "the function changes a list or dict that it was given",
            expected="a function that returns its tensors: a compiled one changes tensors, "
            "but no lists and dicts, when it runs",
            fix="return the new list or dict",
        )


def _dynamic(leaves: list[Leaf]) -> list[Leaf]:
    return [leaf for leaf in leaves if leaf.kind in (TENSOR, NUMBER)]


@dataclass(frozen=True, slots=True)
class _Given:
    """One call: its arguments, flattened, and what the signature says of them."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    flat: list[Any]
    structure: Any
    leaves: list[Leaf]
    tensors: list[Tensor]

    def placeholders(self, recorder: Any, names: list[str]) -> tuple[Any, Any]:
        """Returns the arguments with placeholders for tensors and numbers."""
        made: list[Any] = []
        tensors = iter(self.tensors)
        for position, (value, leaf) in enumerate(zip(self.flat, self.leaves, strict=True)):
            if leaf.kind == SAME:
                made.append(made[leaf.what])
            elif leaf.kind == TENSOR:
                shape, dtype, *tape = leaf.what
                what = (shape, _numpy_dtype(dtype), *tape)
                made.append(recorder.add_argument(what, names[position], next(tensors)._grad))
            elif leaf.kind == NUMBER:
                dtype = _numpy_dtype(leaf.what)
                placeholder = recorder.add_input((), dtype, names[position], leaf=position)
                placeholder._weak = True
                next(tensors)
                made.append(placeholder)
            else:
                made.append(as_static(value))
        return jax.tree_util.tree_unflatten(self.structure, made)


def _numpy_dtype(name: str) -> Any:
    return as_dtype(name).numpy


enabled = [True]


def enable_to_static(enable_to_static_bool: bool) -> None:
    """Switches compilation by `to_static` on or off for all functions."""
    enabled[0] = bool(enable_to_static_bool)


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
