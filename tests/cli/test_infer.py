from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from proa.cli import app
from proa.core import InvalidArgumentError
from proa.jit import save
from proa.static import InputSpec

runner = CliRunner()


def _run(*words):
    result = runner.invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("infer")
    spec = [InputSpec([None, 2], name="x")]
    save(lambda x: (x * 2, x.sum(axis=1)), made / "net", spec)
    image = [InputSpec(["h", "w", 3], "uint8", name="image")]
    save(lambda x: x.mean(), made / "mean", image, preprocess=lambda i: i.astype("float32"))
    np.save(made / "x.npy", np.float32([[1, 2]]))
    (made / "y.json").write_text("[[3, 4], [5, 6]]")
    Image.new("RGB", (5, 4), (10, 20, 30)).save(made / "photo.png")
    return made


def test_infer_prints_and_writes_the_outputs(folder, tmp_path):
    result = _run(
        "infer", folder / "net.proa", folder / "x.npy", folder / "y.json", "--out", tmp_path / "out"
    )
    assert "x.npy" in result.output
    assert "[[2., 4.]]" in result.output
    with np.load(tmp_path / "out.npz") as file:
        written = dict(file)
    assert len(written) == 4
    assert [written[name].tolist() for name in written][2:] == [
        [[6.0, 8.0], [10.0, 12.0]],
        [7.0, 11.0],
    ]


def test_a_model_that_prepares_its_images_is_given_them_as_they_are(folder, tmp_path):
    result = _run("infer", folder / "mean.proa", folder / "photo.png", "--out", tmp_path / "o.npz")
    assert "20." in result.output
    with np.load(tmp_path / "o.npz") as file:
        (found,) = file.values()
    assert found == 20.0


def test_bench_measures_the_engines_that_can_run_the_model(folder, tmp_path):
    file = tmp_path / "bench.json"
    words = ("--callers", "1,2", "--seconds", "0.02", "--engine", "xla", "--json", file)
    result = _run("bench", folder / "net.proa", *words)
    assert "p50 ms" in result.output
    found = json.loads(file.read_text())["engines"]["xla"]
    assert [load["callers"] for load in found["callers"]] == [1, 2]
    assert all(load["runs"] >= 10 and load["throughput"] > 0 for load in found["callers"])
    assert found["shapes"] == [[[1, 2]]]
    assert found["load"] > 0


def test_bench_takes_requests_and_shapes(folder, tmp_path):
    file = tmp_path / "bench.json"
    tail = ("--callers", "1", "--seconds", "0", "--engine", "xla", "--json", file)
    _run("bench", folder / "net.proa", folder / "y.json", *tail)
    assert json.loads(file.read_text())["engines"]["xla"]["shapes"] == [[[2, 2]]]
    _run("bench", folder / "mean.proa", "--shape", "image=6,7,3", *tail)
    assert json.loads(file.read_text())["engines"]["xla"]["shapes"] == [[[6, 7, 3]]]


def test_an_engine_that_cannot_run_a_model_says_why(folder, monkeypatch):
    from proa.inference import ENGINES

    monkeypatch.setattr(type(ENGINES["xla"]), "unavailable", lambda self: "not built")
    result = _run("bench", folder / "net.proa", "--engine", "xla")
    assert "xla: engine 'xla' cannot be used here: not built" in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("infer", "net.proa", "x.npy", "--size", "224"), "--size '224'"),
        (("infer", "net.proa", "x.npy", "--mean", "a"), "--mean 'a'"),
        (("bench", "net.proa", "--callers", "0"), "--callers '0'"),
        (("bench", "net.proa", "--shape", "3"), "--shape '3'"),
    ],
)
def test_options_are_checked(folder, words, message):
    given = [folder / w if w.endswith((".proa", ".npy")) else w for w in words]
    with pytest.raises(InvalidArgumentError, match=message):
        _run(*given)
