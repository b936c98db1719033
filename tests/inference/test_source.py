from __future__ import annotations

import hashlib

import pytest

from proa.inference._source import Source, as_source, file_digest


def test_the_folder_stands_beside_the_model(tmp_path):
    (tmp_path / "net.proa").write_bytes(b"x" * 80)
    (tmp_path / "inference.pdmodel").write_bytes(b"x")
    (tmp_path / "old").mkdir()
    for given, name in (
        ("net.proa", "net.proa.cache"),
        ("net", "net.proa.cache"),
        ("inference.pdmodel", "inference.pdmodel.cache"),
        ("inference", "inference.pdmodel.cache"),
        ("old", "old.cache"),
        ("missing", "missing.cache"),
    ):
        assert as_source(tmp_path / given).cache_folder == tmp_path / name
    assert Source(buffers=(b"", b"")).cache_folder is None


def test_the_digest_is_that_of_all_files(tmp_path):
    program, params = tmp_path / "a.json", tmp_path / "a.pdiparams"
    program.write_bytes(b"{}")
    params.write_bytes(b"1")
    whole = as_source(tmp_path / "a").digest()
    assert whole == as_source(program, params).digest()
    params.write_bytes(b"2")
    assert as_source(tmp_path / "a").digest() != whole


def test_the_digest_of_an_artifact_is_the_one_it_carries(tmp_path):
    file = tmp_path / "a.proa"
    file.write_bytes(b"body" + b"0" * 64)
    assert file_digest(file) == b"0" * 64
    other = tmp_path / "a.pdiparams"
    other.write_bytes(b"1")
    assert file_digest(other) == hashlib.sha256(b"1").digest()


@pytest.mark.parametrize(
    ("content", "suffix"),
    [(b"PK\x03", ".proa"), (b' {"base_code', ".json"), (b"\n\x0c", ".pdmodel")],
)
def test_models_in_memory_are_told_by_their_first_bytes(content, suffix):
    with Source(buffers=(content, b"p"))._files() as (path, params):
        assert path.suffix == suffix
        assert params is not None
        assert params.read_bytes() == b"p"
    assert not path.exists()
