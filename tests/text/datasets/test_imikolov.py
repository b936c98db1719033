from __future__ import annotations

import pytest

import proa
from proa.core import InvalidArgumentError
from tests.text.datasets.archives import pack


@pytest.fixture
def path(tmp_path):
    names = {
        "train": " a b a \n a <unk> \n",
        "valid": " b \n",
        "test": " a c \n",
    }
    files = {f"./simple-examples/data/ptb.{n}.txt": text for n, text in names.items()}
    return pack(tmp_path / "ptb.tgz", files)


def test_windows(path):
    data = proa.text.Imikolov(path, window_size=3, min_word_freq=1)
    assert data.word_idx == {"<e>": 0, "<s>": 1, "a": 2, "b": 3, "<unk>": 4}
    assert [[int(n) for n in data[i]] for i in range(len(data))] == [
        *([1, 2, 3], [2, 3, 2], [3, 2, 0]),
        *([1, 2, 4], [2, 4, 0]),
    ]


def test_sentences(path):
    data = proa.text.Imikolov(path, "seq", mode="test", min_word_freq=1)
    assert [part.tolist() for part in data[0]] == [[1, 2, 4], [2, 4, 0]]
    assert len(proa.text.Imikolov(path, "SEQ", 3, min_word_freq=1)) == 1


def test_wrong_types(path):
    with pytest.raises(InvalidArgumentError, match="`window_size` -1"):
        proa.text.Imikolov(path)
