"""The op record: one decorated pure function declares an op, everything else is derived."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import jax

from ._compiled import compile_function
from ._errors import InvalidArgumentError, InvalidTypeError, UnknownNameError

ARRAY, INDEX, KEY, OPTIONAL, SEQUENCE, ATTRIBUTE = (
    "array",
    "index",
    "key",
    "optional",
    "sequence",
    "attribute",
)

# Annotations are read as text: op modules use `from __future__ import annotations`.
_KINDS = {
    "Array": ARRAY,
    "Index": INDEX,
    "Key": KEY,
    "Array | None": OPTIONAL,
    "Index | None": OPTIONAL,
    "Sequence[Array]": SEQUENCE,
    "Sequence[Array] | None": SEQUENCE,
    "Sequence[Array | None]": SEQUENCE,
}
_MISSING = object()
#: Compiled variants kept per op; the oldest goes first (USERS A12: caches must not only grow).
MAX_KERNELS = 1024


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an op's array function."""

    name: str
    kind: str
    annotation: str
    default: Any = _MISSING

    @property
    def required(self) -> bool:
        """Whether the parameter has no default."""
        return self.default is _MISSING


class BaseOp:
    """What dispatch needs of an op: a name, a pure function per key, and a VJP."""

    name: str
    differentiable: bool = True
    keep_residuals: bool = False
    has_programs: bool = False
    has_effect: bool = False
    jit: bool = True
    check: Callable[..., None] | None = None
    amp: str | None = None
    passes: frozenset[int] = frozenset()
    keeps_output: bool = False

    def __init__(self) -> None:
        self.kernels: dict[Any, Callable[..., Any]] = {}
        self._vjp: Vjp | None = None

    def array_fn(self, key: Any) -> Callable[..., Any]:
        """Returns the pure function of flat arrays for one set of attributes."""
        raise NotImplementedError

    def forward_kernel(self, key: Any, positions: tuple[int, ...]) -> Callable[..., Any]:
        """With `keep_residuals`: a function from arrays to (outputs, what the gradient needs)."""
        raise NotImplementedError

    def backward_with(self, saved: Any, given: Any, mask: Any, key: Any) -> list[Any]:
        """With `keep_residuals`: gradients of the inputs at `positions`."""
        raise NotImplementedError

    def infer(self, key: Any, inputs: tuple[Any, ...]) -> tuple[tuple[Any, Any], ...] | None:
        """Returns the outputs' (shape, dtype) where they are known without tracing."""
        return None

    def make_kernel(self, key: Any) -> Callable[..., Any]:
        """Builds, stores and returns the compiled function for `key`."""
        fn = self.array_fn(key)
        kernel = compile_function(fn) if self.jit else fn
        if len(self.kernels) >= MAX_KERNELS:
            self.kernels.pop(next(iter(self.kernels)), None)
        self.kernels[key] = kernel
        return kernel

    @property
    def vjp(self) -> Vjp:
        """The op that maps (inputs, cotangents) to the gradients of the inputs."""
        if self._vjp is None:
            self._vjp = Vjp(self)
        return self._vjp

    def describe(self, index: int) -> str:
        """Returns the name of the flat array input number `index`, for messages."""
        return f"input {index}"

    def __repr__(self) -> str:
        return f"<op {self.name}>"


class Vjp(BaseOp):
    """The gradient of an op, itself an op, so that it has a gradient in turn.

    Its key is `(primal key, number of primal inputs, positions to differentiate,
    which outputs have a cotangent)`; a missing cotangent is zero.
    """

    def __init__(self, primal: BaseOp) -> None:
        super().__init__()
        self.primal = primal
        self.name = f"{primal.name}_grad"
        self.jit = primal.jit

    def infer(self, key: Any, inputs: tuple[Any, ...]) -> tuple[tuple[Any, Any], ...] | None:
        """A gradient has the shape and dtype of its input."""
        return tuple([(inputs[i].shape, inputs[i].dtype) for i in key[2]])

    def array_fn(self, key: Any) -> Callable[..., Any]:
        """Returns `fn(*inputs, *cotangents) -> tuple of gradients`."""
        primal_key, num_inputs, positions, mask = key
        fn = self.primal.array_fn(primal_key)

        def gradient(*arrays: Any) -> tuple[Any, ...]:
            inputs, given = arrays[:num_inputs], arrays[num_inputs:]

            def partial(*chosen: Any) -> Any:
                full = list(inputs)
                for position, value in zip(positions, chosen, strict=True):
                    full[position] = value
                return fn(*full)

            outputs, pull = jax.vjp(partial, *[inputs[i] for i in positions])
            return pull_cotangents(pull, outputs, given, mask)

        return gradient


