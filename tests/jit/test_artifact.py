from __future__ import annotations

import json
import os
import zipfile

import ml_dtypes
import numpy as np
import pytest

import proa
from proa.core import ArtifactError, InvalidArgumentError, NotFoundError
from proa.jit import read_artifact, save, write_artifact
from proa.static import InputSpec


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    proa.seed(0)
    net = proa.nn.Linear(4, 2)
    path = tmp_path_factory.mktemp("artifact") / "net"
    return save(net, path, [InputSpec([None, 4], name="x")], samples=[proa.ones([2, 4])])


def test_an_artifact_holds_programs_weights_and_samples(saved):
    artifact = read_artifact(saved)
    assert list(artifact.programs) == ["main"]
    assert sorted(artifact.weights) == ["bias", "weight"]
    assert artifact.golden["0/output/0"].shape == (2, 2)
    assert artifact.manifest["inputs"] == [{"name": "x", "dtype": "float32", "shape": ["batch", 4]}]


def test_equal_models_are_equal_files(saved, tmp_path):
    proa.seed(0)
    net = proa.nn.Linear(4, 2)
    spec = [InputSpec([None, 4], name="x")]
    again = save(net, tmp_path / "again", spec, samples=[proa.ones([2, 4])])
    assert again.read_bytes() == saved.read_bytes()


def test_any_altered_byte_is_noticed(saved, tmp_path):
    content = saved.read_bytes()
    target = tmp_path / "altered.proa"
    for position in np.linspace(0, len(content) - 1, 40).astype(int):
        altered = bytearray(content)
        altered[position] ^= 1
        target.write_bytes(altered)
        with pytest.raises(ArtifactError, match="altered|truncated"):
            read_artifact(target)


@pytest.mark.parametrize("length", [0, 1, 100, -1, -80])
def test_truncated_files_are_refused(saved, tmp_path, length):
    target = tmp_path / "short.proa"
    target.write_bytes(saved.read_bytes()[:length])
    with pytest.raises(ArtifactError, match="truncated or not a Proa artifact"):
        read_artifact(target)


def test_bad_paths_are_named(tmp_path):
    with pytest.raises(NotFoundError, match="no artifact at"):
        read_artifact(tmp_path / "none")
    with pytest.raises(InvalidArgumentError, match="`path` is ''"):
        read_artifact("")


def test_nothing_in_the_file_is_code(saved):
    with zipfile.ZipFile(saved) as archive:
        names = archive.namelist()
        assert all(name.endswith((".json", ".safetensors")) for name in names)
        json.loads(archive.read("program.json"))


def test_a_failed_write_leaves_the_old_file_and_no_rubbish(saved, tmp_path, monkeypatch):
    target = tmp_path / "file.proa"
    target.write_bytes(b"old")

    def fail(*_):
        raise OSError("disk full")

    artifact = read_artifact(saved)
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_artifact(artifact, target)
    assert target.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["file.proa"]


def test_weights_of_every_dtype_and_rank_survive(saved, tmp_path):
    artifact = read_artifact(saved)
    weights = {
        "half": np.arange(3).astype(ml_dtypes.bfloat16),
        "number": np.float32(1.5),
        "empty": np.zeros((0, 2), np.int8),
    }
    artifact.weights.update(weights)
    again = read_artifact(write_artifact(artifact, tmp_path / "again")).weights
    for name, array in weights.items():
        assert (again[name].dtype, again[name].shape) == (array.dtype, array.shape)
        np.testing.assert_array_equal(again[name], array)
