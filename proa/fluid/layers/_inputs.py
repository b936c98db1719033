"""Inputs of static Programs as Paddle 1 declares them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proa import static
from proa.core import Tensor


def data(
    name: str,
    shape: Sequence[int],
    append_batch_size: bool = True,
    dtype: Any = "float32",
    lod_level: int = 0,
    type: Any = None,
    stop_gradient: bool = True,
) -> Tensor:
    """An input of the Program that is being built; today's has the batch in its shape.

    Args:
        name: what it is fed by.
        shape: sizes without the batch.
        append_batch_size: whether an unknown batch is put in front; not where a size is -1.
        dtype: dtype.
        lod_level: how many levels divide the rows into sequences.
        type: not used.
        stop_gradient: whether no gradient is wanted.
    """
    sizes = [-1 if extent is None else extent for extent in shape]
    if append_batch_size and -1 not in sizes:
        sizes = [-1, *sizes]
    made = static.data(name, sizes, dtype, lod_level)
    made.stop_gradient = stop_gradient
    return made
