"""Batch sizes rounded up, so that few shapes compile; only where rows are independent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from proa.core import PreconditionError, is_dimension
from proa.jit import Interface, largest_difference
from proa.program import dimension_names

from ._samples import batch_symbol, make_inputs
from ._shape_ranges import Ranges

_Run = Callable[[Sequence[Any]], Sequence[Any]]


class Buckets:
    """Pads the batch of inputs and cuts the outputs.

    Args:
        sizes: the batch sizes that are used, ascending, or `"powers of two"`.
        interface: inputs and outputs of the model.

    Raises:
        PreconditionError: a batch is not the first size of all outputs and nothing else.
    """

    def __init__(self, sizes: Any, interface: Interface) -> None:
        self._sizes = sizes
        symbol = batch_symbol(interface)
        if symbol is None:
            raise _refused(
                "no input has an unknown first size", "save it with InputSpec([None, ...])"
            )
        self.symbol = symbol
        self._padded = [_leads(shape, symbol) for shape in interface.shapes]
        shapes = [
            (n, s, p)
            for n, s, p in zip(interface.names, interface.shapes, self._padded, strict=True)
        ]
        for name, shape, leads in shapes:
            if symbol in dimension_names(tuple(shape[1:] if leads else shape)):
                raise _refused(f"input `{name}` has the batch in another place")
        for entry in interface.outputs:
            first, *rest = entry["shape"] or [None]
            if first != symbol or any(symbol in str(extent) for extent in rest):
                raise _refused(f"output `{entry['name']}` has the shape {entry['shape']}")

    def target(self, batch: int) -> int:
        """Returns the batch size that a batch is padded to; an empty one stays."""
        if batch == 0:
            return 0
        if isinstance(self._sizes, str):
            return 1 << (batch - 1).bit_length()
        largest = self._sizes[-1]
        if batch > largest:
            return -(-batch // largest) * largest
        return next(size for size in self._sizes if size >= batch)

    def run(self, arrays: Sequence[Any], batch: int, run: _Run) -> Sequence[Any]:
        """Runs padded inputs and cuts the outputs."""
        target = self.target(batch)
        if target == batch:
            return run(arrays)
        padded = [
            self._pad(np.asarray(array), target - batch) if leads else array
            for array, leads in zip(arrays, self._padded, strict=True)
        ]
        return [np.asarray(output)[:batch] for output in run(padded)]

    @staticmethod
    def _pad(array: np.ndarray, count: int) -> np.ndarray:
        # The first row again: whatever the model wants of a row, this one has.
        return np.concatenate([array, np.repeat(array[:1], count, axis=0)])

    def prove(self, interface: Interface, ranges: Ranges, run: _Run) -> float:
        """Compares padded runs, with several kinds of rows in the padding, with exact ones.

        Returns:
            The largest difference, in units of the tolerance of golden samples.

        Raises:
            PreconditionError: what stands in other rows changes a row.
        """
        batch = 3
        exact = make_inputs(interface, ranges, batch=batch)
        expected = [np.asarray(output) for output in run(exact)]
        worst = 0.0
        for kind in ("the first row", "zeros", "large numbers", "other rows"):
            filled = [
                np.concatenate([array, _filling(array, kind, max(self.target(batch), 4) - batch)])
                if leads
                else array
                for array, leads in zip(exact, self._padded, strict=True)
            ]
            got = [np.asarray(output)[:batch] for output in run(filled)]
            worst = max(worst, largest_difference(got, expected))
            if worst > 1.0:
                raise _refused(
                    f"with {kind} as further rows, the outputs of the first {batch} change"
                )
        return worst


def _filling(array: np.ndarray, kind: str, count: int) -> np.ndarray:
    """Rows for the padding; integers stay among those that are there."""
    rows = np.resize(array, (count, *array.shape[1:]))
    if kind == "the first row":
        return np.repeat(array[:1], count, axis=0)
    if array.dtype.kind in "biu":
        return rows[::-1] if kind != "zeros" else np.zeros_like(rows)
    return {
        "zeros": np.zeros_like(rows),
        "large numbers": (rows * 100 + 1000).astype(array.dtype),
        "other rows": (-3 * rows[::-1]).astype(array.dtype),
    }[kind]


def _leads(shape: Sequence[Any], symbol: str) -> bool:
    return bool(shape) and is_dimension(shape[0]) and str(shape[0]) == symbol


def _refused(why: str, fix: str = "call set_batch_buckets(None)") -> PreconditionError:
    return PreconditionError(
        f"batches cannot be padded for this model: {why}",
        expected="a model whose rows do not depend on each other",
        fix=fix,
    )
