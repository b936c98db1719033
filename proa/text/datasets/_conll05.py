"""Sentences with the roles of their parts."""

from __future__ import annotations

import gzip
import tarfile
from pathlib import Path

import numpy as np

from proa.core import NotFoundError
from proa.io import Dataset

from ._files import find_file

_WORDS = "conll05st-release/test.wsj/words/test.wsj.words.gz"
_ROLES = "conll05st-release/test.wsj/props/test.wsj.props.gz"
_UNKNOWN = 0


def _packed_lines(archive: tarfile.TarFile, name: str) -> list[str]:
    found = [n for n in archive.getnames() if n.endswith(name)]
    held = archive.extractfile(found[0]) if found else None
    if held is None:
        raise NotFoundError(
            f"the archive {str(archive.name)!r} has no file {name!r}",
            expected="the archive conll05st-tests.tar.gz",
            fix="get the archive again",
        )
    return gzip.decompress(held.read()).decode("utf-8", "replace").splitlines()


def _blocks(lines: list[str]) -> list[list[list[str]]]:
    """Rows of fields, split into sentences at empty lines."""
    blocks: list[list[list[str]]] = [[]]
    for line in lines:
        if line.split():
            blocks[-1].append(line.split())
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _tags(column: list[str]) -> list[str]:
    """Bracketed roles such as `(A0*`, `*`, `*)` as tags: B- begins one, I- goes on, O is none."""
    tags, role = [], ""
    for field in column:
        if "(" in field:
            role = field[field.index("(") + 1 : field.index("*")]
            tags.append(f"B-{role}")
        else:
            tags.append(f"I-{role}" if role else "O")
        if ")" in field:
            role = ""
    return tags


class Conll05st(Dataset):
    """Semantic roles: the test part of CoNLL 2005, an item per sentence and verb.

    Args:
        data_file: path of `conll05st-tests.tar.gz`.
        word_dict_file: path of `wordDict.txt`, a word per line.
        verb_dict_file: path of `verbDict.txt`, a verb per line.
        target_dict_file: path of `targetDict.txt`, a tag per line.
        emb_file: path of `emb`, weights of word embeddings; only its path is kept.
        download: kept for Paddle's signature; nothing is downloaded.

    Paths that are `None` are looked for in `conll05st` in the folder that `PROA_DATA` names. An
    item is nine arrays as long as the sentence: words, the five words around the verb, the
    verb, marks of these five places, tags.

    Raises:
        NotFoundError: a file is missing.
    """

    def __init__(
        self,
        data_file: str | Path | None = None,
        word_dict_file: str | Path | None = None,
        verb_dict_file: str | Path | None = None,
        target_dict_file: str | Path | None = None,
        emb_file: str | Path | None = None,
        download: bool = True,
    ) -> None:
        super().__init__()
        name = "conll05st"
        self.data_file = find_file(data_file, name, "conll05st-tests.tar.gz")
        self.word_dict = self._read(find_file(word_dict_file, name, "wordDict.txt"))
        self.predicate_dict = self._read(find_file(verb_dict_file, name, "verbDict.txt"))
        self.label_dict = self._labels(find_file(target_dict_file, name, "targetDict.txt"))
        self.emb_file = emb_file
        with tarfile.open(self.data_file) as archive:
            words, roles = _packed_lines(archive, _WORDS), _packed_lines(archive, _ROLES)
        self._items = [
            ([row[0] for row in sentence], verb, _tags([row[1 + i] for row in block]))
            for sentence, block in zip(_blocks(words), _blocks(roles), strict=True)
            for i, verb in enumerate(row[0] for row in block if row[0] != "-")
        ]

    @staticmethod
    def _read(path: Path) -> dict[str, int]:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        return {line.strip(): i for i, line in enumerate(lines)}

    @staticmethod
    def _labels(path: Path) -> dict[str, int]:
        tags = {
            line.strip()[2:] for line in path.read_text().splitlines() if line[:2] in ("B-", "I-")
        }
        labels: dict[str, int] = {}
        for tag in sorted(tags):
            labels[f"B-{tag}"] = len(labels)
            labels[f"I-{tag}"] = len(labels)
        labels["O"] = len(labels)
        return labels

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        words, verb, tags = self._items[idx]
        count, place = len(words), tags.index("B-V")
        numbers = [self.word_dict.get(w, _UNKNOWN) for w in words]
        around, marks = [], [0] * count
        for step in range(-2, 3):
            near = place + step
            word = words[near] if 0 <= near < count else ("bos" if near < 0 else "eos")
            around.append([self.word_dict.get(word, _UNKNOWN)] * count)
            if 0 <= near < count:
                marks[near] = 1
        verbs = [self.predicate_dict.get(verb, _UNKNOWN)] * count
        labels = [self.label_dict[tag] for tag in tags]
        return tuple(np.array(part) for part in (numbers, *around, verbs, marks, labels))

    def __len__(self) -> int:
        return len(self._items)

    def get_dict(self) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
        """The dictionaries of words, verbs and tags."""
        return self.word_dict, self.predicate_dict, self.label_dict

    def get_embedding(self) -> Path:
        """Path of the embeddings' file.

        Raises:
            NotFoundError: there is none.
        """
        return find_file(self.emb_file, "conll05st", "emb")
