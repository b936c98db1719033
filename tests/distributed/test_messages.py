"""Messages between two processes (work_of_two.py), and what is refused."""

from __future__ import annotations

import pytest

import proa
import proa.distributed as dist
from proa.core import InvalidArgumentError


@pytest.fixture(autouse=True)
def _alone():
    yield
    dist.destroy_process_group()


def test_two_processes(two_processes):
    assert all("messages agrees" in text for text in two_processes)


WRONG = {
    "itself": (lambda x: dist.send(x, 0), "dst=0, which is this process"),
    "receiving from itself": (lambda x: dist.recv(x, 0), "src=0, which is this process"),
    "another": (lambda x: dist.isend(x, 5), "is process 5"),
    "objects": (lambda x: dist.send_object_list([1], 5), "is process 5"),
    "objects from": (lambda x: dist.recv_object_list([], 5), "is process 5"),
    "another function": (lambda x: dist.P2POp(dist.all_reduce, x, 1), "`op` of P2POp"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_named(what):
    call, text = WRONG[what]
    with pytest.raises(InvalidArgumentError, match=text):
        call(proa.to_tensor([1.0]))
