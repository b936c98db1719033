from __future__ import annotations

import gzip

import pytest

import proa
from proa.core import NotFoundError
from tests.text.datasets.archives import pack

BASE = "conll05st-release/test.wsj"
WORDS = "The\ncat\nsat\n\n"
ROLES = "-\t(A0*\n-\t*)\nsit\t(V*)\n\n"


@pytest.fixture
def paths(tmp_path):
    files = {
        f"{BASE}/words/test.wsj.words.gz": gzip.compress(WORDS.encode()),
        f"{BASE}/props/test.wsj.props.gz": gzip.compress(ROLES.encode()),
    }
    made = [pack(tmp_path / "tests.tgz", files)]
    texts = ("<unk>\nThe\ncat\nsat\nbos\neos\n", "x\nsit\n", "B-A0\nI-A0\nB-V\nI-V\nO\n")
    for name, text in zip(("words", "verbs", "targets"), texts, strict=True):
        (tmp_path / name).write_text(text)
        made.append(tmp_path / name)
    return made


def test_sentences(paths):
    data = proa.text.Conll05st(*paths)
    assert len(data) == 1
    words, *around, verbs, marks, labels = (x.tolist() for x in data[0])
    assert words == [1, 2, 3]
    assert [x[0] for x in around] == [1, 2, 3, 5, 5]
    assert (verbs, marks, labels) == ([1, 1, 1], [1, 1, 1], [0, 1, 2])
    assert data.get_dict()[2] == {"B-A0": 0, "I-A0": 1, "B-V": 2, "I-V": 3, "O": 4}


def test_missing_files(paths, tmp_path, monkeypatch):
    monkeypatch.setenv("PROA_DATA", str(tmp_path))
    with pytest.raises(NotFoundError, match="conll05st/emb"):
        proa.text.Conll05st(*paths).get_embedding()
    with pytest.raises(NotFoundError, match="has no file"):
        proa.text.Conll05st(pack(tmp_path / "x.tgz", {"x": ""}), *paths[1:])
