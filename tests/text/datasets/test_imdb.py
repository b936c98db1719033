from __future__ import annotations

import proa
from tests.text.datasets.archives import pack


def test_reviews(tmp_path):
    files = {
        "aclImdb/train/pos/0.txt": "Good, good film!",
        "aclImdb/train/neg/0.txt": "bad film\n",
        "aclImdb/test/neg/1.txt": "film",
        "aclImdb/imdb.vocab": "ignored",
    }
    path = pack(tmp_path / "imdb.tgz", files)
    data = proa.text.Imdb(path, cutoff=1)
    assert data.word_idx == {"film": 0, "good": 1, "<unk>": 2}
    assert [(d.tolist(), label.tolist()) for d, label in (data[0], data[1])] == [
        ([1, 1, 0], [0]),
        ([2, 0], [1]),
    ]
    assert len(proa.text.Imdb(path, mode="test", cutoff=1)) == 1
