"""Feeds of a Program made of samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from proa import static
from proa.core import InvalidArgumentError, Tensor


class DataFeeder:
    """Makes feeds of batches of samples; today a DataLoader gives arrays.

    Args:
        feed_list: inputs of a Program, or their names, in the order of a sample's fields.
        place: not used.
        program: where names are looked up; the default main Program.

    Examples:
        >>> import proa
        >>> from proa.fluid._feeder import DataFeeder
        >>> with proa.static.program_guard(proa.static.Program()):
        ...     inputs = [proa.static.data("x", [None, 2]), proa.static.data("y", [None, 1])]
        >>> feed = DataFeeder(inputs, proa.CPUPlace()).feed([([1, 2], 3), ([4, 5], 6)])
        >>> feed["y"].tolist()
        [[3.0], [6.0]]
    """

    def __init__(self, feed_list: Sequence[Any], place: Any = None, program: Any = None) -> None:
        held = program or static.default_main_program()
        inputs = [held.var(each) if isinstance(each, str) else each for each in feed_list]
        self._inputs: list[tuple[Tensor, bool]] = [
            (t, bool(getattr(t._data.owner, "rows", {}).get(t._data))) for t in inputs
        ]

    def feed(self, iterable: Iterable[Sequence[Any]]) -> dict[str, Any]:
        """Returns what `Executor.run` takes as `feed`.

        Args:
            iterable: samples, each with one entry for each input.

        Raises:
            InvalidArgumentError: a sample has another number of fields.
        """
        samples = [list(sample) for sample in iterable]
        for sample in samples:
            if len(sample) != len(self._inputs):
                raise InvalidArgumentError(
                    f"a sample of {len(sample)} fields",
                    expected=f"{len(self._inputs)}, one per input",
                    fix="make the reader yield a tuple for the feed_list",
                )
        made = {}
        for position, (t, has_rows) in enumerate(self._inputs):
            fields = [np.asarray(sample[position], t._data.dtype) for sample in samples]
            shape = [e if isinstance(e, int) else -1 for e in t._data.shape[1:]]
            if has_rows:
                rows = np.concatenate([field.reshape([len(field), *shape]) for field in fields])
                made[t.name] = static.create_lod_tensor(rows, [[len(field) for field in fields]])
            else:
                made[t.name] = np.stack([field.reshape(shape) for field in fields])
        return made
