"""Processes that work together: who they are, and groups of them."""

from __future__ import annotations

import datetime
import functools
import os
from collections.abc import Sequence
from typing import Any

import jax
from jax.sharding import Mesh

from proa.core import InvalidArgumentError, PreconditionError, define_flag, get_flags

from ._mailbox import Mailbox

#: Seconds that processes wait for each other where nothing else is said, as in Paddle.
TIMEOUT = 1800.0
define_flag("FLAGS_connect_timeout", 60)


class ParallelEnv:
    """What the launcher told this process, from its environment.

    Examples:
        >>> import proa.distributed as dist
        >>> dist.ParallelEnv().world_size
        1
    """

    def __init__(self) -> None:
        self.rank = _number("PADDLE_TRAINER_ID", 0)
        self.world_size = _number("PADDLE_TRAINERS_NUM", 1)
        self.local_rank = _number("PADDLE_LOCAL_RANK", self.rank)
        endpoints = os.environ.get("PADDLE_TRAINER_ENDPOINTS", "")
        self.trainer_endpoints = endpoints.split(",") if endpoints else []
        self.current_endpoint = os.environ.get("PADDLE_CURRENT_ENDPOINT", "")
        self.device_id = _number("PADDLE_DEVICE_ID", 0)
        self.device_type = jax.default_backend() if is_initialized() else "cpu"
        self.nrings = 1
        if not 0 <= self.rank < self.world_size:
            raise PreconditionError(
                f"PADDLE_TRAINER_ID={self.rank} of PADDLE_TRAINERS_NUM={self.world_size}",
                expected="a number from 0 to the number of processes - 1",
                fix="start the script with python -m proa.distributed.launch",
            )

    @property
    def nranks(self) -> int:
        """Number of processes."""
        return self.world_size

    @property
    def dev_id(self) -> int:
        """Number of the process's device."""
        return self.device_id


def _number(name: str, default: int) -> int:
    text = os.environ.get(name, "")
    if not text:
        return default
    try:
        return int(text)
    except ValueError:
        raise PreconditionError(
            f"the environment has {name}={text!r}",
            expected="a whole number",
            fix="start the script with python -m proa.distributed.launch, which sets it",
        ) from None


class Group:
    """Some of the processes, in an order; made by `new_group`.

    Attributes:
        ranks: numbers of the processes.
        id: number of the group.
        timeout: seconds that a message is waited for.
    """

    def __init__(self, ranks: Sequence[int], id: int, timeout: float = TIMEOUT) -> None:
        self.ranks, self.id, self.timeout = list(ranks), id, timeout
        self.name = f"_default_pg{id}" if id else "_default_pg"

    @property
    def rank(self) -> int:
        """Place of this process in the group; -1 where it has none."""
        return self.get_group_rank(get_rank())

    @property
    def nranks(self) -> int:
        """Number of processes."""
        return len(self.ranks)

    world_size = nranks

    @property
    def process_group(self) -> Group:
        """The group itself."""
        return self

    def is_member(self) -> bool:
        """Whether this process belongs to it."""
        return self.rank >= 0

    def get_group_rank(self, rank: int) -> int:
        """Returns the place of a process in the group; -1 where it has none."""
        return self.ranks.index(rank) if rank in self.ranks else -1

    @functools.cached_property
    def mesh(self) -> Mesh:
        """One device of each process."""
        firsts: dict[int, Any] = {}
        for device in jax.devices():
            firsts.setdefault(device.process_index, device)
        return jax.make_mesh((self.nranks,), ("rank",), devices=[firsts[r] for r in self.ranks])

    def __repr__(self) -> str:
        return f"rank: {self.rank}, nranks: {self.nranks}, id: {self.id}, ranks: {self.ranks}"


_groups: dict[int, Group] = {}


def is_initialized() -> bool:
    """Whether `init_parallel_env` was called."""
    return 0 in _groups


def is_available() -> bool:
    """Whether processes can work together here: yes."""
    return True


def init_parallel_env(nccl_config: Any = None) -> Group:
    """Connects this process with the others that the launcher started.

    It comes before anything that computes. In a single process the group is that process.

    Args:
        nccl_config: kept for Paddle's signature.

    Returns:
        The group of all processes.

    Raises:
        PreconditionError: something was computed before, or the others cannot be reached.
    """
    if not is_initialized():
        env = ParallelEnv()
        if env.world_size > 1 and not jax.distributed.is_initialized():
            _connect(env)
        if env.trainer_endpoints:
            mailbox()
        count = jax.process_count() if jax.distributed.is_initialized() else 1
        _groups[0] = Group(range(count), 0)
    return _groups[0]


