"""What two processes do together in test_collective.py and others; run by the launcher."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import proa
import proa.distributed as dist

OPS = dist.ReduceOp
REDUCED = {OPS.SUM: [3, 5], OPS.MAX: [2, 3], OPS.MIN: [1, 2], OPS.PROD: [2, 6], OPS.AVG: [1.5, 2.5]}


def own(rank, dtype="float32"):
    return proa.to_tensor(np.array([1, 2]) + rank, dtype=dtype)


def collectives(rank):
    for op, expected in REDUCED.items():
        x = own(rank)
        assert dist.all_reduce(x, op) is None
        assert x.tolist() == expected, (op, x)
        x = own(rank)
        dist.reduce(x, 1, op)
        assert x.tolist() == (expected if rank else [1, 2])
    for dtype in ("int64", "float16", "bfloat16", "complex64", "bool", "uint8"):
        x = own(rank, dtype)
        parts: list = []
        dist.all_gather(parts, x)
        assert [str(p.dtype) for p in parts] == [str(x.dtype)] * 2
        np.testing.assert_array_equal(
            np.stack([p.astype("complex64").numpy() for p in parts]),
            np.stack([own(r, dtype).astype("complex64").numpy() for r in range(2)]),
        )
        dist.broadcast(x, 1)
        assert x.astype("complex64").tolist() == own(1, dtype).astype("complex64").tolist()
    y = proa.zeros([2])
    dist.scatter(y, [own(5), own(7)] if rank == 1 else None, src=1)
    assert y.tolist() == [[6, 7], [8, 9]][rank]
    dist.reduce_scatter(y, [own(rank), own(10 * rank)])
    assert y.tolist() == [[3, 5], [12, 14]][rank]
    gathered: list = []
    dist.gather(own(rank), gathered, dst=1)
    assert [g.tolist() for g in gathered] == ([[1, 2], [2, 3]] if rank else [])
    exchanged: list = []
    task = dist.alltoall(exchanged, [own(rank), own(rank + 10)], sync_op=False)
    assert task is not None
    assert task.wait()
    assert task.is_completed()
    assert [e.tolist() for e in exchanged] == [
        [[1, 2], [2, 3]],
        [[11, 12], [12, 13]],
    ][rank]
    # Process 0 sends one row to itself and two to process 1, which sends none and one.
    out = proa.zeros([1 if rank == 0 else 3, 1])
    rows = proa.to_tensor([[1.0], [2.0], [3.0]] if rank == 0 else [[9.0]])
    splits = ([1, 2], [1, 0]) if rank == 0 else ([0, 1], [2, 1])
    dist.alltoall_single(out, rows, *splits)
    assert out.tolist() == [[[1.0]], [[2.0], [3.0], [9.0]]][rank]


def groups(rank):
    alone = dist.new_group([1])
    assert (alone.rank, alone.nranks, alone.is_member()) == (rank - 1, 1, rank == 1)
    assert dist.get_group(alone.id) is alone
    x = own(rank)
    dist.all_reduce(x, group=alone)
    assert x.tolist() == own(rank).tolist()
    dist.barrier()


def objects(rank):
    found: list = []
    dist.all_gather_object(found, {"rank": rank, "text": "x" * (1 + 99 * rank)})
    assert [f["rank"] for f in found] == [0, 1]
    assert len(found[1]["text"]) == 100
    words = ["a", 1] if rank == 0 else [None, None]
    dist.broadcast_object_list(words, src=0)
    assert words == ["a", 1]
    mine: list = []
    dist.scatter_object_list(mine, [{"for": 0}, {"for": 1}] if rank == 0 else None, src=0)
    assert mine == [{"for": rank}]


def messages(rank):
    other = 1 - rank
    x, y = own(rank), proa.zeros([2])
    # Both send first.
    tasks = dist.batch_isend_irecv(
        [dist.P2POp(dist.isend, x, other), dist.P2POp(dist.irecv, y, other)]
    )
    for task in tasks:
        task.wait()
    assert y.tolist() == own(other).tolist()
    half = own(rank, "bfloat16")
    if rank == 0:
        dist.send(half, dst=1)
        dist.send_object_list([{"n": 3}, "b"], dst=1)
    else:
        dist.recv(half, src=0)
        assert half.astype("float32").tolist() == [1, 2]
        got: list = []
        dist.recv_object_list(got, src=0)
        assert got == [{"n": 3}, "b"]
    wrong = proa.zeros([3])
    dist.isend(x, other)
    with pytest.raises(proa.core.InvalidArgumentError, match=rf"{other} sent float32\[2\]"):
        dist.recv(wrong, other)


def data_parallel(rank):
    proa.seed(rank)
    model = dist.DataParallel(proa.nn.Linear(3, 1))
    whole = proa.nn.Linear(3, 1)
    whole.set_state_dict(model.state_dict())
    data = proa.to_tensor(np.arange(12, dtype="float32").reshape(4, 3) / 10)
    opt = proa.optimizer.Adam(0.1, parameters=model.parameters())
    same = proa.optimizer.Adam(0.1, parameters=whole.parameters())
    for _ in range(5):
        with model.no_sync():
            (model(data[2 * rank : 2 * rank + 1]) ** 2).mean().backward()
        (model(data[2 * rank + 1 : 2 * rank + 2]) ** 2).mean().backward()
        opt.step()
        opt.clear_grad()
        (2 * (whole(data) ** 2).mean()).backward()
        same.step()
        same.clear_grad()
    np.testing.assert_allclose(model._layers.weight.numpy(), whole.weight.numpy(), rtol=1e-5)


def main():
    group = dist.init_parallel_env()
    rank = dist.get_rank()
    assert group.nranks == dist.get_world_size() == 2
    assert dist.ParallelEnv().rank == rank
    for part in (collectives, groups, objects, messages, data_parallel):
        part(rank)
        print(part.__name__, "agrees", flush=True)
    if "fail" in sys.argv and rank == 1:
        raise RuntimeError("process 1 was told to fail")


if __name__ == "__main__":
    main()
