"""The tour itself, on few images; `make tour` is the whole."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from proa.core import InvalidArgumentError, NotFoundError
from proa.suites import tour as package
from proa.suites.tour import _steps, _training, run_tour, verify_run
from proa.vision.datasets import fashion_mnist_files


def write_idx(path: Path, array: np.ndarray) -> None:
    sizes = b"".join(int(n).to_bytes(4, "big") for n in array.shape)
    path.write_bytes(bytes([0, 0, 8, array.ndim]) + sizes + array.tobytes())


@pytest.fixture(scope="module")
def few_images(tmp_path_factory) -> Path:
    """640 + 200 images of the bundled subset, in a folder of their own."""
    folder = tmp_path_factory.mktemp("few")
    data = _steps.load_data("bundled", raw=True)
    assert fashion_mnist_files("bundled").source == "bundled"
    for part, prefix, count in ((data.train, "train", 640), (data.test, "t10k", 200)):
        write_idx(folder / f"{prefix}-images-idx3-ubyte", part.images[:count])
        write_idx(folder / f"{prefix}-labels-idx1-ubyte", np.ravel(part.labels)[:count].astype(np.uint8))
    return folder


@pytest.fixture(scope="module")
def finished(few_images, tmp_path_factory):
    """A run of all seven steps; accuracy on so few images is not what it is about."""
    out = tmp_path_factory.mktemp("runs") / "run"
    text = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_steps, "EPOCHS_SMALL", 5)
        patch.setattr(_steps, "RESUME_IMAGES", 256)
        patch.setattr(_steps, "STOP_AFTER", 6)
        run_tour(out, data=str(few_images), console=Console(file=text, width=120))
    return out, text.getvalue()


def failed(layers) -> list[str]:
    return [i["name"] for items in layers.values() for i in items if i["passed"] is False]


def test_every_step_is_told_and_the_folder_is_complete(finished):
    out, text = finished
    for number, name in enumerate(("check", "data", "baseline", "resume", "parallel", "export", "report"), 1):
        assert f"{number} {name}" in text
    for name in ("report.html", "run.json", "facts.json", "model.proa", "SHA256SUMS", "data.json"):
        assert (out / name).is_file()


def test_what_does_not_depend_on_the_amount_of_data_holds(finished):
    layers = verify_run(finished[0])
    assert set(failed(layers)) <= {"test accuracy"}
    training = {item["name"]: item for item in layers["training"]}
    assert training["resumed = uninterrupted"]["passed"]
    assert training["data-parallel loss"]["passed"]
    assert training["tensor-parallel loss"]["passed"]


def test_the_record_draws_three_runs_over_each_other(finished):
    record = json.loads((finished[0] / "run.json").read_text())
    names = [series["name"] for series in record["curves"]["loss"]["series"]]
    assert names == ["baseline", "data-parallel", "tensor-parallel"]
    assert np.sum(record["confusion"]["matrix"]) == 200
    page = (finished[0] / "report.html").read_text()
    assert "data-parallel" in page
    assert "<script" not in page


ALTERATIONS = [
    ("model.proa", lambda b: b[:-1] + bytes([b[-1] ^ 1]), "inference", "measurement"),
    ("evaluation.safetensors", lambda b: b[:-4] + b"\x00\x00\x00\x01", "engineering", "files as"),
    ("losses-data.json", lambda b: b.replace(b"[", b"[9", 1), "training", "data-parallel loss"),
    ("facts.json", lambda b: b.replace(b'"jax": "', b'"jax": "x'), "environment", "same jax"),
]


@pytest.mark.parametrize(("name", "alter", "layer", "check"), ALTERATIONS, ids=lambda v: str(v)[:20])
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


def test_bad_folders_are_refused(finished, tmp_path):
    with pytest.raises(InvalidArgumentError, match="exists and is not empty"):
        run_tour(finished[0])
    with pytest.raises(NotFoundError, match="no finished run in"):
        verify_run(tmp_path)
    with pytest.raises(NotFoundError):
        run_tour(tmp_path / "new", data=str(tmp_path / "nowhere"))


def test_the_room_exports_its_two_functions():
    assert package.run_tour is run_tour
    assert _training.NUM_COMPARED == 50
