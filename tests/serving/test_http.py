from __future__ import annotations

import json
import shutil
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from proa.inference import Config, create_predictor
from proa.jit import save
from proa.serving import Server
from proa.static import InputSpec


def write(folder, factor):
    def scale(x):
        return x * factor, x.sum(axis=1)

    sample = (np.ones((2, 3), np.float32),)
    folder.mkdir(parents=True)
    save(scale, folder / "model", [InputSpec([None, 3], name="x")], samples=[sample])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("models")
    write(made / "scale" / "1", 2.0)
    return made


@pytest.fixture(scope="module")
def server(folder):
    with Server(folder) as running:
        yield running


@pytest.fixture
def client(server):
    triton = pytest.importorskip("tritonclient.http")
    with triton.InferenceServerClient(server.address, concurrency=8) as made:
        yield made


def ask(client, x, *, binary=True, **options):
    import tritonclient.http as triton

    given = triton.InferInput("x", list(x.shape), "FP32")
    given.set_data_from_numpy(x, binary_data=binary)
    names = client.get_model_metadata("scale")["outputs"]
    wanted = [triton.InferRequestedOutput(o["name"], binary_data=binary) for o in names]
    answer = client.infer("scale", [given], outputs=wanted, **options)
    return [answer.as_numpy(o["name"]) for o in names]


def post(server, path, body, **headers):
    request = urllib.request.Request(f"http://{server.address}{path}", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


@pytest.mark.parametrize("binary", [True, False])
def test_tritonclient_gets_what_the_predictor_gives(client, folder, binary):
    direct = create_predictor(Config(folder / "scale" / "1" / "model.proa"))
    x = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    for served, expected in zip(ask(client, x, binary=binary), direct.run([x]), strict=True):
        np.testing.assert_array_equal(served, expected)
        assert served.dtype == expected.dtype


def test_tritonclient_reads_health_metadata_index_and_statistics(client):
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("scale", "1")
    assert not client.is_model_ready("scale", "2")
    assert client.get_server_metadata()["name"] == "proa"
    metadata = client.get_model_metadata("scale")
    assert metadata["inputs"] == [{"name": "x", "datatype": "FP32", "shape": [-1, 3]}]
    (before,) = client.get_inference_statistics("scale")["model_stats"]
    ask(client, np.ones((5, 3), np.float32))
    (after,) = client.get_inference_statistics("scale")["model_stats"]
    assert after["inference_count"] - before["inference_count"] == 5
    assert after["execution_count"] - before["execution_count"] == 1
    states = [(e["name"], e["version"], e["state"]) for e in client.get_model_repository_index()]
    assert states == [("scale", "1", "READY")]


def test_a_new_version_serves_and_a_bad_one_does_not(client, folder):
    from tritonclient.utils import InferenceServerException

    x = np.ones((1, 3), np.float32)
    write(folder / "scale" / "2", 5.0)
    client.load_model("scale")
    assert ask(client, x)[0][0, 0] == 5.0
    assert ask(client, x, model_version="1")[0][0, 0] == 2.0
    (folder / "scale" / "3").mkdir()
    (folder / "scale" / "3" / "model.proa").write_bytes(b"no model")
    with pytest.raises(InferenceServerException, match="version 3 was refused"):
        client.load_model("scale")
    assert ask(client, x)[0][0, 0] == 5.0
    (folder / "scale" / "2" / "model.proa").write_bytes(b"spoilt")
    with pytest.raises(InferenceServerException, match="version 2 was refused"):
        client.load_model("scale")
    assert ask(client, x)[0][0, 0] == 5.0
    shutil.rmtree(folder / "scale" / "3")
    shutil.rmtree(folder / "scale" / "2")
    client.load_model("scale")
    assert ask(client, x)[0][0, 0] == 2.0
    client.unload_model("scale")
    assert not client.is_model_ready("scale")
    client.load_model("scale")


def test_callers_get_their_own_rows(server):
    def one(number):
        data = {
            "inputs": [{"name": "x", "shape": [1, 3], "datatype": "FP32", "data": [number] * 3}]
        }
        status, body = post(server, "/v2/models/scale/infer", json.dumps(data).encode())
        return status == 200 and json.loads(body)["outputs"][0]["data"] == [2.0 * number] * 3

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(64)))


GOOD = {"name": "x", "shape": [1, 3], "datatype": "FP32", "data": [1, 2, 3]}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"shape": [1, 16]}, r"inputs[0].data has 3 numbers"),
        ({"shape": [-1, 3]}, r"inputs[0].shape"),
        ({"shape": [2**70, 3]}, r"inputs[0].shape"),
        ({"shape": [True, 3]}, r"inputs[0].shape"),
        ({"datatype": "FP31"}, r"inputs[0].datatype"),
        ({"datatype": "INT32"}, "x"),
        ({"datatype": "INT8", "data": [1, 2, 300]}, r"inputs[0].data"),
        ({"data": [1, None, 3]}, r"inputs[0].data"),
        ({"data": "abc"}, r"inputs[0].data"),
        ({"name": "y"}, "unknown ['y']"),
        ({"name": 3}, r"inputs[0].name"),
        ({"parameters": {"binary_data_size": 12}}, r"inputs[0] has 0 bytes"),
        ({"parameters": {"binary_data_size": -1}}, r"inputs[0].parameters.binary_data_size"),
        ({"parameters": 3}, r"inputs[0].parameters"),
    ],
)
def test_a_bad_request_is_refused_by_field_and_the_next_is_answered(server, change, named):
    path = "/v2/models/scale/infer"
    status, body = post(server, path, json.dumps({"inputs": [GOOD | change]}).encode())
    assert status == 400
    assert named in json.loads(body)["error"]
    assert post(server, path, json.dumps({"inputs": [GOOD]}).encode())[0] == 200


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"", {}, 400),
        (b"{}", {}, 400),
        (b"[1]", {}, 400),
        (b"[" * 200_000, {}, 400),
        (b'{"inputs": [1' + b"0" * 5000 + b"]}", {}, 400),
        (b"{}", {"Inference-Header-Content-Length": "99"}, 400),
        (b"{}", {"Inference-Header-Content-Length": "-1"}, 400),
        (b"{}", {"Content-Encoding": "gzip"}, 415),
    ],
)
def test_a_damaged_body_is_refused(server, body, headers, status):
    assert post(server, "/v2/models/scale/infer", body, **headers)[0] == status


def test_nested_data_is_bounded_and_nan_is_refused_in_json(server):
    path = "/v2/models/scale/infer"
    deep = b'{"inputs": [{"name": "x", "shape": [1], "datatype": "FP32", "data": '
    assert post(server, path, deep + b"[" * 900 + b"1" + b"]" * 900 + b"}]}")[0] == 400
    status, body = post(
        server, path, json.dumps({"inputs": [GOOD | {"data": [float("nan")] * 3}]}).encode()
    )
    assert status == 400
    assert "binary_data" in json.loads(body)["error"]


def test_an_unknown_model_is_not_found(server):
    assert post(server, "/v2/models/none/infer", json.dumps({"inputs": [GOOD]}).encode())[0] == 404
    assert post(server, "/v2/repository/models/..%2Fscale/load", b"")[0] == 404
