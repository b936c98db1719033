"""How Tensors print: Paddle's form, with `set_printoptions`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from ._errors import InvalidArgumentError, InvalidTypeError
from ._place import place_of
from ._tensor import Parameter, Tensor, attach_method, is_extension_float

# Continuation lines stand under the bracket after `Tensor(`.
_INDENT = 7


@dataclass
class _Options:
    precision: int = 8
    threshold: int = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool = False


_options = _Options()


def _checked(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InvalidTypeError(
            f"`{name}` of `set_printoptions` is {value!r}",
            expected="an integer",
            fix="pass a whole number",
        )
    if value.__index__() < least:
        raise InvalidArgumentError(
            f"`{name}` of `set_printoptions` is {value}",
            expected=f"{name} >= {least}",
            fix="choose a larger one",
        )
    return value.__index__()


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sci_mode: bool | None = None,
    linewidth: int | None = None,
) -> None:
    """Changes how Tensors print; `None` leaves an option as it is.

    Args:
        precision: digits after the point; 8 at the start.
        threshold: number of elements above which the middle is left out; 1000 at the start.
        edgeitems: elements shown at each end of an axis then; 3 at the start.
        sci_mode: whether floats print as `1.5e+00`; false at the start.
        linewidth: characters in a line; 80 at the start.

    Raises:
        InvalidTypeError: an option that is not an integer.
        InvalidArgumentError: an option that is too small.

    Examples:
        >>> import proa
        >>> proa.set_printoptions(precision=2)
        >>> proa.to_tensor([0.125, 1.0])
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.12, 1.  ])
        >>> proa.set_printoptions(precision=8)
    """
    new = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems}
    new["linewidth"] = linewidth
    least = {"precision": 0, "threshold": 0, "edgeitems": 1, "linewidth": 1}
    checked = {k: _checked(k, v, least[k]) for k, v in new.items() if v is not None}
    for name, value in checked.items():
        setattr(_options, name, value)
    if sci_mode is not None:
        _options.sci_mode = bool(sci_mode)


def _float_text(value: Any) -> str:
    number = float(value)
    if _options.sci_mode:
        return f"{number:.{_options.precision}e}"
    if np.isinf(number) or number == np.ceil(number):
        return f"{number:.0f}."
    return f"{number:.{_options.precision}f}"


def _complex_text(value: Any) -> str:
    style = f".{_options.precision}{'e' if _options.sci_mode else 'f'}"
    return f"({value.real:{style}}{value.imag:+{style}}j)"


def _text(value: Any, kind: str) -> str:
    if kind == "f":
        return _float_text(value)
    return _complex_text(value) if kind == "c" else str(value)


def _edges(array: np.ndarray) -> np.ndarray:
    """The elements that are shown, as one array: only they decide on the column width."""
    for axis, extent in enumerate(array.shape):
        if extent > 2 * _options.edgeitems:
            chosen = [*range(_options.edgeitems), *range(-_options.edgeitems, 0)]
            array = np.take(array, chosen, axis=axis)
    return array


class _Formatter:
    """Elements of one array, in columns of one width."""

    def __init__(self, array: np.ndarray) -> None:
        self.kind = array.dtype.kind
        self.is_cut = array.size > _options.threshold
        shown = (_edges(array) if self.is_cut else array).reshape(-1)
        self.is_signed = self.kind != "b" and bool((np.real(shown) < 0).any())
        self.width = max((len(_text(v, self.kind)) for v in shown), default=0)

    def item(self, value: Any) -> str:
        text = _text(value, self.kind)
        # Where there are negative numbers the others leave room for the sign.
        if self.is_signed and not text.startswith("-") and len(text) < self.width:
            text = " " + text
        return text.ljust(self.width)

    def vector(self, array: np.ndarray, indent: int) -> str:
        edge = _options.edgeitems
        if self.is_cut and len(array) > 2 * edge:
            items = [self.item(v) for v in array[:edge]]
            items += ["...", *[self.item(v) for v in array[-edge:]]]
        else:
            items = [self.item(v) for v in array]
        count = max(1, (_options.linewidth - indent) // (self.width + 2))
        lines = [", ".join(items[i : i + count]) for i in range(0, len(items), count)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"

    def block(self, array: np.ndarray, indent: int, depth: int) -> str:
        if array.ndim == 1:
            return self.vector(array, indent + depth)
        edge = _options.edgeitems
        rows = list(array)
        is_cut = self.is_cut and len(rows) > 2 * edge
        if is_cut:
            rows = rows[:edge] + rows[-edge:]
        parts = [self.block(row, indent, depth + 1) for row in rows]
        if is_cut:
            parts.insert(edge, "...")
        separator = "," + "\n" * (array.ndim - 1) + " " * (indent + depth + 1)
        return "[" + separator.join(parts) + "]"


def format_array(array: np.ndarray, indent: int = _INDENT) -> str:
    """Returns the elements in brackets, as they print."""
    if is_extension_float(array.dtype):
        array = array.astype(np.float32)
    formatter = _Formatter(array)
    if not array.ndim:
        return formatter.item(array[()])
    return formatter.block(array, indent, 0)


def describe_recorded(t: Tensor) -> str:
    """How a tensor prints that stands for a value of a Program."""
    return (
        f"Tensor(shape={list(t._data.shape)}, dtype={t.dtype.name}, "
        f"stop_gradient={t.stop_gradient}, a value of the Program that is being recorded)"
    )


#: What says how such a tensor prints: the alias puts Paddle's words in its place.
recorded_words = [describe_recorded]


def _describe(t: Tensor) -> str:
    if t._data is None:
        return "Tensor(Not initialized)"
    if not isinstance(t._data, jax.Array | np.ndarray | np.generic):
        return recorded_words[0](t)
    head = f"Tensor(shape={list(t._data.shape)}, dtype={t.dtype.name}"
    head = f"{head}, place={place_of(t._data)!r}, stop_gradient={t.stop_gradient}"
    if isinstance(t._data, Tracer):
        return f"{head}, a value that JAX traces)"
    if isinstance(t._data, jax.Array) and not t._data.is_fully_addressable:
        return f"{head}, sharded over several processes)"
    return f"{head},\n{' ' * _INDENT}{format_array(np.asarray(t._data))})"


def _describe_parameter(t: Tensor) -> str:
    return "Parameter containing:\n" + _describe(t)


for _owner, _method in ((Tensor, _describe), (Parameter, _describe_parameter)):
    attach_method("__repr__", _method, owner=_owner)
    attach_method("__str__", _method, owner=_owner)
