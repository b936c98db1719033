from __future__ import annotations

import sys

import pytest
from typer.testing import CliRunner

from proa.cli._main import app
from proa.core import MissingModuleError, NotFoundError


def test_serve_without_its_extra_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = CliRunner().invoke(app, ["serve", str(tmp_path)])
    assert isinstance(result.exception, MissingModuleError)
    assert "pip install 'proa[serve]'" in str(result.exception)


def test_serve_refuses_a_folder_that_is_not_there(tmp_path):
    pytest.importorskip("uvicorn")
    pytest.importorskip("starlette")
    result = CliRunner().invoke(app, ["serve", str(tmp_path / "none"), "--port", "0"])
    assert isinstance(result.exception, NotFoundError)
    assert "no folder" in str(result.exception)
