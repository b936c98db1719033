"""`proa convert`: files of other forms, compared with what they were made from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import proa
from proa.cli import _convert, app
from proa.core import ArtifactError, InvalidArgumentError
from proa.formats import read_model
from proa.static import InputSpec

runner = CliRunner()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    net = proa.nn.Sequential(proa.nn.Linear(4, 3), proa.nn.ReLU())
    spec = [InputSpec([None, 4], name="x")]
    return proa.jit.save(net, tmp_path / "net", spec, samples=[proa.ones([2, 4])])


def test_there_and_back(file: Path, tmp_path: Path) -> None:
    there = runner.invoke(app, ["convert", str(file), str(tmp_path / "new" / "net.json")])
    assert there.exit_code == 0, there.output
    assert "written: net.json, net.pdiparams (2 calls)" in there.output
    assert "compared on 1 samples" in there.output
    back = [str(tmp_path / "new" / "net.json"), str(tmp_path / "back.proa"), "--size", "batch=3"]
    again = runner.invoke(app, ["convert", *back])
    assert again.exit_code == 0, again.output
    weights = read_model(tmp_path / "back.proa").weights
    np.testing.assert_array_equal(weights["0.weight"], read_model(file).weights["0.weight"])


def test_an_unknown_ending_is_refused(file: Path, tmp_path: Path) -> None:
    result = runner.invoke(app, ["convert", str(file), str(tmp_path / "net.pdmodel")])
    assert isinstance(result.exception, InvalidArgumentError)
    assert "one of the endings .proa, .json, .onnx" in str(result.exception)


def test_other_outputs_are_an_error_and_leave_nothing(
    file: Path, tmp_path: Path, monkeypatch
) -> None:
    def spoil(artifact, path):
        weights = {name: array + 1 for name, array in artifact.weights.items()}
        spoiled = type(artifact)(artifact.programs, weights, artifact.golden, artifact.manifest)
        return _convert.write_paddle(spoiled, path)

    monkeypatch.setitem(_convert._WRITERS, ".json", spoil)
    target = tmp_path / "other" / "net.json"
    result = runner.invoke(app, ["convert", str(file), str(target)])
    assert isinstance(result.exception, ArtifactError)
    assert "nothing was written" in str(result.exception)
    assert not list(target.parent.iterdir())


def test_a_model_that_does_not_run_for_such_sizes_is_not_compared(
    file: Path, tmp_path: Path, monkeypatch
) -> None:
    def refuse(artifact, inputs):
        raise InvalidArgumentError("sizes 64", expected="multiples of 100", fix="pad")

    monkeypatch.setattr(_convert, "_run", refuse)
    result = runner.invoke(app, ["convert", str(file), str(tmp_path / "net.json")])
    assert result.exit_code == 0, result.output
    assert "not compared: the model does not run for such sizes" in result.output
    assert (tmp_path / "net.pdiparams").exists()
