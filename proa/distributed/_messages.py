"""Messages between two processes of a group, in the order of their choice."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    Tensor,
    replace_data,
)

from ._collective import Task, _array, _done, _member, place_of
from ._process_group import Group, get_rank, mailbox


def _peer(rank: int, group: Group, what: str, name: str) -> int:
    place_of(rank, group, what, name)
    if rank == get_rank():
        raise InvalidArgumentError(
            f"`{name}` with {what}={rank}, which is this process",
            expected="another process",
            fix="assign the tensor instead",
        )
    return rank


def send(
    tensor: Tensor, dst: int = 0, group: Group | None = None, sync_op: bool = True
) -> Task | None:
    """Sends a tensor to a process, which calls `recv`.

    Args:
        tensor: what is sent.
        dst: number of the receiving process among all.
        group: a group with both.
        sync_op: a `Task` is returned where false.

    Raises:
        PreconditionError: the process does not answer.
    """
    found = _member(group, "send")
    if found is None:
        return None
    array = np.asarray(_array(tensor, "tensor", "send"))
    rank = _peer(dst, found, "dst", "send")
    mailbox().send(rank, found.id, "array", array)
    return _done([tensor], sync_op)


def recv(
    tensor: Tensor, src: int = 0, group: Group | None = None, sync_op: bool = True
) -> Task | None:
    """Waits for a tensor of a process and puts it into `tensor`, in place.

    Args:
        tensor: of the shape and dtype of what is sent.
        src: number of the sending process among all.
        group: a group with both.
        sync_op: a `Task` is returned where false; its `wait()` receives.

    Raises:
        InvalidArgumentError: what came has another shape or dtype.
        PreconditionError: nothing came in time, or the sender ended.
    """
    found = _member(group, "recv")
    if found is None:
        return None
    _array(tensor, "tensor", "recv")
    rank = _peer(src, found, "src", "recv")
    task = Task(lambda: _take(tensor, rank, found))
    if not sync_op:
        return task
    task.wait()
    return None


def _take(tensor: Tensor, rank: int, group: Group) -> None:
    header, data = mailbox().receive(rank, group.id, group.timeout)
    wanted = tensor._data
    if tuple(header["shape"]) != wanted.shape or header["dtype"] != str(wanted.dtype):
        raise InvalidArgumentError(
            f"process {rank} sent {header['dtype']}{header['shape']}",
            expected=f"{wanted.dtype}{list(wanted.shape)}, as the tensor that receives it",
            fix="make the receiving tensor like the sent one",
        )
    array = np.frombuffer(data, np.uint8).view(np.dtype(wanted.dtype)).reshape(wanted.shape)
    replace_data(tensor, jnp.asarray(array))


def isend(tensor: Tensor, dst: int, group: Group | None = None) -> Task | None:
    """Like `send`; returns a task."""
    return send(tensor, dst, group, sync_op=False)


def irecv(tensor: Tensor, src: int | None = None, group: Group | None = None) -> Task | None:
    """Like `recv`; returns a task whose `wait()` receives."""
    return recv(tensor, 0 if src is None else src, group, sync_op=False)


class P2POp:
    """One entry of `batch_isend_irecv`.

    Args:
        op: `isend` or `irecv`.
        tensor: what is sent, or where it goes.
        peer: the other process.
        group: a group with both.
    """

    def __init__(self, op: Any, tensor: Tensor, peer: int, group: Group | None = None) -> None:
        if op not in (isend, irecv):
            raise InvalidArgumentError(
                f"`op` of P2POp is {op!r}"[:200],
                expected="dist.isend or dist.irecv",
                fix="give the function itself",
            )
        self.op, self.tensor, self.peer, self.group = op, tensor, peer, group


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Task]:
    """Starts sends and receives in any order; returns their tasks."""
    tasks = [entry.op(entry.tensor, entry.peer, entry.group) for entry in p2p_op_list]
    return [task for task in tasks if task is not None]


def send_object_list(
    object_list: Sequence[Any],
    dst: int | None = None,
    group: Group | None = None,
    dst_in_group: int | None = None,
) -> None:
    """Sends objects to a process, as a pickle; see `all_gather_object`."""
    found = _member(group, "send_object_list")
    if found is None:
        return
    rank = found.ranks[dst_in_group] if dst is None and dst_in_group is not None else dst or 0
    data = np.frombuffer(pickle.dumps(list(object_list)), np.uint8)
    _peer(rank, found, "dst", "send_object_list")
    mailbox().send(rank, found.id, "objects", data)


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Group | None = None,
    src_in_group: int | None = None,
) -> None:
    """Waits for objects of a process and puts them into the list, in place."""
    found = _member(group, "recv_object_list")
    if found is None:
        return
    rank = found.ranks[src_in_group] if src is None and src_in_group is not None else src or 0
    _peer(rank, found, "src", "recv_object_list")
    header, data = mailbox().receive(rank, found.id, found.timeout)
    if header["kind"] != "objects":
        raise InvalidArgumentError(
            f"process {rank} sent a tensor of shape {header['shape']}",
            expected="objects: send_object_list",
            fix="use the receiving function that belongs to the sending one",
        )
    object_list[:] = pickle.loads(data)
