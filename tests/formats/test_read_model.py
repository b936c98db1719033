from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError, NotFoundError, UnsupportedError
from proa.formats import read_model
from proa.formats.paddle._tensors import pack_tensors
from tests.formats.paddle.models import WEIGHTS, linear, linear_answer


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("models")
    proa.jit.save(proa.nn.Linear(2, 1), made / "own", [proa.ones([1, 2])])
    (made / "theirs.pdmodel").write_bytes(linear().serialise())
    (made / "theirs.pdiparams").write_bytes(pack_tensors(WEIGHTS))
    (made / "theirs.v2.pdmodel").write_bytes(linear().serialise())
    (made / "theirs.v2.pdiparams").write_bytes(pack_tensors(WEIGHTS))
    return made


@pytest.mark.parametrize("name", ["own", "own.proa"])
def test_artifacts(folder, name):
    assert sorted(read_model(folder / name).weights) == ["bias", "weight"]
    with pytest.raises(InvalidArgumentError, match="an artifact holds its weights"):
        read_model(folder / "own.proa", folder / "theirs.pdiparams")


@pytest.mark.parametrize("name", ["theirs", "theirs.pdmodel", "theirs.v2"])
def test_models_of_paddle(folder, name):
    assert sorted(read_model(str(folder / name)).weights) == ["b", "w"]


def test_what_cannot_be_read(folder):
    with pytest.raises(NotFoundError, match="no model at .*gone"):
        read_model(folder / "gone")
    with pytest.raises(UnsupportedError, match="ONNX models cannot be read yet"):
        read_model(folder / "net.onnx")
    with pytest.raises(InvalidTypeError, match="`path` is 3"):
        read_model(3)


def test_loaders_take_models_of_paddle(folder):
    x = np.array([[1, 2, 3], [-1, 0, 1]], np.float32)
    net = proa.jit.load(folder / "theirs")
    out = net(proa.to_tensor(x))
    np.testing.assert_allclose(out.numpy(), linear_answer(x))
    out.sum().backward()
    assert sorted(n for n, p in net.named_parameters() if p.grad is not None) == ["b", "w"]
    again = proa.jit.load(
        folder, model_filename="theirs.pdmodel", params_filename="theirs.pdiparams"
    )
    np.testing.assert_allclose(again(proa.to_tensor(x)).numpy(), linear_answer(x))
    executor = proa.static.Executor()
    program, feeds, fetches = proa.static.load_inference_model(str(folder / "theirs"), executor)
    (found,) = executor.run(program, feed={feeds[0]: x}, fetch_list=fetches)
    np.testing.assert_allclose(found, linear_answer(x))
