"""House prices in Boston."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from proa.core import InvalidArgumentError, default_dtype
from proa.io import Dataset

from ._files import check_mode, find_file

_COLUMNS, _TRAIN_SHARE = 14, 0.8


class UCIHousing(Dataset):
    """506 house prices with 13 features, each feature centred and scaled by its range.

    Args:
        data_file: path of `housing.data`; `None` for `uci_housing/housing.data` in the folder
            that `PROA_DATA` names.
        mode: `"train"` for the first 80 % of the rows, `"test"` for the rest.
        download: kept for Paddle's signature; nothing is downloaded.

    An item is (features of shape [13], price of shape [1]) in the default dtype.

    Raises:
        NotFoundError: no file.
        InvalidArgumentError: an unknown mode, or a file of another kind.
    """

    def __init__(
        self, data_file: str | Path | None = None, mode: str = "train", download: bool = True
    ) -> None:
        super().__init__()
        self.mode = check_mode(mode, "train", "test")
        self.data_file = find_file(data_file, "uci_housing", "housing.data")
        try:
            table = np.array(self.data_file.read_text().split(), np.float64)
            table = table.reshape(-1, _COLUMNS)
        except ValueError as error:
            raise InvalidArgumentError(
                f"{str(self.data_file)!r} is no table of {_COLUMNS} columns of numbers",
                expected="the file housing.data",
                fix="get the file again",
            ) from error
        features = table[:, :-1]
        spread = features.max(0) - features.min(0)
        table[:, :-1] = (features - features.mean(0)) / np.where(spread == 0, 1, spread)
        first = int(len(table) * _TRAIN_SHARE)
        rows = table[:first] if self.mode == "train" else table[first:]
        self.data = rows.astype(default_dtype().numpy)

    def __getitem__(self, idx: int) -> tuple[np.ndarray, np.ndarray]:
        return self.data[idx, :-1], self.data[idx, -1:]

    def __len__(self) -> int:
        return len(self.data)
