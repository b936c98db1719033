"""Collectives: all processes of a group call the same one, in the same order.

A process's tensor becomes its part of an array over the group's devices, a compiled function
exchanges the parts, and each process takes its own back.
"""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    UnsupportedError,
    context,
    new_tensor,
    replace_data,
)

from ._process_group import Group, init_parallel_env, is_initialized, world_or
from ._watch import begin, forget

_AXIS = "rank"


class ReduceOp:
    """How values of several processes become one."""

    SUM, MAX, MIN, PROD, AVG = 0, 1, 2, 3, 4


class Task:
    """Something that was started; `wait()` returns when it is done."""

    def __init__(self, finish: Callable[[], Any] | None = None) -> None:
        self._finish = finish

    def wait(self) -> bool:
        """Waits for the end."""
        if self._finish is not None:
            finish, self._finish = self._finish, None
            finish()
        return True

    def is_completed(self) -> bool:
        """Whether nothing is waited for any more."""
        return self._finish is None

    synchronize = wait


def _product(x: Any) -> Any:
    return jnp.prod(lax.all_gather(x, _AXIS), axis=0, dtype=x.dtype)


_REDUCTIONS: dict[int, Callable[[Any], Any]] = {
    ReduceOp.SUM: lambda x: lax.psum(x, _AXIS),
    ReduceOp.MAX: lambda x: lax.pmax(x, _AXIS),
    ReduceOp.MIN: lambda x: lax.pmin(x, _AXIS),
    ReduceOp.PROD: _product,
    ReduceOp.AVG: lambda x: lax.pmean(x, _AXIS).astype(x.dtype),
}
_OVER_FIRST: dict[int, Callable[[Any], Any]] = {
    ReduceOp.SUM: lambda x: jnp.sum(x, axis=0, dtype=x.dtype),
    ReduceOp.MAX: lambda x: jnp.max(x, axis=0),
    ReduceOp.MIN: lambda x: jnp.min(x, axis=0),
    ReduceOp.PROD: lambda x: jnp.prod(x, axis=0, dtype=x.dtype),
    ReduceOp.AVG: lambda x: jnp.mean(x, axis=0).astype(x.dtype),
}


def _only(source: int, x: Any) -> Any:
    """The array of one process, zeros in the others."""
    return jnp.where(lax.axis_index(_AXIS) == source, x, jnp.zeros_like(x))


_BODIES: dict[str, Callable[[Any, Any], Any]] = {
    "reduce": lambda op, x: _REDUCTIONS[op](x),
    "gather": lambda _, x: lax.all_gather(x, _AXIS),
    "broadcast": lambda source, x: lax.psum(_only(source, x), _AXIS),
    "exchange": lambda _, x: lax.all_to_all(x, _AXIS, 0, 0, tiled=True),
    "reduce_scatter": lambda op, x: _OVER_FIRST[op](lax.all_to_all(x, _AXIS, 0, 0, tiled=True)),
    "scatter": lambda source, x: lax.all_to_all(x, _AXIS, 0, 0, tiled=True)[source],
}


@functools.lru_cache(maxsize=1024)
def _compiled(kind: str, detail: Any, mesh: Any) -> Callable[..., Any]:
    body, part = functools.partial(_BODIES[kind], detail), PartitionSpec(_AXIS)
    mapped = jax.shard_map(
        lambda x: body(x[0])[None], mesh=mesh, in_specs=part, out_specs=part, check_vma=False
    )
    return jax.jit(mapped)


def _run(kind: str, detail: Any, array: Any, group: Group) -> Any:
    """Runs a collective on this process's array; returns this process's result."""
    if group.nranks == 1:
        return _exchange(kind, detail, array, group)
    entry = begin(kind, group)
    try:
        entry.result = _exchange(kind, detail, array, group)
    except BaseException:
        forget(entry)
        raise
    return entry.result


def _exchange(kind: str, detail: Any, array: Any, group: Group) -> Any:
    mesh = group.mesh
    own = jax.device_put(array, mesh.devices.flat[group.rank])
    # Carried as what every engine adds up and moves.
    carried = own.astype(jnp.uint8) if own.dtype == bool else own
    whole = jax.make_array_from_single_device_arrays(
        (group.nranks, *carried.shape),
        NamedSharding(mesh, PartitionSpec(_AXIS)),
        [carried[None]],
    )
    result = _compiled(kind, detail, mesh)(whole).addressable_data(0)[0]
    return result.astype(own.dtype) if own.dtype == bool else result


