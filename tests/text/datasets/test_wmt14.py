from __future__ import annotations

import pytest

import proa
from proa.core import InvalidArgumentError, NotFoundError
from tests.text.datasets.archives import pack

FILES = {
    "wmt14/src.dict": "<s>\n<e>\n<unk>\nthe\ncat\n",
    "wmt14/trg.dict": "<s>\n<e>\n<unk>\nle\nchat\n",
    "wmt14/train/train": "the cat\tle chat\nbroken line\n" + "the " * 90 + "\tle\n",
    "wmt14/test/test": "the dog\tle chien\n",
}


def test_pairs(tmp_path):
    path = pack(tmp_path / "wmt14.tgz", FILES)
    data = proa.text.WMT14(path, dict_size=5)
    assert len(data) == 1
    assert [x.tolist() for x in data[0]] == [[0, 3, 4, 1], [0, 3, 4], [3, 4, 1]]
    test = proa.text.WMT14(path, mode="test", dict_size=5)
    assert [x.tolist() for x in test[0]] == [[0, 3, 2, 1], [0, 3, 2], [3, 2, 1]]
    assert data.get_dict()[0]["cat"] == 4
    assert data.get_dict(reverse=True)[1][3] == "le"


def test_wrong_arguments(tmp_path):
    with pytest.raises(InvalidArgumentError, match="`dict_size` is -1"):
        proa.text.WMT14()
    with pytest.raises(NotFoundError, match=r"has no file 'src\.dict'"):
        proa.text.WMT14(pack(tmp_path / "x.tgz", {"x": ""}), dict_size=5)
