"""Groups of processes, and what the environment says."""

from __future__ import annotations

import datetime

import pytest

import proa.distributed as dist
from proa.core import InvalidArgumentError, PreconditionError


@pytest.fixture(autouse=True)
def _alone():
    yield
    dist.destroy_process_group()


def test_two_processes(two_processes):
    assert all("groups agrees" in text for text in two_processes)


def test_a_single_process():
    assert dist.is_available()
    assert not dist.is_initialized()
    group = dist.init_parallel_env()
    assert dist.is_initialized()
    assert (group.rank, group.nranks, group.world_size, group.ranks) == (0, 1, 1, [0])
    assert (dist.get_rank(), dist.get_world_size()) == (0, 1)
    assert dist.get_backend() == "GLOO"
    more = dist.new_group([0], timeout=datetime.timedelta(seconds=3))
    assert (more.id, more.timeout, dist.get_group(more.id)) == (1, 3.0, more)
    dist.destroy_process_group(more)
    with pytest.raises(InvalidArgumentError, match=r"group 1(.|\n)*one of \[0\]"):
        dist.get_group(1)


def test_the_environment_speaks(monkeypatch):
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "3")
    monkeypatch.setenv("PADDLE_TRAINER_ENDPOINTS", "a:1,b:2,c:3")
    env = dist.ParallelEnv()
    assert (env.rank, env.nranks, env.local_rank, env.dev_id) == (1, 3, 1, 0)
    assert env.trainer_endpoints == ["a:1", "b:2", "c:3"]
    assert (dist.get_rank(), dist.get_world_size()) == (1, 3)
    with pytest.raises(PreconditionError, match="process 1 of 3 without the address"):
        dist.init_parallel_env()
    monkeypatch.setenv("PADDLE_TRAINER_ID", "3")
    with pytest.raises(PreconditionError, match="PADDLE_TRAINER_ID=3 of PADDLE_TRAINERS_NUM=3"):
        dist.ParallelEnv()
    monkeypatch.setenv("PADDLE_TRAINER_ID", "x")
    with pytest.raises(PreconditionError, match="PADDLE_TRAINER_ID='x'"):
        dist.ParallelEnv()


@pytest.mark.parametrize("ranks", [[1], [0, 0], []])
def test_groups_of_others_are_refused(ranks):
    with pytest.raises(InvalidArgumentError, match="a group of the processes"):
        dist.new_group(ranks)
