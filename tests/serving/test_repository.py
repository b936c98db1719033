"""The folder of models: what is in it, what serves, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from proa.core import NotFoundError, PreconditionError, UnknownNameError
from proa.jit import save
from proa.serving import Repository
from proa.static import InputSpec


def write(folder, factor):
    folder.mkdir(parents=True)
    save(lambda x: x * factor, folder / "model", [InputSpec([None, 3], name="x")])


@pytest.fixture
def repository(tmp_path):
    write(tmp_path / "scale" / "1", 2.0)
    made = Repository(tmp_path)
    made.load_all()
    return made


def result(repository, version=""):
    (array,) = repository.find("scale", version).predictor.run([np.ones((1, 3), "float32")])
    return array.tolist()


def test_folders_that_are_no_versions_are_passed_over(tmp_path):
    for name in ("a/01", "a/0", "a/x", "b/2", "c"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "b" / "3").write_text("a file")
    assert Repository(tmp_path).names() == ["b"]
    with pytest.raises(NotFoundError, match="no folder"):
        Repository(tmp_path / "none")


def test_new_versions_serve_and_bad_ones_leave_the_old(repository, tmp_path):
    old = repository.find("scale")
    assert result(repository) == [[2.0, 2.0, 2.0]]
    write(tmp_path / "scale" / "2", 3.0)
    repository.load("scale")
    assert (result(repository), result(repository, "1")) == ([[3.0] * 3], [[2.0] * 3])
    assert repository.find("scale", "1") is old
    (tmp_path / "scale" / "2" / "model.proa").write_bytes(b"spoilt")
    (tmp_path / "scale" / "3").mkdir()
    with pytest.raises(PreconditionError, match="version 2 was refused(.|\\n)*version 3 was"):
        repository.load("scale")
    assert result(repository) == [[3.0] * 3]
    lines = {line.version: line for line in repository.index()}
    assert [lines[n].ready for n in "123"] == [True, True, False]
    assert "no model in '3'" in lines["3"].reason


def test_what_is_unloaded_is_not_found(repository):
    assert [v.number for v in repository.versions("scale")] == [1]
    with pytest.raises(UnknownNameError, match="no version '7' that is ready"):
        repository.find("scale", "7")
    repository.unload("scale")
    with pytest.raises(UnknownNameError, match="'scale' is not ready"):
        repository.find("scale")
    assert [line.reason for line in repository.index()] == ["unloaded"]
    with pytest.raises(UnknownNameError, match="no model 'other'"):
        repository.load("other")
    repository.load("scale")
    assert result(repository) == [[2.0, 2.0, 2.0]]
