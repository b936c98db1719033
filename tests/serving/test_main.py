"""`python -m proa.serving`: a real process that is asked and ended."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.request

import pytest

from proa.jit import save
from proa.static import InputSpec

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


@pytest.mark.parametrize("command", [["proa.serving"], ["proa.cli", "serve"]])
def test_it_serves_until_it_is_told_to_end(command, tmp_path):
    folder = tmp_path / "models" / "twice" / "1"
    folder.mkdir(parents=True)
    save(lambda x: x * 2, folder / "model", [InputSpec([None, 3], name="x")])
    run = [sys.executable, "-m", *command, str(tmp_path / "models"), "--port", "0"]
    with subprocess.Popen(
        run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "twice 1 ready\n"
        address = process.stdout.readline().strip().removeprefix("listening on ")
        with urllib.request.urlopen(f"{address}/v2/health/ready", timeout=20) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=40)
    assert (out, err) == ("", "")
    assert process.returncode in (0, -signal.SIGTERM)
