"""Bodies of the protocol: read, written, refused by field."""

from __future__ import annotations

import json

import numpy as np
import pytest

from proa.core import InvalidArgumentError
from proa.serving._service import Response
from proa.serving._wire import read_request, write_response


def body(*inputs, binary=b"", **more):
    header = json.dumps({"inputs": list(inputs), **more}).encode()
    return header + binary, str(len(header))


def tensor(**changes):
    return {"name": "x", "datatype": "INT32", "shape": [2, 2], "data": [[1, 2], [3, 4]], **changes}


def test_json_and_binary_say_the_same():
    array = np.array([[1, 2], [3, 4]], np.int32)
    binary = tensor(parameters={"binary_data_size": 16})
    del binary["data"]
    for given, rest in (
        (tensor(), b""),
        (tensor(data=[1, 2, 3, 4]), b""),
        (binary, array.tobytes()),
    ):
        made, length = body(given, binary=rest, id="7")
        request, header = read_request("m", "2", made, length)
        assert (request.model, request.version, header["id"]) == ("m", "2", "7")
        np.testing.assert_array_equal(request.inputs["x"], array)
        assert request.inputs["x"].dtype == np.int32


WRONG = {
    "two of a name": ((tensor(), tensor()), r"inputs\[1\].name is 'x' a second time"),
    "too few": ((tensor(data=[1]),), r"data has 1 numbers"),
    "a text": ((tensor(data=["a", 2, 3, 4]),), r"data has 'a'"),
    "a number too large": ((tensor(data=[1, 2, 3, 2**40]),), r"inputs\[0\].data: "),
    "a shape": ((tensor(shape=[-1, 2]),), r"shape is \[-1, 2\]"),
    "no object": ((3,), r"inputs\[0\] is a int"),
    "a size": ((tensor(parameters={"binary_data_size": 3}),), "binary_data_size is 3"),
    "nothing left": ((tensor(parameters={"binary_data_size": 16}),), "0 bytes of binary data left"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_named(what):
    inputs, text = WRONG[what]
    with pytest.raises(InvalidArgumentError, match=text):
        read_request("m", "", *body(*inputs))


def test_lengths_are_checked():
    made, length = body(tensor(), binary=b"rest")
    with pytest.raises(InvalidArgumentError, match="4 bytes follow"):
        read_request("m", "", made, length)
    for wrong in ("-1", "99999", "x", "\u0663"):
        with pytest.raises(InvalidArgumentError, match="Inference-Header-Content-Length is"):
            read_request("m", "", made, wrong)


def test_answers():
    response = Response("m", "3", {"y": np.array([1.5, 2.0], "float32")})
    text, length = write_response(response, {"id": "a"})
    assert length is None
    assert json.loads(text) == {
        "model_name": "m",
        "model_version": "3",
        "outputs": [{"name": "y", "datatype": "FP32", "shape": [2], "data": [1.5, 2.0]}],
        "id": "a",
    }
    made, length = write_response(response, {"parameters": {"binary_data_output": True}})
    assert length is not None
    assert json.loads(made[:length])["outputs"][0]["parameters"] == {"binary_data_size": 8}
    assert np.frombuffer(made[length:], "float32").tolist() == [1.5, 2.0]
    nan = Response("m", "3", {"y": np.array([np.nan], "float32")})
    with pytest.raises(InvalidArgumentError, match="NaN or infinity"):
        write_response(nan, {})
    assert write_response(nan, {"parameters": {"binary_data_output": True}})[1]