def pull_cotangents(
    pull: Callable[..., Any], outputs: Any, given: tuple[Any, ...], mask: tuple[bool, ...]
) -> tuple[Any, ...]:
    """Calls a JAX pullback with the cotangents that exist and zeros for the rest.

    Complex values follow Paddle: the gradient is conjugate to JAX's.
    """
    is_single = not isinstance(outputs, tuple | list)
    flat = [outputs] if is_single else list(outputs)
    remaining = iter(given)
    cotangents = []
    for output, has in zip(flat, mask, strict=True):
        if not jax.numpy.issubdtype(output.dtype, jax.numpy.inexact):
            cotangents.append(jax.numpy.zeros(output.shape, jax.dtypes.float0))
            if has:
                next(remaining)
        elif has:
            cotangents.append(_conjugate(next(remaining).astype(output.dtype)))
        else:
            cotangents.append(jax.numpy.zeros_like(output))
    structure = cotangents[0] if is_single else type(outputs)(cotangents)
    return tuple(_conjugate(gradient) for gradient in pull(structure))


def _conjugate(array: Any) -> Any:
    return jax.numpy.conj(array) if jax.numpy.iscomplexobj(array) else array


@dataclass(frozen=True, kw_only=True)
class OtherOrder:
    """A second order of arguments that a public function takes, such as `(x, axis, index)`.

    Args:
        when: condition on the parameters, as source; it tells the order by a type.
        call: called with what was given under the names of the first order, and returns the
            result.
        names: keywords that belong to the second order only, and tell it too.
    """

    when: str
    call: Callable[..., Any]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What an op's function cannot say by itself.

    Args:
        method: name of the Tensor method; `None` for none, the op's name by default.
        inplace: whether a variant with a trailing underscore exists.
        amp: `"white"` (runs in low precision), `"black"` (stays float32) or `None`.
        inverse: for a view: `fn(base, view, *attributes) -> new base` on arrays.
        dynamic_shape: the output shape depends on values; runs eagerly, never compiled.
        differentiable: `False` for ops whose outputs have no gradient.
        check: host-side check `fn(op name, concrete arrays, attributes)` in eager mode.
        public: whether a function is made for users (`False` for internal ops).
        out: whether the function takes `out=`.
        noise: for a random op: `fn(twister, **arguments)` that draws on the host what it takes
            in place of a key; see `core/_noise.py`.
        other_order: a second order of arguments.
        passes: parameters whose gradient is that of the one output as it is, where both have
            one shape and dtype, as for both sides of an addition.
        keeps_output: the tape may keep the output in place of the one input, since `f(f(x))` is
            `f(x)` and the derivative at `f(x)` that at `x`. The next op keeps that array too,
            so a rectifier takes no memory of its own.
    """

    method: str | None = ""
    inplace: bool = False
    amp: str | None = None
    inverse: Callable[..., Any] | None = None
    dynamic_shape: bool = False
    differentiable: bool = True
    check: Callable[..., None] | None = None
    public: bool = True
    out: bool = False
    noise: Callable[..., Any] | None = None
    other_order: OtherOrder | None = None
    passes: tuple[str, ...] = ()
    keeps_output: bool = False


@dataclass(eq=False)
class Op(BaseOp):
    """A registered op: its function, its parameters and its facts."""

    name: str
    fn: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    facts: Facts
    kernels: dict[Any, Callable[..., Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._vjp = None
        self.differentiable = self.facts.differentiable
        self.jit = not self.facts.dynamic_shape
        self.check = self.facts.check
        self.amp = self.facts.amp
        self.arrays = tuple(p for p in self.parameters if p.kind != ATTRIBUTE)
        self.attributes = tuple(p for p in self.parameters if p.kind == ATTRIBUTE)
        self.is_random = any(p.kind == KEY for p in self.parameters)
        self.has_layout = any(p.kind in (OPTIONAL, SEQUENCE) for p in self.arrays)
        self.keeps_output = self.facts.keeps_output
        self.passes = frozenset(i for i, p in enumerate(self.arrays) if p.name in self.facts.passes)
        self.indices = tuple(p.name for p in self.arrays if p.annotation.startswith("Index"))

    def array_fn(self, key: Any) -> Callable[..., Any]:
        """Returns the function of flat arrays for `key = (layout, attributes)`."""
        layout, values = key
        fn, names = self.fn, tuple(p.name for p in self.attributes)
        attributes = dict(zip(names, values, strict=True))

        def flat(*arrays: Any) -> Any:
            made = fn(**self.unflatten(layout, arrays), **attributes)
            _refuse_endless(self.name, made)
            return made

        flat.__name__ = self.name
        return flat

    def unflatten(self, layout: tuple[Any, ...] | None, arrays: tuple[Any, ...]) -> dict[str, Any]:
        """Gives flat arrays back their parameter names.

        `layout` has an entry per array parameter: `True`/`False` for one that may be
        absent, a count for a sequence, `None` for an absent sequence.

        Raises:
            InvalidTypeError: an index that does not hold integers.
        """
        named = self.name_arrays(layout, arrays)
        for name in self.indices:
            index = named[name]
            if index is not None and not jax.numpy.issubdtype(index.dtype, jax.numpy.integer):
                raise InvalidTypeError(
                    f"`{name}` of `{self.name}` is a {index.dtype} tensor",
                    expected="an integer tensor",
                    fix="cast it to int64; for a boolean mask use masked_select or x[mask]",
                )
        return named

    def name_arrays(
        self, layout: tuple[Any, ...] | None, arrays: tuple[Any, ...]
    ) -> dict[str, Any]:
        """Returns what flat inputs are, by parameter: one, a list for a sequence, or `None`."""
        if layout is None:
            return dict(zip((p.name for p in self.arrays), arrays, strict=True))
        remaining, named = iter(arrays), {}
        for parameter, entry in zip(self.arrays, layout, strict=True):
            if entry is True:
                named[parameter.name] = next(remaining)
            elif entry is False or entry is None:
                named[parameter.name] = None
            else:
                named[parameter.name] = [next(remaining) for _ in range(entry)]
        return named

    def describe(self, index: int) -> str:
        """Returns the parameter name of a flat input (exact when there is no sequence)."""
        if not self.has_layout and index < len(self.arrays):
            return self.arrays[index].name
        return f"input {index}"

    __repr__ = BaseOp.__repr__
    __hash__ = object.__hash__


def _refuse_endless(op_name: str, made: Any) -> None:
    """Refuses an output of more bytes than can be counted, over which XLA ends the process.

    Runs while an op is traced: calls of what is compiled already pay nothing.
    """
    for array in made if isinstance(made, tuple | list) else (made,):
        shape = getattr(array, "shape", ())
        is_known = all(isinstance(extent, int) for extent in shape)
        if is_known and math.prod(shape) * array.dtype.itemsize >= _ENDLESS:
            raise InvalidArgumentError(
                f"`{op_name}` would make an array of shape {list(shape)}",
                expected="fewer than 2**62 bytes",
                fix="check the sizes that the call is given",
            )


_ENDLESS = 1 << 62
_OPS: dict[str, Op] = {}
#: Rooms that declare ops and that nobody needs to have loaded where a file names those ops.
_LATE_ROOMS = (
    *("amp", "audio", "distribution", "geometric", "incubate", "metric", "nn", "sparse", "text"),
    "vision",
)
#: Ops whose attributes are Programs; they have no array function of their own.
_STRUCTURED: dict[str, BaseOp] = {}


def parse_parameters(fn: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Reads an op function's parameters from its code and its (textual) annotations."""
    code = fn.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    defaults = dict(fn.__kwdefaults__ or {})
    positional = code.co_varnames[: code.co_argcount]
    given = fn.__defaults__ or ()
    if given:
        defaults.update(zip(positional[-len(given) :], given, strict=True))
    found = []
    for name in code.co_varnames[:count]:
        annotation = fn.__annotations__.get(name)
        if not isinstance(annotation, str):
            raise InvalidArgumentError(
                f"parameter `{name}` of op `{fn.__name__}` has annotation {annotation!r}",
                expected="a textual annotation (Array, Index, Key, int, float, ...)",
                fix="annotate it and start the module with `from __future__ import annotations`",
            )
        kind = _KINDS.get(annotation, ATTRIBUTE)
        found.append(Parameter(name, kind, annotation, defaults.get(name, _MISSING)))
    return tuple(found)


