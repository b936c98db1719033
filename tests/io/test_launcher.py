from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from proa.core import UnsupportedError
from proa.io import WorkerError
from proa.io._launcher import Launcher, launcher

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import signal
import time
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
import proa.io
class Endless(proa.io.Dataset):
    def __getitem__(self, index):
        time.sleep(60 if index > 3 else 0)
        return np.zeros(100_000)
    def __len__(self): return 100
if __name__ == "__main__":
    loader = proa.io.DataLoader(Endless(), batch_size=1, num_workers=2, persistent_workers=True)
    batches = iter(loader)
    next(batches)
    from proa.io._launcher import launcher
    print(launcher().pid, *loader._pool.pids, launcher().memory_prefix, flush=True)
    END
"""


def alive(pids):
    return [pid for pid in pids if os.path.exists(f"/proc/{pid}")]


def end(process, signals):
    """Waits for the end; a signal may reach another thread, which does not end a sleep."""
    for _ in range(6):
        for number in signals:
            process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            return process.wait(timeout=5)
    process.kill()
    return process.wait()


@pytest.mark.parametrize(
    ("ending", "signals"),
    [
        ("time.sleep(60)", [signal.SIGKILL]),
        ("time.sleep(60)", [signal.SIGINT]),
        ("raise ValueError", []),
    ],
    ids=["killed", "interrupted", "raised"],
)
def test_no_process_and_no_file_is_left(ending, signals, tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.replace("END", ending))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, path], env=environment, text=True, **pipes) as process:
        *pids, prefix = process.stdout.readline().split()
        assert len(pids) == 3
        assert end(process, signals) != 0
    deadline = time.monotonic() + 10
    while alive(pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert alive(pids) == []
    assert list(Path("/dev/shm").glob(f"{Path(prefix).name}*")) == []


def test_there_is_one_launcher_and_a_new_one_after_its_end():
    first = launcher()
    assert launcher() is first
    os.kill(first.pid, signal.SIGKILL)
    with pytest.raises(WorkerError, match=r"(?s)has ended \(exit status.*Expected: .*Fix: "):
        first.status(1)
    while first.alive:
        time.sleep(0.01)
    assert launcher() is not first
    assert launcher().alive


def test_systems_without_fork_are_refused(monkeypatch):
    monkeypatch.delattr(os, "fork")
    with pytest.raises(
        UnsupportedError, match="(?s)worker processes were asked for.*num_workers=0"
    ):
        Launcher()
