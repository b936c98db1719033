from __future__ import annotations

import tarfile
from collections import Counter

import pytest

import proa
from proa.core import InvalidArgumentError, NotFoundError
from proa.text.datasets._files import check_mode, find_file, member_lines, numbered
from tests.text.datasets.archives import pack

WHERE = {
    "Conll05st": ({}, "conll05st/conll05st-tests.tar.gz"),
    "Imdb": ({}, "imdb/aclImdb_v1.tar.gz"),
    "Imikolov": ({"window_size": 2}, "imikolov/simple-examples.tgz"),
    "Movielens": ({}, "movielens/ml-1m.zip"),
    "UCIHousing": ({}, "uci_housing/housing.data"),
    "WMT14": ({"dict_size": 5}, "wmt14/wmt14.tgz"),
    "WMT16": ({"src_dict_size": 5, "trg_dict_size": 5}, "wmt16/wmt16.tar.gz"),
}


@pytest.mark.parametrize("name", list(WHERE))
def test_errors_say_where_to_put_the_file(name, tmp_path, monkeypatch):
    monkeypatch.setenv("PROA_DATA", str(tmp_path))
    options, place = WHERE[name]
    with pytest.raises(NotFoundError, match=f"no file (.|\n)*PROA_DATA(.|\n)*{place}"):
        getattr(proa.text, name)(**options)


@pytest.mark.parametrize("name", [n for n in WHERE if n != "Conll05st"])
def test_unknown_modes(name):
    with pytest.raises(InvalidArgumentError, match="`mode` is 'all'"):
        getattr(proa.text, name)(mode="all", **WHERE[name][0])


def test_helpers(tmp_path, monkeypatch):
    monkeypatch.setenv("PROA_DATA", str(tmp_path))
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "file").write_text("x")
    assert find_file(None, "set", "file") == tmp_path / "set" / "file"
    assert check_mode("TRAIN", "train") == "train"
    assert numbered(Counter("aabbbc"), 1) == {"b": 0, "a": 1}
    with tarfile.open(pack(tmp_path / "a.tgz", {"./x": "1\n2"})) as archive:
        assert member_lines(archive, "x") == ["1", "2"]
        with pytest.raises(NotFoundError, match="has no file 'y'"):
            member_lines(archive, "y")
