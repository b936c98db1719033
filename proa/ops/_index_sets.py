"""Membership, combinations and products of sets of values."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import InvalidArgumentError, Tensor, composite, is_dimension, op

from ._manipulate_join import stack
from ._promote import promote

if TYPE_CHECKING:
    from proa.core._types import Array


@op(differentiable=False)
def isin(x: Array, test_x: Array, assume_unique: bool = False, invert: bool = False):
    """Whether each element occurs among some values.

    Args:
        x: the tensor.
        test_x: the values.
        assume_unique: kept for Paddle's signature; the result does not depend on it.
        invert: whether each element does not occur.

    Returns:
        A boolean tensor of the shape of `x`.

    Examples:
        >>> import proa
        >>> proa.isin(proa.to_tensor([1, 2, 3]), proa.to_tensor([2])).tolist()
        [False, True, False]
    """
    x, test_x = promote(x, test_x)
    return jnp.isin(x, test_x, invert=invert)


def _need_vector(x: Any, name: str) -> None:
    if x.ndim != 1:
        raise InvalidArgumentError(
            f"`{name}` of a tensor of shape {list(x.shape)}", expected="a vector", fix="flatten it"
        )


@op
def combinations(x: Array, r: int = 2, with_replacement: bool = False):
    """All ways to choose r elements of a vector, in the order of their places.

    Args:
        x: a vector.
        r: how many are chosen.
        with_replacement: whether an element may be chosen again.

    Returns:
        A tensor with a row per choice.

    Raises:
        InvalidArgumentError: not a vector, or a negative `r`.

    Examples:
        >>> import proa
        >>> proa.combinations(proa.to_tensor([1, 2, 3])).tolist()
        [[1, 2], [1, 3], [2, 3]]
    """
    _need_vector(x, "combinations")
    if r < 0 or is_dimension(x.shape[0]):
        raise InvalidArgumentError(
            f"`combinations` of a vector of extent {x.shape[0]} with r={r}",
            expected="a known extent and r >= 0",
            fix="give the input a fixed extent",
        )
    if not r:
        return jnp.zeros((0,), x.dtype)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(choose(range(x.shape[0]), r)), np.int64).reshape(-1, r)
    return x[places]


@op(name="cartesian_prod", public=False)
def _cartesian_prod(x: Sequence[Array]):
    arrays = promote(*x)
    grids = jnp.meshgrid(*arrays, indexing="ij")
    return tuple(g.reshape(-1) for g in grids)


@composite
def cartesian_prod(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """All combinations of one element of each vector.

    Args:
        x: vectors.

    Returns:
        A tensor with a row per combination; the vector itself when there is only one.

    Raises:
        InvalidArgumentError: none, or one that is no vector.

    Examples:
        >>> import proa
        >>> proa.cartesian_prod([proa.to_tensor([1, 2]), proa.to_tensor([3, 4])]).tolist()
        [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    if not x:
        raise InvalidArgumentError(
            "`cartesian_prod` got no tensors", expected="at least one", fix="check the list"
        )
    for vector in x:
        _need_vector(vector, "cartesian_prod")
    columns = _cartesian_prod(list(x))
    return columns[0] if len(columns) == 1 else stack(columns, axis=1)
