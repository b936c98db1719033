"""Dataclasses among arguments and results: opened into their fields, as dicts would be."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax

from proa.core import ProgramError, Tensor
from proa.program import Value


class _Opened:
    """A dataclass instance as a node of a tree; put together again, it is the instance."""

    def __init__(self, instance: Any) -> None:
        self.cls = type(instance)
        self.names = tuple([f.name for f in dataclasses.fields(instance)])
        self.values = [open_dataclasses(getattr(instance, name)) for name in self.names]


def _flatten(opened: _Opened) -> tuple[list[Any], Any]:
    return opened.values, (opened.cls, opened.names)


def _put_together(kind: Any, values: Any) -> Any:
    cls, names = kind
    made = object.__new__(cls)
    for name, value in zip(names, values, strict=True):
        object.__setattr__(made, name, value)
    return made


jax.tree_util.register_pytree_node(_Opened, _flatten, _put_together)


def is_dataclass(value: Any) -> bool:
    """Whether a value is an instance of a dataclass."""
    return hasattr(type(value), "__dataclass_fields__")


def open_dataclasses(tree: Any) -> Any:
    """Replaces the dataclass instances in a tree by nodes of their fields."""
    return jax.tree_util.tree_map(lambda v: _Opened(v) if is_dataclass(v) else v, tree)


def flatten_tree(tree: Any) -> tuple[list[Any], Any]:
    """Flattens a tree into leaves and a structure; dataclasses are trees too."""
    leaves, structure = jax.tree_util.tree_flatten(tree)
    if any(map(is_dataclass, leaves)):
        leaves, structure = jax.tree_util.tree_flatten(open_dataclasses(tree))
    return leaves, structure


def refuse_hidden_tensors(leaves: list[Any]) -> None:
    """Refuses results that hold tensors where nobody would renew them.

    Raises:
        ProgramError: an object among the results has such an attribute.
    """
    for leaf in leaves:
        fields = {} if isinstance(leaf, Tensor) else getattr(leaf, "__dict__", {})
        for name, value in fields.items():
            if isinstance(value, Tensor) and isinstance(value._data, Value):
                raise ProgramError(
                    f"the function returns a {type(leaf).__name__} with a tensor in `{name}`",
                    expected="tensors in lists, tuples, dicts or dataclasses",
                    fix=f"make {type(leaf).__name__} a dataclass, or return its tensors",
                )
