"""Collectives: between two processes (work_of_two.py), in a single one, and what is refused."""

from __future__ import annotations

import pytest

import proa
import proa.distributed as dist
from proa.core import InvalidArgumentError, InvalidTypeError, UnsupportedError


@pytest.fixture(autouse=True)
def _alone():
    yield
    dist.destroy_process_group()


@pytest.mark.parametrize("part", ["collectives", "objects"])
def test_two_processes(two_processes, part):
    assert all(f"{part} agrees" in text for text in two_processes)


def test_one_process_gets_its_own_back():
    x = proa.to_tensor([1.0, 2.0])
    for op in range(5):
        dist.all_reduce(x, op)
        dist.reduce(x, 0, op)
    dist.broadcast(x, 0)
    dist.scatter(x, [x * 2])
    dist.reduce_scatter(x, [x + 1])
    assert x.tolist() == [3.0, 5.0]
    for fill in (dist.all_gather, dist.gather):
        parts: list = []
        fill(parts, x) if fill is dist.all_gather else fill(x, parts)
        assert [p.tolist() for p in parts] == [[3.0, 5.0]]
    given = [proa.zeros([2])]
    dist.alltoall(given, [x])
    assert given[0].tolist() == [3.0, 5.0]
    y = proa.zeros([2])
    dist.alltoall_single(y, x)
    assert y.tolist() == [3.0, 5.0]
    words = ["a"]
    dist.broadcast_object_list(words, 0)
    found: list = []
    dist.all_gather_object(found, {"b": 1})
    dist.scatter_object_list(words, [3])
    assert (words, found) == ([3], [{"b": 1}])
    dist.barrier()
    dist.wait(y)


def test_what_is_computed_later_uses_the_new_values():
    x = proa.to_tensor([1.0, 2.0])
    view = x[0:1]
    dist.broadcast(x, 0)
    assert (view + 1).tolist() == [2.0]
    task = dist.all_reduce(x, sync_op=False)
    assert task is not None
    task.wait()
    assert task.is_completed()


WRONG = {
    "an operation": (lambda x: dist.all_reduce(x, 9), InvalidArgumentError, "`op` .* is 9"),
    "an array": (lambda x: dist.all_reduce(x.numpy()), InvalidTypeError, "is a ndarray"),
    "a process": (lambda x: dist.broadcast(x, 3), InvalidArgumentError, "is process 3"),
    "a list": (lambda x: dist.scatter(x, [x, x]), InvalidArgumentError, r"shapes \[\[2\], \[2\]\]"),
    "no list": (lambda x: dist.gather(x), InvalidArgumentError, "without `gather_list`"),
    "objects": (lambda x: dist.scatter_object_list([], [1, 2]), InvalidArgumentError, "2 objects"),
    "sizes": (
        lambda x: dist.alltoall_single(x, x, [1]),
        InvalidArgumentError,
        r"2 rows with in_split_sizes=\[1\]",
    ),
    "compiled code": (
        lambda x: proa.jit.to_static(lambda x: dist.all_reduce(x), full_graph=True)(x),
        UnsupportedError,
        "`all_reduce` inside a compiled function",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_named(what):
    call, kind, text = WRONG[what]
    with pytest.raises(kind, match=text):
        call(proa.to_tensor([1.0, 2.0]))
