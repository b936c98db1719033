"""The `@op` decorator: from one array function to everything a user calls."""

from __future__ import annotations

import functools
import inspect
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from ._dispatch import dispatch
from ._dtype import as_dtype
from ._errors import InvalidArgumentError, InvalidTypeError, where_to_read
from ._noise import random_input
from ._random import next_key
from ._registry import ATTRIBUTE, KEY, SEQUENCE, Facts, Op, OtherOrder, register
from ._spellings import (
    ABSENT,
    call_in_other_order,
    call_respelled,
    dividing_line,
    respelled_keywords,
    spellings,
)
from ._tensor import Tensor, attach_method, is_dimension, is_extension_float
from ._views import make_view, replace_data, write_inplace, write_out

_NO_KEY = (None, ())


def _wrong(value: Any, name: str, what: str, op_name: str) -> InvalidTypeError:
    return InvalidTypeError(
        f"`{name}` of `{op_name}` is {value!r} ({type(value).__name__})"[:200],
        expected=what,
        fix=f"see {where_to_read(op_name)}",
    )


def _as_int(value: Any, name: str, op_name: str) -> Any:
    if isinstance(value, bool | np.bool_) or is_dimension(value):
        return value if is_dimension(value) else int(value)
    try:
        return value.__index__()
    except (AttributeError, TypeError):
        pass
    if isinstance(value, np.ndarray) and value.size == 1 and value.dtype.kind in "iu":
        return int(value.reshape(()))
    if isinstance(value, list | tuple) and len(value) == 1:
        return _as_int(value[0], name, op_name)
    raise _wrong(value, name, "an integer", op_name)


def _as_float(value: Any, name: str, op_name: str) -> float:
    if isinstance(value, Tensor):
        value = value.item() if value.size == 1 else value
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(())[()]
    if isinstance(value, numbers.Real | np.floating | np.integer | np.bool_) or (
        isinstance(value, np.generic) and is_extension_float(value.dtype)
    ):
        return float(value)
    raise _wrong(value, name, "a number", op_name)


def _as_bool(value: Any, name: str, op_name: str) -> bool:
    if isinstance(value, bool | int | np.bool_ | np.integer) or (
        isinstance(value, Tensor) and value.size == 1
    ):
        return bool(value)
    raise _wrong(value, name, "True or False", op_name)


def _as_str(value: Any, name: str, op_name: str) -> str:
    if isinstance(value, str):
        return value
    raise _wrong(value, name, "a string", op_name)


def _as_ints(value: Any, name: str, op_name: str) -> Any:
    """An integer, or a tuple of them (from a list, tuple, array or Tensor)."""
    if isinstance(value, list | tuple):
        return tuple([_as_int(v, name, op_name) for v in value])
    if isinstance(value, Tensor):
        value = value.numpy()
    if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "iu":
        return tuple(value.reshape(-1).tolist())
    return _as_int(value, name, op_name)


def _as_shape(value: Any, name: str, op_name: str) -> tuple[Any, ...]:
    made = _as_ints(value, name, op_name)
    return made if isinstance(made, tuple) else (made,)


def _as_dtype(value: Any, name: str, op_name: str) -> Any:
    return as_dtype(value)


def freeze(value: Any, name: str = "", op_name: str = "") -> Any:
    """Makes nested lists, arrays and Tensors hashable; other values must be so already."""
    if isinstance(value, list | tuple):
        return tuple([freeze(v, name, op_name) for v in value])
    if isinstance(value, Tensor | np.ndarray):
        return freeze(value.tolist(), name, op_name)
    if isinstance(value, np.generic):
        return value.item()
    try:
        hash(value)
    except TypeError as error:
        raise _wrong(value, name, "a plain value", op_name) from error
    return value


# Annotation of a static parameter -> (type that needs no conversion, converter).
_CONVERTERS: dict[str, tuple[type | None, Callable[..., Any]]] = {
    "int": (int, _as_int),
    "float": (float, _as_float),
    "bool": (bool, _as_bool),
    "str": (str, _as_str),
    "Axis": (int, _as_ints),
    "Ints": (int, _as_ints),
    "Shape": (None, _as_shape),
    "DType": (None, _as_dtype),
    "Any": (str, freeze),
}


