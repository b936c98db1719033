from __future__ import annotations

import pytest

import proa
from proa.core import InvalidArgumentError
from tests.text.datasets.archives import pack

FILES = {
    "wmt16/train": "a cat a\teine katze\na\teine\n",
    "wmt16/val": "a dog\tein hund\n",
    "wmt16/test": "cat\tkatze\n",
}


def test_pairs(tmp_path):
    path = pack(tmp_path / "wmt16.tgz", FILES)
    data = proa.text.WMT16(path, src_dict_size=5, trg_dict_size=4)
    assert data.src_dict == {"<s>": 0, "<e>": 1, "<unk>": 2, "a": 3, "cat": 4}
    assert [x.tolist() for x in data[0]] == [[0, 3, 4, 3, 1], [0, 3, 2], [3, 2, 1]]
    turned = proa.text.WMT16(path, "test", 5, 5, lang="de")
    assert [x.tolist() for x in turned[0]] == [[0, 4, 1], [0, 4], [4, 1]]
    assert turned.get_dict("de", reverse=True)[4] == "katze"
    assert turned.get_dict("en")["a"] == 3


def test_wrong_arguments():
    with pytest.raises(InvalidArgumentError, match="`lang` 'fr'"):
        proa.text.WMT16(src_dict_size=5, trg_dict_size=5, lang="fr")
