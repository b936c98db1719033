"""The launcher: what processes are told, failures, new starts, and that nothing is left over."""

from __future__ import annotations

import os
import sys
import time

import pytest

from proa.distributed import launch
from proa.distributed.launch import Job, free_endpoints

TELL = """
import os
names = ("PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM", "PADDLE_LOCAL_RANK")
print(*[os.environ[n] for n in names])
assert os.environ["PADDLE_TRAINER_ENDPOINTS"].split(",")[int(os.environ["PADDLE_TRAINER_ID"])] == (
    os.environ["PADDLE_CURRENT_ENDPOINT"]
)
"""
FAIL = """
import os, pathlib, sys, time
place = pathlib.Path(sys.argv[1])
(place / os.environ["PADDLE_TRAINER_ID"]).write_text(str(os.getpid()))
if os.environ["PADDLE_TRAINER_ID"] == "1":
    with (place / "starts").open("a") as f:
        f.write("x")
    if len((place / "starts").read_text()) < int(sys.argv[2]):
        sys.exit("a word of farewell")
elif int(sys.argv[2]) > 9:
    time.sleep(60)
"""


def run(tmp_path, text, *arguments, options=()):
    script = tmp_path / "script.py"
    script.write_text(text)
    logs = tmp_path / "logs"
    return launch(
        ["--nproc_per_node", "2", "--log_dir", str(logs), *options, str(script), *arguments]
    )


def test_each_process_knows_its_place(tmp_path):
    assert run(tmp_path, TELL) == 0
    texts = [(tmp_path / "logs" / f"workerlog.{i}").read_text() for i in range(2)]
    assert texts == ["0 2 0\n", "1 2 1\n"]


def test_a_failure_ends_the_others_and_is_told(tmp_path, capfd):
    begin = time.monotonic()
    assert run(tmp_path, FAIL, str(tmp_path), "99") == 1
    assert time.monotonic() - begin < 20
    err = capfd.readouterr().err
    assert "process 1 ended with exit code 1" in err
    assert "a word of farewell" in err
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "0").read_text()), 0)


def test_new_starts(tmp_path, capfd):
    assert run(tmp_path, FAIL, str(tmp_path), "3", options=["--max_restart", "2"]) == 0
    assert (tmp_path / "starts").read_text() == "xxx"
    assert "1 new starts left" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--nproc_per_node", "0", "x.py"], "--nproc_per_node of 1 or more"),
        (["--nnodes", "2", "--rank", "2", "x.py"], "machine 2 of 2"),
        (["--nnodes", "2", "x.py"], "need --master"),
        (["--nnodes", "2", "--master", "a:1", "--ips", "a,b", "x.py"], "PROA_JOB_SECRET"),
    ],
)
def test_what_is_wrong_is_named(options, text, monkeypatch):
    monkeypatch.delenv("PROA_JOB_SECRET", raising=False)
    with pytest.raises(SystemExit, match=text):
        launch(options)


def test_what_does_not_listen_is_killed(tmp_path):
    deaf = "import signal, time; signal.signal(15, signal.SIG_IGN); print('ready'); time.sleep(60)"
    job = Job([sys.executable, "-uc", deaf], [{}], tmp_path, patience=0.5)
    while "ready" not in job.last_words(0):
        time.sleep(0.05)
    job.end()
    assert job.processes[0].returncode == -9


def test_endpoints_differ():
    assert len(set(free_endpoints(20))) == 20
