"""The record of the public API shows what callers rely on, the same in every process."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools import api

PACKAGE = {
    "proa_sample/__init__.py": (
        "from __future__ import annotations\nfrom ._a import A as A, f as f, VALUE as VALUE\n"
    ),
    "proa_sample/_a.py": (
        "from __future__ import annotations\n"
        "VALUE = 3\n"
        "def f(x: int, axis=None, *, name='f', key=object()) -> int: ...\n"
        "class A:\n"
        "    def __init__(self, size=2): ...\n"
        "    def m(self, other): ...\n"
        "    @property\n"
        "    def p(self): ...\n"
        "    @staticmethod\n"
        "    def s(y): ...\n"
        "    def _hidden(self): ...\n"
        "A.__module__ = 'proa_sample'\n"
    ),
    "proa_sample/sub/__init__.py": "from .._a import f as g\n",
}
EXPECTED = [
    "class proa_sample.A(size=2)",
    "proa_sample.A.m(self, other)",
    "proa_sample.A.p: property",
    "proa_sample.A.s(y)",
    "proa_sample.VALUE: int",
    "proa_sample.f(x, axis=None, *, name='f', key=...)",
    "proa_sample.sub.g(x, axis=None, *, name='f', key=...)",
]


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in PACKAGE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(api, "PACKAGE", "proa_sample")
    monkeypatch.setattr(api, "RECORD", tmp_path / "api.txt")
    for name in [name for name in sys.modules if name.startswith("proa_sample")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path


def test_lines(sample: Path) -> None:
    assert api.lines() == EXPECTED


def test_check_fails_until_the_change_is_recorded(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert api.main(["--check"]) == 1
    assert "+proa_sample.VALUE: int" in capsys.readouterr().out
    assert api.main(["--write"]) == 0
    assert api.main(["--check"]) == 0
    record = sample / "api.txt"
    record.write_text(record.read_text().replace("size=2", "size=1"))
    capsys.readouterr()
    assert api.main(["--check"]) == 1
    printed = capsys.readouterr().out
    assert "-class proa_sample.A(size=1)\n+class proa_sample.A(size=2)" in printed
    assert "run `make api`" in printed
