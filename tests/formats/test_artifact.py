from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from concurrent.futures import ThreadPoolExecutor

import ml_dtypes
import numpy as np
import pytest

import proa
from proa.core import ArtifactError, InvalidArgumentError, InvalidTypeError, NotFoundError
from proa.formats import check_artifact, read_artifact, write_artifact
from proa.jit import save
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
        for look in (read_artifact, check_artifact):
            with pytest.raises(ArtifactError, match="altered|truncated"):
                look(target)
    check_artifact(saved)


@pytest.mark.parametrize("length", [0, 1, 100, -1, -80])
def test_truncated_files_are_refused(saved, tmp_path, length):
    target = tmp_path / "short.proa"
    target.write_bytes(saved.read_bytes()[:length])
    for look in (read_artifact, check_artifact):
        with pytest.raises(ArtifactError, match="truncated or not a Proa artifact"):
            look(target)


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


def forge(saved, target, change):
    """Writes the artifact with other members, under a hash that fits."""
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression=members.pop("", zipfile.ZIP_STORED)) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.comment = b"proa-sha256:" + b"0" * 64
    body = buffer.getvalue()[: -len(archive.comment)]
    digest = hashlib.sha256(body).hexdigest().encode()
    target.write_bytes(body + b"proa-sha256:" + digest)
    return target


def edit(name, change):
    def apply(members):
        data = json.loads(members[name])
        change(data)
        members[name] = json.dumps(data).encode()

    return apply


FORGERIES = {
    "a member is missing": lambda m: m.pop("weights.safetensors"),
    "no JSON": lambda m: m.update({"program.json": b"{"}),
    "another kind of JSON": lambda m: m.update({"program.json": b"[]"}),
    "the manifest is text": lambda m: m.update({"manifest.json": b'"text"'}),
    "no arrays": lambda m: m.update({"weights.safetensors": b"xx"}),
    "compressed": lambda m: m.update({"": zipfile.ZIP_DEFLATED}),
    "no Programs": lambda m: m.update({"program.json": b"{}"}),
    "no inputs": edit("manifest.json", lambda d: d.pop("inputs")),
    "an unknown dtype": edit("manifest.json", lambda d: d["inputs"][0].update(dtype="float99")),
    "a name that is no text": edit("manifest.json", lambda d: d["inputs"][0].update(name=3)),
    "other weights": edit("manifest.json", lambda d: d["captures"].update(main=["bias", "weight"])),
    "unknown weights": edit("manifest.json", lambda d: d["captures"].update(main=["a", "b"])),
    "too few weights": edit("manifest.json", lambda d: d["captures"].update(main=["bias"])),
    "an unknown op": edit("program.json", lambda d: d["main"]["calls"][0].update(op="zzz")),
    "odd attributes": edit(
        "program.json",
        lambda d: d["main"]["calls"][0].update(key={"tuple": [None, {"tuple": [1, 2, 3]}]}),
    ),
    "an unknown value": edit("program.json", lambda d: d["main"]["calls"][0].update(inputs=[99])),
    "other outputs": edit(
        "program.json", lambda d: d["main"]["calls"][0]["outputs"][0].update(dtype="int8")
    ),
}


@pytest.mark.parametrize("kind", FORGERIES)
def test_content_that_does_not_belong_together_is_refused_whatever_its_hash(saved, tmp_path, kind):
    with pytest.raises(ArtifactError):
        read_artifact(forge(saved, tmp_path / "forged.proa", FORGERIES[kind]))


def test_a_forged_file_without_changes_is_read(saved, tmp_path):
    assert read_artifact(forge(saved, tmp_path / "same.proa", dict.copy)).weights.keys() == {
        "bias",
        "weight",
    }


@pytest.mark.parametrize("path", [3, None, b"bytes", ["a"]])
def test_what_is_no_path_is_named(path):
    with pytest.raises(InvalidTypeError, match="`path` is"):
        read_artifact(path)
    with pytest.raises(InvalidTypeError, match="`path` is"):
        save(proa.nn.Linear(1, 1), path, [InputSpec([1, 1])])


def test_threads_that_write_one_file_leave_a_whole_one(tmp_path):
    def write(value):
        net = proa.nn.Linear(20, 20)
        for parameter in net.parameters():
            parameter.set_value(np.full(parameter.shape, value, np.float32))
        for _ in range(3):
            save(net, tmp_path / "shared", [InputSpec([None, 20])])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert [path.name for path in tmp_path.iterdir()] == ["shared.proa"]
    weights = read_artifact(tmp_path / "shared").weights
    assert len({value for array in weights.values() for value in np.unique(array)}) == 1
