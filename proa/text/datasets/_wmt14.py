"""Sentences in English and French."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np

from proa.core import InvalidArgumentError, NotFoundError
from proa.io import Dataset

from ._files import check_mode, find_file

START, END, UNKNOWN = "<s>", "<e>", "<unk>"
_LONGEST = 80


def translated(source: list[int], target: list[int], start: int, end: int) -> tuple[list[int], ...]:
    """What a translator learns from: the source, the target behind a start, the target's rest."""
    return source, [start, *target], [*target, end]


class WMT14(Dataset):
    """English and French sentences of WMT 2014, the sample with prepared dictionaries.

    Args:
        data_file: path of `wmt14.tgz`; `None` for `wmt14/wmt14.tgz` in the folder that
            `PROA_DATA` names.
        mode: `"train"`, `"test"` or `"gen"`.
        dict_size: words of each dictionary.
        download: kept for Paddle's signature; nothing is downloaded.

    An item is (source, target behind a start, target before an end), arrays of word numbers.

    Raises:
        NotFoundError: no file.
        InvalidArgumentError: an unknown mode, or no `dict_size`.
    """

    def __init__(
        self,
        data_file: str | Path | None = None,
        mode: str = "train",
        dict_size: int = -1,
        download: bool = True,
    ) -> None:
        super().__init__()
        self.mode = check_mode(mode, "train", "test", "gen")
        if dict_size < 1:
            raise InvalidArgumentError(
                f"`dict_size` is {dict_size}",
                expected="a positive number of words",
                fix="pass dict_size=30000, for example",
            )
        self.data_file = find_file(data_file, "wmt14", "wmt14.tgz")
        self.dict_size = dict_size
        with tarfile.open(self.data_file) as archive:
            self.src_dict = self._dictionary(archive, "src.dict")
            self.trg_dict = self._dictionary(archive, "trg.dict")
            folder = f"{self.mode}/{self.mode}"
            self._items = [
                item
                for name in archive.getnames()
                if name.endswith(folder)
                for item in self._pairs(self._lines(archive, name))
            ]

    def _lines(self, archive: tarfile.TarFile, name: str) -> list[str]:
        held = archive.extractfile(name)
        return [] if held is None else held.read().decode("utf-8", "replace").splitlines()

    def _dictionary(self, archive: tarfile.TarFile, name: str) -> dict[str, int]:
        found = [n for n in archive.getnames() if n.endswith(name)]
        if not found:
            raise NotFoundError(
                f"the archive {str(archive.name)!r} has no file {name!r}",
                expected="the archive wmt14.tgz",
                fix="get the archive again",
            )
        lines = self._lines(archive, found[0])[: self.dict_size]
        return {line.strip(): i for i, line in enumerate(lines)}

    def _pairs(self, lines: list[str]) -> list[tuple[list[int], ...]]:
        items = []
        for line in lines:
            parts = line.strip().split("\t")
            if len(parts) != 2:
                continue
            source, target = parts[0].split(), parts[1].split()
            if max(len(source) + 2, len(target)) > _LONGEST:
                continue
            from_words, to_words = self.src_dict, self.trg_dict
            unknown = from_words.get(UNKNOWN, 2)
            numbers = [from_words.get(w, unknown) for w in (START, *source, END)]
            goal = [to_words.get(w, to_words.get(UNKNOWN, 2)) for w in target]
            items.append(translated(numbers, goal, to_words[START], to_words[END]))
        return items

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        return tuple(np.array(part) for part in self._items[idx])

    def __len__(self) -> int:
        return len(self._items)

    def get_dict(self, reverse: bool = False) -> tuple[dict, dict]:
        """The dictionaries of both languages.

        Args:
            reverse: from numbers to words.
        """
        if not reverse:
            return self.src_dict, self.trg_dict
        return tuple({i: w for w, i in d.items()} for d in (self.src_dict, self.trg_dict))  # type: ignore[return-value]
