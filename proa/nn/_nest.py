"""Tensors in lists, tuples and dictionaries."""

from __future__ import annotations

from typing import Any


def map_nest(function: Any, nest: Any, *others: Any) -> Any:
    """Calls a function on the leaves at the same places of nests of one structure.

    Args:
        function: called with a leaf of each nest.
        nest: a leaf, or a list, tuple, named tuple or dictionary of nests.
        others: nests of the same structure.

    Returns:
        A nest of the results, of the kind of `nest`.
    """
    if isinstance(nest, dict):
        return {key: map_nest(function, nest[key], *[o[key] for o in others]) for key in nest}
    if isinstance(nest, list | tuple):
        made = [map_nest(function, *parts) for parts in zip(nest, *others, strict=True)]
        return type(nest)(*made) if hasattr(nest, "_fields") else type(nest)(made)
    return function(nest, *others)


def first_leaf(nest: Any) -> Any:
    """Returns the first leaf of a nest."""
    while isinstance(nest, list | tuple | dict):
        nest = next(iter(nest.values() if isinstance(nest, dict) else nest))
    return nest