def _member(group: Group | None, name: str) -> Group | None:
    """The group, or nothing where this process does not belong to it."""
    if context.recorder is not None:
        raise UnsupportedError(
            f"`{name}` inside a compiled function",
            expected="a call between compiled functions",
            fix="mark tensors with dist.shard_tensor: the compiler adds the communication",
        )
    if not is_initialized():
        init_parallel_env()
    found = world_or(group)
    return found if found.is_member() else None


def _array(tensor: Any, what: str, name: str) -> Any:
    if not isinstance(tensor, Tensor):
        raise InvalidTypeError(
            f"`{what}` of `{name}` is a {type(tensor).__name__}",
            expected="a Tensor",
            fix="wrap it: proa.to_tensor(value)",
        )
    return tensor._data


def _operation(op: Any, name: str) -> int:
    if op not in _REDUCTIONS:
        raise InvalidArgumentError(
            f"`op` of `{name}` is {op!r}",
            expected="ReduceOp.SUM, MAX, MIN, PROD or AVG",
            fix="write dist.ReduceOp.SUM",
        )
    return int(op)


def place_of(rank: int, group: Group, what: str, name: str) -> int:
    """Returns the place of a process in a group.

    Raises:
        InvalidArgumentError: it is no member.
    """
    place = group.get_group_rank(rank)
    if place < 0:
        raise InvalidArgumentError(
            f"`{what}` of `{name}` is process {rank}",
            expected=f"one of the group's: {group.ranks}",
            fix="give its number among all processes",
        )
    return place


def _stacked(tensors: Sequence[Any], group: Group, what: str, name: str) -> Any:
    arrays = [_array(t, what, name) for t in tensors]
    if len(arrays) != group.nranks or len({(a.shape, str(a.dtype)) for a in arrays}) > 1:
        shapes = [list(a.shape) for a in arrays]
        raise InvalidArgumentError(
            f"`{what}` of `{name}` has tensors of the shapes {shapes}",
            expected=f"{group.nranks} tensors of one shape and dtype, one per process",
            fix="split the whole evenly: paddle.split(x, dist.get_world_size())",
        )
    return jnp.stack(arrays)


def _fill(tensors: list[Any], parts: Any) -> None:
    """Puts parts into a list of tensors; an empty list is filled."""
    if not tensors:
        tensors.extend(new_tensor(part) for part in parts)
        return
    for tensor, part in zip(tensors, parts, strict=True):
        replace_data(tensor, part)


def all_reduce(
    tensor: Tensor, op: int = ReduceOp.SUM, group: Group | None = None, sync_op: bool = True
) -> Task | None:
    """Replaces the tensor of each process by their sum (or another reduction), in place.

    Args:
        tensor: of the same shape and dtype in all processes.
        op: `ReduceOp.SUM`, `MAX`, `MIN`, `PROD` or `AVG`.
        group: the processes; all by default.
        sync_op: whether to return at the end only; a `Task` otherwise, as below.

    Returns:
        `None`, or a task with `wait()`.

    Examples:
        >>> import proa, proa.distributed as dist
        >>> x = proa.to_tensor([1.0, 2.0])
        >>> dist.all_reduce(x)  # in one process: itself
        >>> x.tolist()
        [1.0, 2.0]
    """
    found = _member(group, "all_reduce")
    if found is None:
        return None
    array = _array(tensor, "tensor", "all_reduce")
    replace_data(tensor, _run("reduce", _operation(op, "all_reduce"), array, found))
    return _done([tensor], sync_op)


def _done(tensors: Sequence[Tensor], sync_op: bool) -> Task | None:
    task = Task(lambda: jax.block_until_ready([t._data for t in tensors]))
    if not sync_op:
        return task
    task.wait()
    return None


