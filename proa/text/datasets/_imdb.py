"""Reviews of films, good and bad."""

from __future__ import annotations

import re
import string
import tarfile
from collections import Counter
from pathlib import Path

import numpy as np

from proa.io import Dataset

from ._files import check_mode, find_file, numbered

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_NAME = re.compile(r"aclImdb/(train|test)/(pos|neg)/.*\.txt$")


class Imdb(Dataset):
    """50,000 reviews (Maas et al., 2011) as numbers of words; label 0 is good, 1 is bad.

    Args:
        data_file: path of `aclImdb_v1.tar.gz`; `None` for `imdb/aclImdb_v1.tar.gz` in the
            folder that `PROA_DATA` names.
        mode: `"train"` or `"test"`.
        cutoff: words that occur more often than this get a number of their own; all others
            share the last one, `word_idx["<unk>"]`.
        download: kept for Paddle's signature; nothing is downloaded.

    Attributes:
        word_idx: number of each word.

    Raises:
        NotFoundError: no file.
        InvalidArgumentError: an unknown mode.
    """

    def __init__(
        self,
        data_file: str | Path | None = None,
        mode: str = "train",
        cutoff: int = 150,
        download: bool = True,
    ) -> None:
        super().__init__()
        self.mode = check_mode(mode, "train", "test")
        self.data_file = find_file(data_file, "imdb", "aclImdb_v1.tar.gz")
        frequency: Counter[str] = Counter()
        reviews: dict[str, list[list[str]]] = {"pos": [], "neg": []}
        # One pass in the archive's own order: seeking in a compressed file costs a pass each.
        with tarfile.open(self.data_file) as archive:
            for member in archive:
                found = _NAME.search(member.name)
                held = archive.extractfile(member) if found else None
                if found is None or held is None:
                    continue
                text = held.read().decode("utf-8", "replace").rstrip("\r\n")
                words = text.translate(_PUNCTUATION).lower().split()
                frequency.update(words)
                if found.group(1) == self.mode:
                    reviews[found.group(2)].append(words)
        self.word_idx = numbered(frequency, cutoff)
        unknown = self.word_idx["<unk>"] = len(self.word_idx)
        self.docs = [
            [self.word_idx.get(word, unknown) for word in words]
            for kind in ("pos", "neg")
            for words in reviews[kind]
        ]
        self.labels = [0] * len(reviews["pos"]) + [1] * len(reviews["neg"])

    def __getitem__(self, idx: int) -> tuple[np.ndarray, np.ndarray]:
        return np.array(self.docs[idx]), np.array([self.labels[idx]])

    def __len__(self) -> int:
        return len(self.docs)
