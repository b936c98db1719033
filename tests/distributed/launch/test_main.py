"""The command line of the launcher, under both of its names."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("command", [["proa.distributed.launch"], ["proa.cli", "launch"]])
def test_the_command(command, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import os, sys; print(os.environ['PADDLE_TRAINER_ID'], sys.argv[1:])")
    options = ["--nproc_per_node", "2", "--log_dir", str(tmp_path), str(script), "--lr", "1"]
    done = subprocess.run(
        [sys.executable, "-m", *command, *options], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "workerlog.1").read_text() == "1 ['--lr', '1']\n"