def reduce(
    tensor: Tensor,
    dst: int,
    op: int = ReduceOp.SUM,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task | None:
    """Like `all_reduce`, but only process `dst` gets the result."""
    found = _member(group, "reduce")
    if found is None:
        return None
    place = place_of(dst, found, "dst", "reduce")
    array = _array(tensor, "tensor", "reduce")
    result = _run("reduce", _operation(op, "reduce"), array, found)
    if found.rank == place:
        replace_data(tensor, result)
    return _done([tensor], sync_op)


def all_gather(
    tensor_list: list[Any], tensor: Tensor, group: Group | None = None, sync_op: bool = True
) -> Task | None:
    """Puts the tensors of all processes into `tensor_list`, in their order.

    Args:
        tensor_list: an empty list, or as many tensors as processes.
        tensor: of the same shape and dtype in all processes.
        group: the processes; all by default.
        sync_op: see `all_reduce`.
    """
    found = _member(group, "all_gather")
    if found is None:
        return None
    _fill(tensor_list, _run("gather", None, _array(tensor, "tensor", "all_gather"), found))
    return _done(tensor_list, sync_op)


def gather(
    tensor: Tensor,
    gather_list: list[Any] | None = None,
    dst: int = 0,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task | None:
    """Like `all_gather`, but only process `dst` gets the tensors, in `gather_list`."""
    found = _member(group, "gather")
    if found is None:
        return None
    place = place_of(dst, found, "dst", "gather")
    parts = _run("gather", None, _array(tensor, "tensor", "gather"), found)
    if found.rank != place:
        return _done([tensor], sync_op)
    if gather_list is None:
        raise InvalidArgumentError(
            "`gather` without `gather_list` in the process that gets the tensors",
            expected="a list",
            fix="give an empty list",
        )
    _fill(gather_list, parts)
    return _done(gather_list, sync_op)


def broadcast(
    tensor: Tensor, src: int, group: Group | None = None, sync_op: bool = True
) -> Task | None:
    """Gives all processes the tensor of process `src`, in place."""
    found = _member(group, "broadcast")
    if found is None:
        return None
    place = place_of(src, found, "src", "broadcast")
    replace_data(tensor, _run("broadcast", place, _array(tensor, "tensor", "broadcast"), found))
    return _done([tensor], sync_op)


def scatter(
    tensor: Tensor,
    tensor_list: Sequence[Tensor] | None = None,
    src: int = 0,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task | None:
    """Gives each process one tensor of the list of process `src`.

    Args:
        tensor: where it goes, of the shape and dtype of what comes.
        tensor_list: one tensor per process; needed in process `src` only.
        src: the process that has the list.
        group: the processes; all by default.
        sync_op: see `all_reduce`.
    """
    found = _member(group, "scatter")
    if found is None:
        return None
    place, array = place_of(src, found, "src", "scatter"), _array(tensor, "tensor", "scatter")
    if found.rank == place:
        parts = _stacked(tensor_list or [], found, "tensor_list", "scatter")
    else:
        parts = jnp.zeros((found.nranks, *array.shape), array.dtype)
    replace_data(tensor, _run("scatter", place, parts, found))
    return _done([tensor], sync_op)


def reduce_scatter(
    tensor: Tensor,
    tensor_list: Sequence[Tensor],
    op: int = ReduceOp.SUM,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task | None:
    """Reduces lists of tensors entry by entry; process i gets entry i.

    Args:
        tensor: where the entry goes.
        tensor_list: one tensor per process, of one shape and dtype.
        op: see `all_reduce`.
        group: the processes; all by default.
        sync_op: see `all_reduce`.
    """
    found = _member(group, "reduce_scatter")
    if found is None:
        return None
    parts = _stacked(tensor_list, found, "tensor_list", "reduce_scatter")
    operation = _operation(op, "reduce_scatter")
    replace_data(tensor, _run("reduce_scatter", operation, parts, found))
    return _done([tensor], sync_op)


def alltoall(
    out_tensor_list: list[Any],
    in_tensor_list: Sequence[Tensor],
    group: Group | None = None,
    sync_op: bool = True,
) -> Task | None:
    """Sends entry i of each list to process i, and gets one from each.

    Args:
        out_tensor_list: an empty list, or as many tensors as processes.
        in_tensor_list: one tensor per process, of one shape and dtype.
        group: the processes; all by default.
        sync_op: see `all_reduce`.
    """
    found = _member(group, "alltoall")
    if found is None:
        return None
    parts = _stacked(in_tensor_list, found, "in_tensor_list", "alltoall")
    _fill(out_tensor_list, _run("exchange", None, parts, found))
    return _done(out_tensor_list, sync_op)


def alltoall_single(
    out_tensor: Tensor,
    in_tensor: Tensor,
    in_split_sizes: Sequence[int] | None = None,
    out_split_sizes: Sequence[int] | None = None,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task | None:
    """Cuts a tensor along its first axis, sends part i to process i and joins what comes.

    Args:
        out_tensor: where the result goes.
        in_tensor: what is cut.
        in_split_sizes: lengths of the parts; equal by default.
        out_split_sizes: lengths of what comes; equal by default.
        group: the processes; all by default.
        sync_op: see `all_reduce`.

    Raises:
        InvalidArgumentError: the sizes do not add up, or an axis does not divide.
    """
    found = _member(group, "alltoall_single")
    if found is None:
        return None
    array = _array(in_tensor, "in_tensor", "alltoall_single")
    ins = _sizes(array.shape[0], in_split_sizes, found, "in_split_sizes")
    out = _array(out_tensor, "out_tensor", "alltoall_single")
    outs = _sizes(out.shape[0], out_split_sizes, found, "out_split_sizes")
    # Parts travel in the room of the longest that any process has.
    room = int(_run("reduce", ReduceOp.MAX, np.int32(max([*ins, *outs, 1])), found))
    starts = np.cumsum([0, *ins])
    padded = [
        jnp.pad(array[a:b], [(0, room - (b - a)), *[(0, 0)] * (array.ndim - 1)])
        for a, b in zip(starts[:-1], starts[1:], strict=True)
    ]
    parts = _run("exchange", None, jnp.stack(padded), found)
    joined = jnp.concatenate([part[:size] for part, size in zip(parts, outs, strict=True)])
    replace_data(out_tensor, joined.astype(array.dtype))
    return _done([out_tensor], sync_op)


def _sizes(length: int, given: Sequence[int] | None, group: Group, what: str) -> list[int]:
    sizes = list(given) if given is not None else [length // group.nranks] * group.nranks
    if len(sizes) != group.nranks or sum(sizes) != length or min(sizes) < 0:
        raise InvalidArgumentError(
            f"`alltoall_single` of {length} rows with {what}={given}",
            expected=f"{group.nranks} sizes that add up to {length}",
            fix="give the sizes, or make the length divisible by the number of processes",
        )
    return sizes


def barrier(group: Group | None = None) -> None:
    """Returns when all processes of the group have come here."""
    found = _member(group, "barrier")
    if found is not None:
        jax.block_until_ready(_run("reduce", ReduceOp.SUM, np.int32(1), found))


def wait(tensor: Tensor, group: Group | None = None, use_calc_stream: bool = True) -> None:
    """Returns when the tensor is computed."""
    jax.block_until_ready(_array(tensor, "tensor", "wait"))


def all_gather_object(object_list: list[Any], obj: Any, group: Group | None = None) -> None:
    """Puts objects of all processes into a list, in their order.

    Objects travel as pickles: the processes must trust each other.
    """
    found = _member(group, "all_gather_object")
    if found is None:
        return
    data = np.frombuffer(pickle.dumps(obj), np.uint8)
    lengths = np.asarray(_run("gather", None, np.int32(len(data)), found))
    padded = np.zeros(int(lengths.max()), np.uint8)
    padded[: len(data)] = data
    parts = np.asarray(_run("gather", None, padded, found))
    object_list[:] = [
        pickle.loads(part[:length].tobytes()) for part, length in zip(parts, lengths, strict=True)
    ]


def broadcast_object_list(object_list: list[Any], src: int, group: Group | None = None) -> None:
    """Gives all processes the objects of process `src`, in place; see `all_gather_object`."""
    found = _member(group, "broadcast_object_list")
    if found is None:
        return
    place = place_of(src, found, "src", "broadcast_object_list")
    everything: list[Any] = []
    all_gather_object(everything, list(object_list) if found.rank == place else None, found)
    object_list[:] = everything[place]


def scatter_object_list(
    out_object_list: list[Any],
    in_object_list: Sequence[Any] | None = None,
    src: int = 0,
    group: Group | None = None,
) -> None:
    """Gives each process one object of the list of process `src`; see `all_gather_object`."""
    found = _member(group, "scatter_object_list")
    if found is None:
        return
    place = place_of(src, found, "src", "scatter_object_list")
    if found.rank == place and len(in_object_list or []) != found.nranks:
        raise InvalidArgumentError(
            f"`in_object_list` has {len(in_object_list or [])} objects",
            expected=f"{found.nranks}, one per process",
            fix="give as many objects as processes",
        )
    everything: list[Any] = []
    all_gather_object(everything, list(in_object_list or []), found)
    out_object_list[:] = [everything[place][found.rank]]
