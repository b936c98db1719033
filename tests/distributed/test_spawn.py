"""Functions in several processes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import proa.distributed as dist
from proa.core import InvalidArgumentError, PreconditionError


def note(folder, what):
    env = dist.ParallelEnv()
    Path(folder, str(env.rank)).write_text(f"{env.rank} of {env.world_size}: {what}")


def fail(folder):
    Path(folder, str(os.environ["PADDLE_TRAINER_ID"])).write_text(str(os.getpid()))
    if os.environ["PADDLE_TRAINER_ID"] == "0":
        raise ValueError("not today")
    time.sleep(60)


def test_each_process_calls_the_function(tmp_path):
    context = dist.spawn(note, (str(tmp_path), "here"), nprocs=2)
    assert [process.exitcode for process in context.processes] == [0, 0]
    assert [(tmp_path / str(i)).read_text() for i in range(2)] == ["0 of 2: here", "1 of 2: here"]


def test_a_failure_arrives_with_its_traceback(tmp_path):
    context = dist.spawn(fail, (str(tmp_path),), nprocs=2, join=False)
    assert not context.join(timeout=0.01)
    with pytest.raises(PreconditionError, match=r"process 0 of spawn(.|\n)*ValueError: not today"):
        context.join()
    assert all(process.exitcode is not None for process in context.processes)


@pytest.mark.parametrize("options", [{"start_method": "fork"}, {"ips": "a"}, {"nprocs": 0}])
def test_what_is_wrong_is_named(options):
    with pytest.raises(InvalidArgumentError, match="spawn"):
        dist.spawn(note, **options)
