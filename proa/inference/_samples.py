"""Inputs made up for a model: to measure with, and to prove that rows are independent."""

from __future__ import annotations

from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, is_dimension
from proa.jit import Interface

from ._shape_ranges import Ranges


def batch_symbol(interface: Interface) -> str | None:
    """Returns the name of the unknown size that leads the first input, if there is one."""
    for shape in interface.shapes:
        if shape and is_dimension(shape[0]) and str(shape[0]).isidentifier():
            return str(shape[0])
    return None


def make_inputs(
    interface: Interface, ranges: Ranges, *, batch: int | None = None, seed: int = 0
) -> list[np.ndarray]:
    """Makes inputs with numbers of a fixed seed: normal floats, and ones for integers.

    Sizes come from the ranges, or else from the first golden sample.

    Args:
        interface: inputs of the model.
        ranges: per input, the smallest and largest shape.
        batch: the batch; `None` takes the smallest of a range, or else 1.
        seed: of the numbers.

    Raises:
        InvalidArgumentError: a size is known from neither.
    """
    golden = next(iter(interface.golden_samples()), ([], []))[0]
    symbol = batch_symbol(interface)
    random = np.random.default_rng(seed)
    made = []
    for position, (name, recorded) in enumerate(
        zip(interface.names, interface.shapes, strict=True)
    ):
        if name in ranges:
            known: Any = ranges[name][0]
        elif golden:
            known = golden[position].shape
        else:
            known = [None] * len(recorded)
        shape = [
            _size(extent, size, name)
            if symbol != str(extent)
            else batch or (size if name in ranges else 1)
            for extent, size in zip(recorded, known, strict=True)
        ]
        dtype = np.dtype(interface.dtypes[position])
        if golden and golden[position].size:
            made.append(_like(golden[position], shape, random))
        elif dtype.kind in "biu":
            made.append(np.ones(shape, dtype))
        else:
            made.append(random.standard_normal(shape).astype(dtype))
    return made


def _size(extent: Any, known: int | None, name: str) -> int:
    if not is_dimension(extent):
        return int(extent)
    if known is None:
        raise InvalidArgumentError(
            f"the size {str(extent)!r} of input `{name}` is not known",
            expected="a size to make an input with",
            fix=f"pass samples, call Config.set_input_range({name!r}, min, max), or save the "
            "model with samples=",
        )
    return int(known)


def _like(sample: np.ndarray, shape: list[int], random: np.random.Generator) -> np.ndarray:
    """Rows of a sample, again and again; each of floats a little different."""
    rows = np.resize(sample, shape)
    if rows.dtype.kind in "biu" or not rows.size:
        return rows
    factor = 1 + 0.1 * random.standard_normal(rows.shape[:1] + (1,) * (rows.ndim - 1))
    return (rows * factor).astype(sample.dtype)
