from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError, UnsupportedError
from proa.onnx import export

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


@pytest.fixture
def layer():
    return proa.nn.Sequential(proa.nn.Linear(4, 3), proa.nn.Dropout(0.5))


SPEC = [proa.static.InputSpec([None, 4], "float32", "x")]


def test_the_file_gives_what_the_layer_gives_in_evaluation(layer, tmp_path) -> None:
    path = export(layer, str(tmp_path / "sub" / "net"), SPEC)
    assert path == tmp_path / "sub" / "net.onnx"
    assert layer.training
    assert onnx.load(path).opset_import[0].version == 20
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    (got,) = runtime.InferenceSession(str(path)).run(None, {"x": x})
    layer.eval()
    np.testing.assert_allclose(got, layer(proa.to_tensor(x)).numpy(), rtol=1e-5, atol=1e-6)


def test_an_older_opset_is_written_as_the_oldest_there_is_and_says_so(layer, tmp_path) -> None:
    with pytest.warns(UserWarning, match="opset_version=11 is written as 18"):
        path = export(layer, tmp_path / "net.onnx", SPEC, 11)
    assert onnx.load(path).opset_import[0].version == 18
    export(layer, tmp_path / "net.onnx", SPEC, 23, enable_onnx_checker=False)
    assert onnx.load(path).opset_import[0].version == 23


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"opset_version": 99}, InvalidArgumentError, "`opset_version` is 99"),
        ({"path": ""}, InvalidTypeError, "`path` is ''"),
        ({"colour": 1}, InvalidArgumentError, r"the options \['colour'\]"),
        ({"output_spec": [1]}, UnsupportedError, "`output_spec` chooses among"),
    ],
)
def test_what_cannot_be_meant_is_refused(layer, tmp_path, arguments, error, message) -> None:
    given = {"path": tmp_path / "net", "input_spec": SPEC, **arguments}
    with pytest.raises(error, match=message):
        export(layer, **given)


def test_a_failed_export_names_the_calls_and_leaves_no_file(tmp_path) -> None:
    def rare(x):
        return proa.lgamma(x)

    with pytest.raises(
        UnsupportedError, match=r"lgamma\(float32\[batch, 4\]\) at .*test_export.py"
    ):
        export(rare, tmp_path / "net", SPEC)
    assert list(tmp_path.iterdir()) == []
