"""Artifacts in Paddle's pair of files: names, stages, control flow, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, UnsupportedError
from proa.formats import read_artifact, read_model, write_paddle
from proa.formats.pir._write import paddle_paths
from tests.formats.pir.round_trip import check_round_trip, run, specs_of

X = np.random.RandomState(0).normal(size=(3, 4)).astype("float32")
ANY = [(None, 4)]


def _ops(file: Path) -> list[dict[str, Any]]:
    return json.loads(file.read_text())["program"]["regions"][0]["blocks"][0]["ops"]


@pytest.mark.parametrize("given", ["net", "net.json", "net.pdmodel", "net.pdiparams", "net.proa"])
def test_the_two_files_of_a_path(given: str, tmp_path: Path) -> None:
    assert paddle_paths(tmp_path / given) == (tmp_path / "net.json", tmp_path / "net.pdiparams")


def test_inputs_outputs_and_weights_have_their_names(tmp_path: Path) -> None:
    layer = nn.Sequential(nn.Linear(4, 2), nn.BatchNorm1D(2))
    layer.eval()
    file = proa.jit.save(layer, tmp_path / "net", specs_of([X], ANY), format="paddle")
    assert file == tmp_path / "net.json"
    held = {op["A"][3]: op["OA"] for op in _ops(file) if op["#"] == "p"}
    assert held["0.weight"] == [1, 0, 1]
    assert held["1._mean"] == [1, 1, 0], "no optimizer is to change running statistics"
    fed = [op["A"][0]["AT"]["D"] for op in _ops(file) if op["#"] == "1.data"]
    fetched = [op["A"][0]["AT"]["D"] for op in _ops(file) if op["#"] == "1.fetch"]
    assert (fed, fetched) == (["x0"], ["out0"])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net.json", "net.pdiparams"]
    again = read_model(file)
    np.testing.assert_array_equal(again.weights["0.weight"], layer[0].weight.numpy())
    assert run(again, [X[:2]])[0].shape == (2, 2)


def test_what_is_fed_or_fetched_twice_has_names_and_values_of_its_own(tmp_path: Path) -> None:
    def fn(x: Any) -> list[Any]:
        y = x + 1
        return [x, y, y, x > 0, proa.to_tensor([1.0, 2.0])]

    check_round_trip(fn, tmp_path, [X])
    names = [op["A"][0]["AT"]["D"] for op in _ops(tmp_path / "net.json") if op["#"] == "1.fetch"]
    numbers = [op["I"][0]["%"] for op in _ops(tmp_path / "net.json") if op["#"] == "1.fetch"]
    assert len({*names, "x0"}) == 6
    assert len({*numbers}) == 5


def test_names_that_clash_are_told_apart(tmp_path: Path) -> None:
    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.weight = self.create_parameter([4, 2])

        def forward(self, x: Any) -> Any:
            return x.matmul(self.weight) + proa.to_tensor([1.0, 2.0])

    spec = [proa.static.InputSpec([None, 4], "float32", "weight")]
    file = proa.jit.save(Net(), tmp_path / "net", spec, format="paddle")
    held = sorted(op["A"][3] for op in _ops(file) if op["#"] == "p")
    assert len(held) == 2
    assert "weight_1" in held
    assert "weight" not in held


def test_all_stages_become_one_program(tmp_path: Path) -> None:
    layer = nn.Linear(4, 2)
    raw = (X * 50).astype("int32")
    file = proa.jit.save(
        layer, tmp_path / "net", specs_of([raw], ANY), format="paddle",
        preprocess=lambda x: x.astype("float32") / 255, postprocess=lambda y: y.argmax(1),
    )  # fmt: skip
    with proa.no_grad():
        expected = layer(proa.to_tensor(raw).astype("float32") / 255).argmax(1)
    np.testing.assert_array_equal(run(read_model(file), [raw])[0], expected.numpy())


def test_an_artifact_is_written_as_well(tmp_path: Path) -> None:
    file = proa.jit.save(nn.Linear(4, 2), tmp_path / "net", specs_of([X], ANY), samples=[X])
    artifact = read_artifact(file)
    written = write_paddle(artifact, tmp_path / "other")
    expected = artifact.golden["0/output/0"]
    np.testing.assert_allclose(run(read_model(written), [X])[0], expected, 1e-5, 1e-6)


class _Steps(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Any, limit: Any) -> Any:
        y = self.layer(x) if x.sum() > 0 else x - 1
        count = proa.zeros([1], "int64")
        while count < limit:
            y = proa.tanh(self.layer(y))
            count = count + 1
        return y, count


def test_branches_and_loops_are_blocks(tmp_path: Path) -> None:
    spec = specs_of([X, np.array([3])], [(None, 4), (1,)])
    file = proa.jit.save(_Steps(), tmp_path / "net", spec, format="paddle")
    ops = {op["#"]: op for op in _ops(file) if "regions" in op}
    assert sorted(ops) == ["1.if", "1.while"]
    (body,) = ops["1.while"]["regions"][0]["blocks"]
    ends = body["ops"][-1]
    assert ends["#"] == "2.yield"
    # The next condition, then the state.
    assert len(ends["I"]) == len(ops["1.while"]["O"]) + 1 == len(body["args"]) + 1


@pytest.mark.parametrize("sign", [1, -1])
def test_branches_and_loops_do_what_they_did(sign: int, tmp_path: Path) -> None:
    arrays = [sign * np.abs(X), np.array([3])]
    layer = _Steps()
    file = proa.jit.save(layer, tmp_path / "net", specs_of(arrays, [(None, 4), (1,)]),
                         format="paddle")  # fmt: skip
    with proa.no_grad():
        expected = proa.jit.to_static(layer)(*[proa.to_tensor(a) for a in arrays])
    for found, t in zip(run(read_model(file), arrays), expected, strict=True):
        np.testing.assert_allclose(found, t.numpy(), 1e-5, 1e-6)


def test_one_error_names_all_that_cannot_be_written_and_leaves_no_file(tmp_path: Path) -> None:
    def fn(x: Any) -> Any:
        square = proa.matmul(x, x, transpose_x=True)
        values = proa.linalg.eigvals(square)
        return values, proa.frexp(square)[0]

    match = r"2 kinds of calls .*eigvals at .*test_write.py:\d+.*; frexp at .*:\d+"
    with pytest.raises(UnsupportedError, match=match):
        proa.jit.save(fn, tmp_path / "net", specs_of([X]), format="paddle")
    assert not list(tmp_path.iterdir())


def test_a_failing_disk_leaves_the_old_pair(tmp_path: Path, monkeypatch: Any) -> None:
    spec = specs_of([X], ANY)
    proa.jit.save(nn.Linear(4, 2), tmp_path / "net", spec, format="paddle")
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}

    def fail(self: Path, text: str) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(OSError, match="no space left"):
        proa.jit.save(nn.Linear(4, 3), tmp_path / "net", spec, format="paddle")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_further_functions_of_a_model_are_refused(tmp_path: Path) -> None:
    file = proa.jit.save(nn.Linear(4, 2), tmp_path / "net", specs_of([X], ANY))
    artifact = read_artifact(file)
    artifact.programs["other"] = artifact.programs["main"]
    with pytest.raises(UnsupportedError, match="more than one function: other"):
        write_paddle(artifact, tmp_path / "other")


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="`format` is 'onnx'"):
        proa.jit.save(nn.Linear(4, 2), tmp_path / "net", specs_of([X]), format="onnx")
