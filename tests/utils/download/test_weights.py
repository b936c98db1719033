from __future__ import annotations

import hashlib

import pytest

from proa.core import InvalidArgumentError, NotFoundError
from proa.utils.download import get_weights_path_from_url, weight_folders

URL = "https://example.org/models/net%20one.pdparams?version=2"


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("PROA_DATA", str(tmp_path))
    made = tmp_path / "weights" / "net one.pdparams"
    made.parent.mkdir()
    made.write_bytes(b"weights")
    return made


def test_a_file_is_found_by_the_name_in_the_url(file):
    assert weight_folders()[0] == file.parent
    assert get_weights_path_from_url(URL) == str(file)
    assert get_weights_path_from_url(URL, hashlib.md5(b"weights").hexdigest().upper()) == str(file)
    assert get_weights_path_from_url(str(file)) == str(file)
    assert get_weights_path_from_url(file.as_uri()) == str(file)


def test_another_checksum_is_refused(file):
    with pytest.raises(InvalidArgumentError, match="has the MD5"):
        get_weights_path_from_url(URL, "0" * 32)


def test_a_missing_file_is_told_with_its_place(file):
    with pytest.raises(
        NotFoundError, match=r"'other\.pdparams' is not on this machine(.|\n)*put it there"
    ):
        get_weights_path_from_url("https://example.org/other.pdparams")
