"""Names for sizes inside of sizes, while the shapes of one call are found.

Each window with a stride makes a size of the one before: `floordiv(h - 3, 2) + 1`, then the same of
that. JAX decides questions on such expressions (is it zero, is it smaller) by bounds of every part
of them, which takes time exponential in the depth: a net of ten such layers never ended. So a
quotient of quotients gets a name for as long as one op is asked for its shapes; what it gives
is said in terms of the name, which is replaced after that. Parts that are equal get one name, so
sizes keep what they have in common.

A named size counts as a large one, as in `_sampled.py`: it is greater than 64 to JAX. A Program
that runs computes with the sizes that there are.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import jax

from proa.core import is_dimension

from ._dims import (
    as_struct,
    computed_dimension,
    dimension_names,
    evaluate_dimension,
    make_dimension,
    parsed,
)

#: A named size is this and a symbolic dimension, which is 1 at least.
_LEAST = 64
#: What is named; remainders and minima may be small, so they keep what they are.
_NAMED = frozenset({"floordiv", "max", "non_negative"})


class _Names:
    """Names of the nested sizes in one call."""

    def __init__(self) -> None:
        self._by_text: dict[str, str] = {}

    def shorten(self, value: Any) -> Any:
        """Returns (nested tuples of) sizes with names in place of nested ones."""
        if isinstance(value, tuple):
            return tuple([self.shorten(item) for item in value])
        if not is_dimension(value):
            return value
        text = ast.unparse(_Shorter(self._by_text).visit(_copied(str(value))))
        return _meant(text) if any(n in text for n in self._by_text.values()) else value

    def lengthen(self, size: Any) -> Any:
        """Returns a size with what the names stand for."""
        found = dimension_names(size)
        if not found.intersection(self._by_text.values()):
            return size
        held: dict[str, Any] = {name: make_dimension(name) for name in found}
        held |= {name: _meant(text) - _LEAST for text, name in self._by_text.items()}
        return evaluate_dimension(size, held)


@lru_cache(maxsize=4096)
def _meant(text: str) -> Any:
    return computed_dimension(text)


def _copied(text: str) -> ast.expr:
    return ast.parse(text.replace("^", "**"), mode="eval").body


class _Shorter(ast.NodeTransformer):
    """Replaces quotients that hold another one."""

    def __init__(self, by_text: dict[str, str]) -> None:
        self.by_text = by_text

    def visit_Call(self, node: ast.Call) -> ast.AST:
        inner = [n for a in node.args for n in ast.walk(a) if isinstance(n, ast.Call)]
        if not inner:
            return node
        if getattr(node.func, "id", "") not in _NAMED:
            return self.generic_visit(node)
        text = ast.unparse(node)
        name = self.by_text.setdefault(text, f"nested_size_{len(self.by_text)}")
        return ast.BinOp(ast.Name(name), ast.Add(), ast.Constant(_LEAST))


def _has_nested(values: Sequence[Any]) -> bool:
    """Whether a size of a size stands in (nested tuples of) sizes."""
    for value in values:
        if isinstance(value, tuple):
            if _has_nested(value):
                return True
        elif is_dimension(value):
            calls = [n for n in ast.walk(parsed(str(value))) if isinstance(n, ast.Call)]
            if any(isinstance(n, ast.Call) for c in calls for a in c.args for n in ast.walk(a)):
                return True
    return False


def named_shapes(op: Any, key: Any, structs: Sequence[Any]) -> Any | None:
    """Returns an op's outputs as `eval_shape` would.

    `None` where no size holds another, or where the names leave a question open.
    """
    shapes = [each.shape for each in structs]
    if not _has_nested((*shapes, key) if isinstance(key, tuple) else shapes):
        return None
    names = _Names()
    short = [as_struct(names.shorten(each.shape), each.dtype) for each in structs]
    try:
        out = jax.eval_shape(op.array_fn(names.shorten(key)), *short)
    except Exception:
        return None
    return jax.tree_util.tree_map(
        lambda each: as_struct([names.lengthen(size) for size in each.shape], each.dtype), out
    )
