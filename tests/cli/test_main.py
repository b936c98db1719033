from __future__ import annotations

import pytest
from typer.testing import CliRunner

from proa import __version__
from proa.cli import _main, app
from proa.core import NotFoundError
from proa.utils import CheckItem

runner = CliRunner()


def test_help_lists_the_commands():
    text = runner.invoke(app, ["--help"]).output
    assert all(name in text for name in ("check", "tour", "verify", "infer", "bench"))
    assert runner.invoke(app, ["--version"]).output.strip() == f"proa {__version__}"


def test_check_prints_a_table_and_exits_with_zero():
    result = runner.invoke(app, ["check"])
    assert result.exit_code == 0
    assert "one gradient" in result.output


def test_a_failing_check_says_what_to_do_and_exits_with_one(monkeypatch):
    item = CheckItem(name="devices", measured="none", expected="one", passed=False, fix="buy one")
    monkeypatch.setattr(_main, "check_installation", lambda: [item])
    result = runner.invoke(app, ["check"])
    assert result.exit_code == 1
    assert "expected: one" in result.output
    assert "do: buy one" in result.output


@pytest.mark.parametrize(("passed", "code"), [(True, 0), (None, 0), (False, 1)])
def test_verify_exits_with_one_when_a_layer_fails(monkeypatch, tmp_path, passed, code):
    check = {"name": "accuracy", "measured": "0.8", "expected": ">= 0.85", "passed": passed}
    monkeypatch.setattr(_main, "verify_run", lambda path: {"training": [check]})
    result = runner.invoke(app, ["verify", str(tmp_path)])
    assert result.exit_code == code
    assert ("Failed: accuracy (training)" in result.output) == (code == 1)


def test_errors_are_printed_without_a_traceback(monkeypatch, capsys):
    def fail():
        raise NotFoundError("no run", expected="a run", fix="run the tour")

    monkeypatch.setattr(_main, "app", fail)
    with pytest.raises(SystemExit, match="2"):
        _main.main()
    assert capsys.readouterr().err == "Error: no run\n  Expected: a run\n  Fix: run the tour\n"


def test_a_full_disk_is_told_without_a_traceback(monkeypatch, capsys):
    def fail():
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_main, "app", fail)
    with pytest.raises(SystemExit, match="2"):
        _main.main()
    told = capsys.readouterr().err
    assert "No space left on device" in told
    assert "Fix: look at the permissions" in told
