"""One run of two processes that all tests of this folder look at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from proa.distributed import launch


@pytest.fixture(scope="session")
def two_processes(tmp_path_factory):
    """The logs of both processes of work_of_two.py."""
    logs = tmp_path_factory.mktemp("two")
    held = dict(os.environ)
    os.environ["JAX_NUM_CPU_DEVICES"] = "1"
    root = Path(__file__).resolve().parents[2]
    os.environ["PYTHONPATH"] = os.pathsep.join([str(root), held.get("PYTHONPATH", "")])
    try:
        work = str(Path(__file__).with_name("work_of_two.py"))
        code = launch(["--nproc_per_node", "2", "--log_dir", str(logs), work])
    finally:
        os.environ.clear()
        os.environ.update(held)
    texts = [(logs / f"workerlog.{rank}").read_text() for rank in range(2)]
    assert code == 0, "\n".join(texts)
    return texts
