"""Sentences of the Penn treebank."""

from __future__ import annotations

import tarfile
from collections import Counter
from pathlib import Path

import numpy as np

from proa.core import InvalidArgumentError
from proa.io import Dataset

from ._files import check_mode, find_file, member_lines, numbered

_FOLDER = "./simple-examples/data/ptb.{}.txt"


class Imikolov(Dataset):
    """The Penn treebank as Mikolov prepared it: n-grams, or pairs of shifted sentences.

    Args:
        data_file: path of `simple-examples.tgz`; `None` for `imikolov/simple-examples.tgz` in
            the folder that `PROA_DATA` names.
        data_type: `"NGRAM"` for windows of words, `"SEQ"` for (sentence, next words).
        window_size: words of a window; for `"SEQ"` longer sentences are left out, -1 for none.
        mode: `"train"` or `"test"`.
        min_word_freq: words that occur more often get a number of their own.
        download: kept for Paddle's signature; nothing is downloaded.

    Attributes:
        word_idx: number of each word.

    Raises:
        NotFoundError: no file.
        InvalidArgumentError: an unknown mode or type, or n-grams without a window.
    """

    def __init__(
        self,
        data_file: str | Path | None = None,
        data_type: str = "NGRAM",
        window_size: int = -1,
        mode: str = "train",
        min_word_freq: int = 50,
        download: bool = True,
    ) -> None:
        super().__init__()
        kind = str(data_type).upper()
        if kind not in ("NGRAM", "SEQ") or (kind == "NGRAM" and window_size < 1):
            raise InvalidArgumentError(
                f"`data_type` is {data_type!r} with `window_size` {window_size}",
                expected="'NGRAM' with a window of at least one word, or 'SEQ'",
                fix="correct them",
            )
        self.data_type, self.window_size = kind, window_size
        self.mode = check_mode(mode, "train", "test")
        self.data_file = find_file(data_file, "imikolov", "simple-examples.tgz")
        with tarfile.open(self.data_file) as archive:
            train = member_lines(archive, _FOLDER.format("train"))
            valid = member_lines(archive, _FOLDER.format("valid"))
            test = member_lines(archive, _FOLDER.format("test")) if self.mode == "test" else train
        self.word_idx = self._dictionary([*train, *valid], min_word_freq)
        self.data = [item for line in test for item in self._items(line.split())]

    def _dictionary(self, lines: list[str], least: int) -> dict[str, int]:
        frequency: Counter[str] = Counter()
        for line in lines:
            frequency.update(["<s>", *line.split(), "<e>"])
        # The corpus writes rare words as <unk> itself; that one comes last.
        frequency.pop("<unk>", None)
        words = numbered(frequency, least)
        words["<unk>"] = len(words)
        return words

    def _items(self, words: list[str]) -> list[tuple[object, ...]]:
        unknown = self.word_idx["<unk>"]
        numbers = [self.word_idx.get(word, unknown) for word in ("<s>", *words, "<e>")]
        if self.data_type == "NGRAM":
            last = len(numbers) - self.window_size + 1
            return [tuple(numbers[i : i + self.window_size]) for i in range(last)]
        if 0 < self.window_size < len(numbers) - 1:
            return []
        return [(numbers[:-1], numbers[1:])]

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        return tuple(np.array(part) for part in self.data[idx])

    def __len__(self) -> int:
        return len(self.data)
