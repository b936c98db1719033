"""Symbolic dimensions: made by JAX's shape polymorphism, written down and evaluated as text."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import jax
from jax import core, export

from proa.core import InvalidArgumentError, ProgramError, is_dimension

# One scope for the process, so that shapes inferred once can be compared everywhere.
_SCOPE = export.SymbolicScope()

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
}
_CALLS = {
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "max": lambda *values: functools.reduce(_larger, values),
    "min": lambda *values: functools.reduce(_smaller, values),
    "non_negative": lambda value: _larger(value, 0),
}


def _is_known(*values: Any) -> bool:
    return all(isinstance(v, int) or is_dimension(v) for v in values)


def _larger(a: Any, b: Any) -> Any:
    """The larger of two sizes, of whatever kind that has `max`."""
    if _is_known(a, b):
        return core.max_dim(a, b)
    return b.max(a) if isinstance(a, int) else a.max(b)


def _smaller(a: Any, b: Any) -> Any:
    if _is_known(a, b):
        return core.min_dim(a, b)
    return b.min(a) if isinstance(a, int) else a.min(b)


#: Numbers of rows, and of inner sequences, of inputs with sequences of variable length: inputs
#: that are combined agree in them, others need not.
LOOSE_SIZES = ("sequence_rows", "sequences")


def make_dimension(text: str) -> Any:
    """Returns the symbolic dimension (or expression) that `text` names.

    Raises:
        InvalidArgumentError: not a dimension expression.
    """
    try:
        (made,) = export.symbolic_shape(text, scope=_SCOPE)
    except ValueError as error:
        raise InvalidArgumentError(
            f"{text!r} is not a dimension",
            expected="a name or an expression such as `2*batch + 1`",
            fix="use letters, digits and underscores for the name of a dimension",
        ) from error
    return made


@lru_cache(maxsize=4096)
def parsed(text: str) -> ast.expr:
    """Returns the syntax tree of a dimension as text; not to be changed."""
    return ast.parse(text.replace("^", "**"), mode="eval").body


def _evaluate(node: ast.expr, sizes: Mapping[str, Any], text: str) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name) and node.id in sizes:
        return sizes[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand, sizes, text)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _evaluate(node.left, sizes, text), _evaluate(node.right, sizes, text)
        return _BINARY[type(node.op)](left, right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
        return _CALLS[node.func.id](*[_evaluate(a, sizes, text) for a in node.args])
    raise ProgramError(
        f"dimension {text!r} cannot be computed from {dict(sizes)}",
        expected="an expression over the dimensions of the inputs",
        fix="give the missing dimension in the input specification",
    )


def evaluate_dimension(dimension: Any, sizes: Mapping[str, Any]) -> Any:
    """Returns the integer that a symbolic dimension stands for when `sizes` are known."""
    if not is_dimension(dimension):
        return dimension
    text = str(dimension)
    return _evaluate(parsed(text), sizes, text)


def computed_dimension(text: str) -> Any:
    """Returns what an expression over names of dimensions gives, which may have parentheses.

    JAX's own text has none, and `make_dimension` takes none.
    """
    tree = parsed(text)
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id not in _CALLS}
    return _evaluate(tree, {name: make_dimension(name) for name in names}, text)


def substitute(value: Any, sizes: Mapping[str, Any]) -> Any:
    """Evaluates all symbolic dimensions inside (nested tuples of) attributes."""
    if isinstance(value, tuple):
        return tuple([substitute(item, sizes) for item in value])
    if hasattr(value, "with_sizes"):
        return value.with_sizes(sizes)
    return evaluate_dimension(value, sizes)


def has_dimension(value: Any) -> bool:
    """Whether a symbolic dimension stands anywhere inside `value`."""
    if isinstance(value, tuple | list):
        return any(has_dimension(item) for item in value)
    return is_dimension(value)


def dimension_names(value: Any) -> set[str]:
    """Names of the unknown sizes inside (nested tuples of) shapes and attributes."""
    if isinstance(value, tuple | list):
        return {name for item in value for name in dimension_names(item)}
    if not is_dimension(value):
        return set()
    nodes = ast.walk(parsed(str(value)))
    return {n.id for n in nodes if isinstance(n, ast.Name) and n.id not in _CALLS}


def bind_sizes(specs: Any, arrays: Any, names: Any) -> dict[str, Any]:
    """Matches array shapes with specified shapes and returns the size of each dimension.

    Args:
        specs: shapes with symbolic dimensions.
        arrays: arrays (or tracers) that are to match.
        names: what to call each array in messages.

    Raises:
        InvalidArgumentError: rank or a size differs, or a name would have two sizes.
    """
    sizes: dict[str, Any] = {}
    ambiguous = set()
    for spec, array, name in zip(specs, arrays, names, strict=True):
        shape = tuple(array.shape)
        if len(shape) != len(spec):
            raise _mismatch(name, shape, spec, "the rank differs")
        for wanted, got in zip(spec, shape, strict=True):
            text = str(wanted)
            if not is_dimension(wanted):
                if not is_dimension(got) and wanted != got:
                    raise _mismatch(name, shape, spec, f"{got} is not {wanted}")
            elif text.isidentifier() and sizes.setdefault(text, got) != got:
                if text not in LOOSE_SIZES:
                    raise _mismatch(name, shape, spec, f"{text} is {sizes[text]} elsewhere")
                ambiguous.add(text)
    return {text: size for text, size in sizes.items() if text not in ambiguous}


def _mismatch(name: str, shape: Any, spec: Any, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"input `{name}` has shape {list(shape)}: {why}",
        expected=f"shape {format_shape(spec)}",
        fix="change the input, or the input specification the function was recorded with",
    )


def format_shape(shape: Any) -> str:
    """Prints a shape with its symbolic names: `[batch, 784]`."""
    return "[" + ", ".join(str(extent) for extent in shape) + "]"


def as_struct(shape: Any, dtype: Any) -> jax.ShapeDtypeStruct:
    """Returns JAX's description of an array."""
    return jax.ShapeDtypeStruct(tuple(shape), dtype)