def register(name: str, fn: Callable[..., Any], facts: Facts) -> Op:
    """Enters an op; a second op of the same name is refused."""
    if name in _OPS:
        raise InvalidArgumentError(
            f"op {name!r} is declared twice: {_OPS[name].fn.__module__} and {fn.__module__}",
            expected="one declaration per op",
            fix="rename or delete one of them",
        )
    parameters = parse_parameters(fn)
    if facts.inverse is not None and facts.dynamic_shape:
        raise InvalidArgumentError(
            f"op {name!r} is a view of dynamic shape",
            expected="a view with a static shape",
            fix="drop one of the two facts",
        )
    created = Op(name, fn, parameters, facts)
    _OPS[name] = created
    return created


def register_structured(op: BaseOp) -> BaseOp:
    """Enters an op whose attributes are Programs, so that files can name it.

    Raises:
        InvalidArgumentError: another op has the name.
    """
    if op.name in _OPS or op.name in _STRUCTURED:
        raise InvalidArgumentError(
            f"op {op.name!r} is declared twice",
            expected="one declaration per op",
            fix="rename or delete one of them",
        )
    _STRUCTURED[op.name] = op
    return op


def get_op(name: str) -> BaseOp:
    """Returns the op of a name; `<name>_grad` gives its VJP.

    Raises:
        UnknownNameError: no such op.
    """
    found = _OPS.get(name) or _STRUCTURED.get(name)
    if found is not None:
        return found
    if name.endswith("_grad"):
        return get_op(name.removesuffix("_grad")).vjp
    if _load_rooms():
        return get_op(name)
    raise UnknownNameError(
        f"there is no op {name!r}",
        expected=f"one of the {len(_OPS)} registered ops",
        fix="see proa.core.all_ops(); a newer Proa may have it",
    )


def _load_rooms() -> bool:
    """Loads the rooms that declare ops of their own; whether any had not been loaded."""
    package = __name__.partition(".")[0]
    missing = [room for room in _LATE_ROOMS if f"{package}.{room}" not in sys.modules]
    for room in missing:
        import_module(f"{package}.{room}")
    return bool(missing)


def all_ops() -> dict[str, Op]:
    """Returns all registered ops by name."""
    return dict(_OPS)
