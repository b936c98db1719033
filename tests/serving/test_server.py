"""The server: ports, readiness, its end."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request

import pytest

from proa.core import MissingModuleError, NotFoundError
from proa.jit import save
from proa.serving import Server, _server
from proa.static import InputSpec

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


def status(server, path):
    try:
        with urllib.request.urlopen(f"http://{server.address}{path}", timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_it_is_ready_when_all_models_are(tmp_path):
    for version in (1, 2):
        folder = tmp_path / "scale" / str(version)
        folder.mkdir(parents=True)
        save(lambda x: x * 2, folder / "model", [InputSpec([None, 3], name="x")])
    (tmp_path / "scale" / "2" / "model.proa").write_bytes(b"spoilt")
    with Server(tmp_path) as server:
        assert status(server, "/v2/health/live") == (200, "")
        code, text = status(server, "/v2/health/ready")
        assert code == 503
        assert text.startswith("scale 2: ")
        assert status(server, "/v2/models/scale/ready") == (200, "")
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(tuple(server.address.split(":")), timeout=5)


def test_what_cannot_be_served_is_told(tmp_path, monkeypatch):
    with pytest.raises(NotFoundError, match="no folder"):
        Server(tmp_path / "none")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(OSError, match="in use"):
            Server(tmp_path, port=taken.getsockname()[1])
    monkeypatch.setitem(__import__("sys").modules, "uvicorn", None)
    with pytest.raises(MissingModuleError, match=r"uvicorn(.|\n)*proa\[serve\]"):
        _server._uvicorn()
