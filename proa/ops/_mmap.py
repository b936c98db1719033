"""Tensors read from a file that is mapped into memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, NotFoundError, Tensor, as_dtype, to_tensor


class MmapStorage:
    """The bytes at the start of a file, mapped: what is not asked for is not read.

    Args:
        filename: path of the file.
        nbytes: number of bytes.

    Raises:
        NotFoundError: no such file.
        InvalidArgumentError: the file is shorter.
    """

    def __init__(self, filename: str | os.PathLike[str], nbytes: int) -> None:
        path = Path(filename)
        if not path.is_file():
            raise NotFoundError(
                f"there is no file {str(path)!r}",
                expected="a file to map",
                fix="check the path",
            )
        if not 0 <= nbytes <= path.stat().st_size:
            raise InvalidArgumentError(
                f"`nbytes` is {nbytes} for a file of {path.stat().st_size} bytes",
                expected="as many bytes as the file has, or fewer",
                fix="check which file it is, and whether it was written to its end",
            )
        self._bytes = np.memmap(path, np.uint8, "r", shape=(nbytes,)) if nbytes else np.zeros(0)

    def get_slice(
        self, dtype: Any = "uint8", start: int = 0, stop: int = -1, step: int = 1
    ) -> Tensor:
        """Returns elements as a tensor.

        Args:
            dtype: dtype of the elements in the file.
            start: the first one, counted in elements.
            stop: the one behind the last; -1 takes all.
            step: distance of the ones to take.

        Raises:
            InvalidArgumentError: the slice reaches beyond the file.

        Differs: Paddle 3.3.1 reads one element where `stop` is -1, and foreign memory beyond the
        file.
        """
        wanted = as_dtype(dtype)
        count = self._bytes.size // wanted.itemsize
        end = count if stop == -1 else stop
        if not 0 <= start <= end <= count or step <= 0:
            raise InvalidArgumentError(
                f"the slice [{start}:{stop}:{step}] of {count} elements",
                expected="0 <= start <= stop <= the number of elements, and a step above 0",
                fix="count in elements of the dtype, not in bytes",
            )
        whole = self._bytes[: count * wanted.itemsize].view(wanted.numpy)
        return to_tensor(np.array(whole[start:end:step]))
