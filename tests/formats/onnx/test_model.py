from __future__ import annotations

import pytest

import proa
import proa.nn.functional as F
from proa.core import InvalidArgumentError, UnsupportedError
from proa.formats import artifact_to_onnx
from tests.formats.onnx.rows import Row, artifact_of, floats

x23 = floats(2, 3)


def test_all_that_cannot_be_written_is_named_with_its_place() -> None:
    row = Row("", lambda x: (proa.lgamma(x), F.relu(x), proa.digamma(x)), (x23,))
    with pytest.raises(UnsupportedError) as caught:
        artifact_to_onnx(artifact_of(row))
    message = str(caught.value)
    assert "2 calls of the model cannot be written" in message
    assert message.count(__file__.rsplit("/", maxsplit=1)[-1]) == 2
    assert "lgamma" in message
    assert "digamma" in message


def test_an_opset_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="`opset` is 9"):
        artifact_to_onnx(artifact_of(Row("", F.relu, (x23,))), opset=9)


def test_open_sizes_have_their_names_in_the_file() -> None:
    model = artifact_to_onnx(artifact_of(Row("", lambda x: x + 1, (x23,), {0: (0,)})))
    ((first, second),) = [v.type.tensor_type.shape.dim for v in model.graph.input]
    assert (first.dim_param, second.dim_value) == ("batch", 3)
    assert [o.name for o in model.graph.output] == ["out0"]
