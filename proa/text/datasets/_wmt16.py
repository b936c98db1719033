"""Sentences in English and German."""

from __future__ import annotations

import tarfile
from collections import Counter
from pathlib import Path

import numpy as np

from proa.core import InvalidArgumentError
from proa.io import Dataset

from ._files import check_mode, find_file, member_lines
from ._wmt14 import END, START, UNKNOWN, translated


class WMT16(Dataset):
    """English and German sentences of WMT 2016 (Multi30K), with dictionaries made here.

    Args:
        data_file: path of `wmt16.tar.gz`; `None` for `wmt16/wmt16.tar.gz` in the folder that
            `PROA_DATA` names.
        mode: `"train"`, `"test"` or `"val"`.
        src_dict_size: words of the source's dictionary, three marks included.
        trg_dict_size: words of the target's dictionary, three marks included.
        lang: the source, `"en"` or `"de"`.
        download: kept for Paddle's signature; nothing is downloaded.

    An item is (source, target behind a start, target before an end), arrays of word numbers.

    Raises:
        NotFoundError: no file.
        InvalidArgumentError: an unknown mode or language, or sizes that are not positive.
    """

    def __init__(
        self,
        data_file: str | Path | None = None,
        mode: str = "train",
        src_dict_size: int = -1,
        trg_dict_size: int = -1,
        lang: str = "en",
        download: bool = True,
    ) -> None:
        super().__init__()
        self.mode = check_mode(mode, "train", "test", "val")
        if lang not in ("en", "de") or min(src_dict_size, trg_dict_size) < 1:
            raise InvalidArgumentError(
                f"`lang` {lang!r}, dictionaries of {src_dict_size} and {trg_dict_size} words",
                expected="'en' or 'de', and positive sizes",
                fix="pass src_dict_size=10000, trg_dict_size=10000, for example",
            )
        self.lang = lang
        self.data_file = find_file(data_file, "wmt16", "wmt16.tar.gz")
        with tarfile.open(self.data_file) as archive:
            train = [line.split("\t") for line in member_lines(archive, "wmt16/train")]
            lines = [line.split("\t") for line in member_lines(archive, f"wmt16/{self.mode}")]
        first = int(lang == "de")
        self.src_dict = self._dictionary(train, first, src_dict_size)
        self.trg_dict = self._dictionary(train, 1 - first, trg_dict_size)
        self._items = [self._item(p[first], p[1 - first]) for p in lines if len(p) == 2]

    def _dictionary(self, pairs: list[list[str]], column: int, size: int) -> dict[str, int]:
        frequency = Counter(word for p in pairs if len(p) == 2 for word in p[column].split())
        most = sorted(frequency.items(), key=lambda pair: pair[1], reverse=True)
        words = [START, END, UNKNOWN, *[word for word, _ in most]]
        return {word: i for i, word in enumerate(words[: max(size, 3)])}

    def _item(self, source: str, target: str) -> tuple[list[int], ...]:
        unknown = self.src_dict[UNKNOWN]
        numbers = [self.src_dict.get(w, unknown) for w in (START, *source.split(), END)]
        goal = [self.trg_dict.get(w, unknown) for w in target.split()]
        return translated(numbers, goal, self.trg_dict[START], self.trg_dict[END])

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        return tuple(np.array(part) for part in self._items[idx])

    def __len__(self) -> int:
        return len(self._items)

    def get_dict(self, lang: str, reverse: bool = False) -> dict:
        """The dictionary of a language.

        Args:
            lang: `"en"` or `"de"`.
            reverse: from numbers to words.
        """
        words = self.src_dict if lang == self.lang else self.trg_dict
        return {i: word for word, i in words.items()} if reverse else words
