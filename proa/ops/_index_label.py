"""Ops on class labels and other integers that name things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import InvalidArgumentError, Tensor, composite, concrete, is_dimension, op

from ._host_checks import check_range

if TYPE_CHECKING:
    from proa.core._types import Array, Index


def _check_labels(x: Any, num_classes: int) -> None:
    check_range(x, num_classes, "x", "one_hot", "labels")


@op(name="one_hot", check=_check_labels, differentiable=False, public=False)
def _one_hot(x: Index, num_classes: int):
    return (x[..., None] == jnp.arange(num_classes, dtype=x.dtype)).astype(jnp.float32)


@composite
def one_hot(x: Tensor, num_classes: int = -1, name: str | None = None) -> Tensor:
    """Gives each label a vector that is 1 at the label and 0 elsewhere.

    Args:
        x: integer tensor of labels.
        num_classes: number of classes; by default the largest label plus 1, which needs
            the labels' values.

    Returns:
        A float32 tensor of shape `x.shape + [num_classes]`.

    Raises:
        OutOfRangeError: a label outside [0, num_classes) (compiled code gives zeros).

    Examples:
        >>> import proa
        >>> proa.nn.functional.one_hot(proa.to_tensor([1, 0]), 3).tolist()
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    """
    count = num_classes if is_dimension(num_classes) else int(num_classes)
    if count == -1:
        labels = np.asarray(concrete(x, "one_hot without `num_classes`"))
        count = int(labels.max()) + 1 if labels.size and labels.dtype.kind in "iu" else 0
    if not is_dimension(count) and count < 0:
        raise InvalidArgumentError(
            f"`num_classes` is {num_classes}",
            expected="a positive number, or -1 to count",
            fix="give the number of classes",
        )
    return _one_hot(x, count)


def _check_global(input: Any, index_num: int, **_: Any) -> None:
    check_range(input, index_num, "input", "shard_index", "a global index")


@op(check=_check_global, differentiable=False)
def shard_index(input: Index, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1):
    """Renumbers global indices within one of several equal ranges.

    The range of shard i holds the indices from `i * size` on, with
    `size = ceil(index_num / nshards)`.

    Args:
        input: integer tensor of indices in [0, index_num).
        index_num: number of global indices.
        nshards: number of ranges.
        shard_id: the range that is asked for.
        ignore_value: what indices of other ranges become.

    Raises:
        InvalidArgumentError: `shard_id` is not in [0, nshards).
        OutOfRangeError: an index is not in [0, index_num).
    """
    if not 0 <= shard_id < nshards:
        raise InvalidArgumentError(
            f"`shard_id` is {shard_id} of {nshards} shards",
            expected=f"a shard in [0, {nshards})",
            fix="count shards from 0",
        )
    size = -(-index_num // nshards)
    return jnp.where(input // size == shard_id, input % size, ignore_value).astype(input.dtype)


def _check_choice(inputs: Sequence[Any], index: Any) -> None:
    check_range(index, len(inputs), "index", "multiplex", "the number of a candidate")


@op(check=_check_choice)
def multiplex(inputs: Sequence[Array], index: Index):
    """Takes each row from one of several tensors.

    Args:
        inputs: tensors of one shape.
        index: integer tensor of shape [rows, 1] or [rows]: which tensor to take a row from.

    Raises:
        OutOfRangeError: an index outside [0, number of tensors).
    """
    chosen = index.reshape(-1)
    return jnp.stack(inputs)[chosen, jnp.arange(chosen.shape[0])]