def _flatten(op: Op, values: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Flattens array arguments, some absent, some sequences, into tensors and a layout."""
    tensors: list[Any] = []
    layout: list[Any] = []
    for parameter, value in zip(op.arrays, values, strict=True):
        if parameter.kind == SEQUENCE:
            if value is None and "None" in parameter.annotation:
                layout.append(None)
                continue
            if isinstance(value, Tensor | np.ndarray) and value.ndim:
                value = [value[i] for i in range(len(value))]  # type: ignore[index]
            if not isinstance(value, list | tuple):
                raise _wrong(value, parameter.name, "a list or tuple of Tensors", op.name)
            tensors.extend(value)
            layout.append(len(value))
        elif value is None and parameter.kind == "optional":
            layout.append(False)
        else:
            tensors.append(value)
            layout.append(True)
    return tuple(tensors), tuple(layout)


def _into(out: Any, result: Any) -> Any:
    return result if out is None else write_out(out, result)


def _signature(op: Op, hidden: dict[str, str] | None = None) -> str:
    """The parameters as text; with the hidden second spellings, or `None`: as they are seen."""
    parts = []
    for parameter in op.parameters:
        if parameter.kind == KEY:
            continue
        if not parameter.required:
            parts.append(f"{parameter.name}=_default_{parameter.name}")
        else:
            parts.append(f"{parameter.name}=_absent" if hidden else parameter.name)
    parts.append("name=None")
    if hidden:
        alone = op.facts.other_order.names if op.facts.other_order else ()
        parts += [f"{spelling}=_absent" for spelling in (*hidden, *alone)]
    if op.facts.out:
        parts.append("*, out=None")
    return ", ".join(parts)


def _order_lines(other: OtherOrder) -> list[str]:
    tests = [other.when, *[f"{name} is not _absent" for name in other.names]]
    call = "_call_in_other_order(_function, _strict, _others, locals())"
    return [f"    if {' or '.join(tests)}:", f"        return {call}"]


def _others(op: Op) -> dict[str, str]:
    if not op.facts.public:
        return {}
    found = spellings(op.name, [p.name for p in op.parameters if p.kind != KEY])
    alone = op.facts.other_order.names if op.facts.other_order else ()
    return {spelling: name for spelling, name in found.items() if spelling not in alone}


def _conversion_lines(op: Op) -> list[str]:
    lines = []
    for p in op.attributes:
        annotation = p.annotation.removesuffix(" | None")
        quick, _ = _CONVERTERS[annotation]
        tests = [f"{p.name}.__class__ is not {quick.__name__}"] if quick else []
        if annotation != p.annotation:
            tests.append(f"{p.name} is not None")
        head = f"    if {' and '.join(tests)}:\n        " if tests else "    "
        call = f"_convert_{p.name}({p.name}, {p.name!r}, _name)"
        lines.append(f"{head}{p.name} = {call}")
    return lines


def _source(op: Op) -> str:
    visible = [p for p in op.parameters if p.kind != KEY]
    chance = "_next_key()"
    if op.facts.noise is not None:
        chance = f"_random_input(_op, {', '.join(f'{p.name}={p.name}' for p in visible)})"
    arrays = "".join(f"{chance if p.kind == KEY else p.name}, " for p in op.arrays)
    attributes = "".join(f"{p.name}, " for p in op.attributes)
    others = _others(op)
    lines = [f"def op_call({_signature(op, others)}):"]
    if op.facts.other_order is not None:
        lines += _order_lines(op.facts.other_order)
    if others:
        lines.append(dividing_line([p.name for p in visible if p.required], others).rstrip())
    lines += _conversion_lines(op)
    call = "_make_view" if op.facts.inverse is not None else "_dispatch"
    if op.has_layout:
        lines.append(f"    _tensors, _layout = _flatten(_op, ({arrays}))")
        result = f"{call}(_op, _tensors, (_layout, ({attributes})))"
    else:
        key = f"(None, ({attributes}))" if attributes else "_no_key"
        result = f"{call}(_op, ({arrays}), {key})"
    lines.append(f"    return _into(out, {result})" if op.facts.out else f"    return {result}")
    if others:
        lines.append(f"def _strict({_signature(op)}): pass")
    return "\n".join(lines)


@functools.cache
def _compiled(source: str) -> Any:
    """Code of a public function; ops of one signature share it, which halves the import time."""
    return compile(source, "<op>", "exec")


def make_function(op: Op) -> Callable[..., Any]:
    """Builds the public function of an op, with the op's own signature plus `name`.

    The source is generated, as for dataclasses: binding through `inspect` would cost more
    than the op itself.
    """
    for p in op.attributes:
        if p.annotation.removesuffix(" | None") not in _CONVERTERS:
            raise InvalidArgumentError(
                f"parameter `{p.name}` of op `{op.name}` has annotation {p.annotation!r}",
                expected="one of " + ", ".join(_CONVERTERS) + " (with ` | None`), or an array",
                fix="use a known annotation, or add a converter to core/_declare.py",
            )
    namespace: dict[str, Any] = {
        "_op": op,
        "_dispatch": dispatch,
        "_make_view": make_view,
        "_flatten": _flatten,
        "_into": _into,
        "_next_key": next_key,
        "_random_input": random_input,
        "_name": op.name,
        "_no_key": _NO_KEY,
        "__name__": op.fn.__module__,
        "_absent": ABSENT,
        "_call_in_other_order": call_in_other_order,
        "_call_respelled": call_respelled,
        "_Tensor": Tensor,
        "_others": _others(op),
    }
    for p in op.parameters:
        if not p.required:
            namespace[f"_default_{p.name}"] = p.default
        if p.kind == ATTRIBUTE:
            namespace[f"_convert_{p.name}"] = _CONVERTERS[p.annotation.removesuffix(" | None")][1]
    exec(_compiled(_source(op)), namespace)
    function = namespace["op_call"]
    function.__name__ = op.name
    function.__doc__ = op.fn.__doc__
    function.__qualname__ = op.name
    function.__module__ = op.fn.__module__
    if "_strict" in namespace:
        namespace["_function"] = function
        # Where `inspect` finds the signature.
        function.__wrapped__ = namespace["_strict"]
    function.op = op
    return function


def _overwrite(x: Any, result: Tensor) -> Tensor:
    """Writes a result in place; what a comparison overwrites takes its dtype, as in Paddle."""
    becomes_bool = result._data.dtype == bool and getattr(x, "_view", True) is None
    if not becomes_bool or x._data.dtype == bool or x._data.shape != result._data.shape:
        return write_inplace(x, result)
    x.detach_()
    replace_data(x, result._data)
    return x


def inplace_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The in-place form of a public function: it overwrites the first argument and returns it."""
    name = f"{function.__name__}_"

    @functools.wraps(function)
    def inplace(x: Any = ABSENT, *args: Any, **kwargs: Any) -> Tensor:
        if x is ABSENT:
            signature = inspect.signature(function)
            found = respelled_keywords(signature, name, kwargs) or kwargs
            x = found.pop(next(iter(signature.parameters)), ABSENT)
            if x is ABSENT:
                return function(**found)  # Python says what is missing.
            kwargs = found
        return _overwrite(x, function(x, *args, **kwargs))

    inplace.__name__ = inplace.__qualname__ = name
    inplace.__doc__ = f"In-place form of `{function.__name__}`: overwrites `x` and returns it."
    return inplace


def op(fn: Callable[..., Any] | None = None, *, name: str | None = None, **facts: Any) -> Any:
    """Declares an op: `@op` or `@op(method=..., inplace=True, ...)` over an array function.

    The function's annotations say what each parameter is: `Array` (a tensor), `Index` (an
    integer tensor), `Key` (random bits, supplied by the generator and hidden from users),
    `Array | None`, `Sequence[Array]`, or a static attribute: `int`, `float`, `bool`, `str`,
    `Axis` (int or tuple), `Ints`, `Shape`, `DType`, `Any`, each also with ` | None`.

    Args:
        fn: the pure array function.
        name: the op's name; the function's by default.
        facts: see `Facts`.

    Returns:
        The function that users call: it takes Tensors and goes through dispatch. Its
        attribute `op` is the record; `inplace` the variant with an underscore, if any.
    """
    if fn is None:
        return functools.partial(op, name=name, **facts)
    record = register(name or fn.__name__, fn, Facts(**facts))
    function = make_function(record)
    if record.facts.inverse is not None:
        inverse = record.facts.inverse
        internal = Facts(method=None, public=False)
        record.inverse = register(f"{record.name}_inverse", inverse, internal)  # type: ignore[attr-defined]
    method = record.facts.method
    if method == "" and record.facts.public:
        method = record.name
    if method and record.arrays:
        attach_method(method, function)
    if record.facts.inplace:
        function.inplace = inplace_of(function)  # type: ignore[attr-defined]
        attach_method(f"{method or record.name}_", function.inplace)  # type: ignore[attr-defined]
    return function
