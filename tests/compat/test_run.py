from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from proa.compat import run_module, run_script, uninstall
from proa.compat._run import main
from proa.core import NotFoundError


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    yield
    uninstall()


def test_a_script_sees_its_arguments_and_the_modules_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "beside_it.py").write_text("value = 7\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, paddle, beside_it\n"
        "if __name__ == '__main__':\n"
        "    print(paddle.to_tensor([1.0, 2.0]).sum().item(), beside_it.value, sys.argv[1:])\n"
    )
    run_script(script, ["--lr", "0.1"])
    assert capsys.readouterr().out == "3.0 7 ['--lr', '0.1']\n"
    assert sys.argv[0] == str(script)


def test_a_module_runs_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train_it.py").write_text("import paddle, sys\nprint(paddle.__name__, sys.argv[1])")
    monkeypatch.syspath_prepend(tmp_path)
    run_module("train_it", ["x"])
    assert capsys.readouterr().out == "proa x\n"


def test_processes_that_a_script_starts_have_the_alias_too(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    child = "import paddle.nn; print('child has', paddle.__name__)"
    script = tmp_path / "script.py"
    script.write_text(
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {child!r}], check=True)\n"
    )
    root = str(Path(__file__).parents[2])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ["PYTHONPATH"], root]))
    run_script(script)
    assert capfd.readouterr().out == "child has proa\n"


def test_a_missing_script_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"no script at .*nowhere.py"):
        run_script(tmp_path / "nowhere.py")


@pytest.mark.parametrize(
    ("arguments", "code", "out", "err"),
    [
        (["--help"], 0, "usage: python -m proa.compat", ""),
        ([], 2, "", "usage: python -m proa.compat"),
        (["--lr"], 2, "", "usage: python -m proa.compat"),
        (["nowhere.py"], 2, "", "no script at 'nowhere.py'"),
    ],
)
def test_the_command_line_explains_itself(
    arguments: list[str], code: int, out: str, err: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    shown = capsys.readouterr()
    assert out in shown.out
    assert err in shown.err


def test_an_error_of_the_script_is_its_own(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import paddle\npaddle.no_such_name\n")
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-m", "proa.compat", str(script)],
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
    )
    assert done.returncode == 1
    assert "paddle.no_such_name: proa has no 'no_such_name' in 'proa'" in done.stderr
    assert f'File "{script}", line 2' in done.stderr