@functools.cache
def mailbox() -> Mailbox:
    """Returns this process's mailbox; begins to listen at the first call.

    Raises:
        PreconditionError: nobody said where the processes listen.
    """
    env = ParallelEnv()
    if len(env.trainer_endpoints) != env.world_size:
        raise PreconditionError(
            f"{len(env.trainer_endpoints)} endpoints for {env.world_size} processes",
            expected="PADDLE_TRAINER_ENDPOINTS with one host:port per process",
            fix="start the script with python -m proa.distributed.launch",
        )
    return Mailbox(env.rank, env.trainer_endpoints)


def _connect(env: ParallelEnv) -> None:
    master = os.environ.get("PADDLE_MASTER", "")
    if not master:
        raise PreconditionError(
            f"process {env.rank} of {env.world_size} without the address of the first one",
            expected="PADDLE_MASTER=host:port in the environment",
            fix="start the script with python -m proa.distributed.launch",
        )
    seconds = int(get_flags("FLAGS_connect_timeout")["FLAGS_connect_timeout"])
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    try:
        jax.distributed.initialize(
            master.removeprefix("http://"),
            env.world_size,
            env.rank,
            initialization_timeout=seconds,
        )
        jax.devices()
    except RuntimeError as error:
        text = str(error).splitlines()[0][:300]
        if "before any JAX" in text:
            raise PreconditionError(
                "init_parallel_env() after something was computed",
                expected="the first call of the script that needs a device",
                fix="move it above the first tensor",
            ) from error
        raise PreconditionError(
            f"process {env.rank} of {env.world_size} could not meet the others at {master} "
            f"within {seconds} s: {text}",
            expected="all processes to call init_parallel_env()",
            fix="see the logs of the others (workerlog.*), or raise FLAGS_connect_timeout",
        ) from error


def destroy_process_group(group: Group | None = None) -> None:
    """Forgets a group; all of them where none is given."""
    if group is None or group.id == 0:
        _groups.clear()
    else:
        _groups.pop(group.id, None)


def get_group(id: int = 0) -> Group:
    """Returns the group with a number; 0 is that of all processes.

    Raises:
        InvalidArgumentError: there is none.
    """
    if id == 0 and not is_initialized():
        return Group(range(get_world_size()), 0)
    if id not in _groups:
        raise InvalidArgumentError(
            f"group {id}",
            expected=f"one of {sorted(_groups)}",
            fix="make it with new_group, in all processes",
        )
    return _groups[id]


def world_or(group: Group | None) -> Group:
    """Returns the group, or that of all processes."""
    return get_group() if group is None else group


def new_group(
    ranks: Sequence[int] | None = None,
    backend: str | None = None,
    timeout: datetime.timedelta = datetime.timedelta(seconds=TIMEOUT),
    nccl_comm_init_option: int = 0,
    nccl_config: Any = None,
) -> Group:
    """Makes a group of some processes; all processes call it, in the same order.

    Args:
        ranks: numbers of the processes; all by default.
        backend: kept for Paddle's signature: the devices decide.
        timeout: how long a message is waited for.
        nccl_comm_init_option: kept for Paddle's signature, as is the next.
        nccl_config: likewise.

    Returns:
        The group; in processes that do not belong to it, its `rank` is -1.

    Raises:
        InvalidArgumentError: a process that does not exist, or one named twice.

    Examples:
        >>> import proa.distributed as dist
        >>> group = dist.new_group([0])
        >>> group.nranks, group.rank
        (1, 0)
    """
    world = init_parallel_env()
    members = sorted(world.ranks if ranks is None else ranks)
    if len(set(members)) != len(members) or not set(members) <= set(world.ranks) or not members:
        raise InvalidArgumentError(
            f"a group of the processes {list(ranks or [])}",
            expected=f"some of 0 to {world.nranks - 1}, each once",
            fix="check the number of processes: dist.get_world_size()",
        )
    number = max(_groups) + 1
    _groups[number] = Group(members, number, timeout.total_seconds())
    return _groups[number]


def get_world_size(group: Group | None = None) -> int:
    """Returns the number of processes, of a group or all."""
    if group is not None:
        return group.nranks
    if is_initialized():
        return _groups[0].nranks
    return jax.process_count() if jax.distributed.is_initialized() else ParallelEnv().world_size


def get_rank(group: Group | None = None) -> int:
    """Returns the number of this process, in a group (-1 where it is no member) or among all."""
    if group is not None:
        return group.rank
    return jax.process_index() if jax.distributed.is_initialized() else ParallelEnv().rank


def get_backend(group: Group | None = None) -> str:
    """Returns what carries the data, in Paddle's words: `'GLOO'`, `'NCCL'` or the platform."""
    platform = jax.default_backend()
    return {"cpu": "GLOO", "gpu": "NCCL"}.get(platform, platform.upper())
