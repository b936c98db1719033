from __future__ import annotations

import shutil

import pytest

from proa.suites.tour import verify_run


def failed(layers) -> list[str]:
    return [i["name"] for items in layers.values() for i in items if i["passed"] is False]


def test_what_does_not_depend_on_the_amount_of_data_holds(finished):
    layers = verify_run(finished[0])
    assert set(failed(layers)) <= {"test accuracy"}
    training = {item["name"]: item for item in layers["training"]}
    assert training["resumed = uninterrupted"]["passed"]
    assert training["data-parallel loss"]["passed"]
    assert training["tensor-parallel loss"]["passed"]


ALTERATIONS = [
    ("model.proa", lambda b: b[:-1] + bytes([b[-1] ^ 1]), "inference", "measurement"),
    ("evaluation.safetensors", lambda b: b[:-4] + b"\x00\x00\x00\x01", "engineering", "files as"),
    ("report.html", lambda b: b.replace(b"<h1", b"<h2", 1), "engineering", "files as"),
    ("facts.json", lambda b: b"[]", "training", "measurement"),
    ("losses-data.json", lambda b: b.replace(b"[", b"[9", 1), "training", "data-parallel loss"),
    ("facts.json", lambda b: b.replace(b'"jax": "', b'"jax": "x'), "environment", "same jax"),
]


@pytest.mark.parametrize(
    ("name", "alter", "layer", "check"), ALTERATIONS, ids=lambda v: str(v)[:20]
)
def test_an_altered_file_is_found(finished, tmp_path, name, alter, layer, check):
    copy = tmp_path / "copy"
    shutil.copytree(finished[0], copy)
    file = copy / name
    file.write_bytes(alter(file.read_bytes()))
    found = [i["name"] for i in verify_run(copy)[layer] if i["passed"] is False]
    assert any(each.startswith(check) for each in found)


def test_a_missing_checkpoint_is_a_failed_check_not_a_crash(finished, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(finished[0], copy)
    shutil.rmtree(copy / "resume" / "broken")
    found = {i["name"]: i for i in verify_run(copy)["training"]}
    assert found["resumed = uninterrupted"]["passed"] is False
