"""Calling a function in several processes that work together."""

from __future__ import annotations

import multiprocessing
import os
import secrets
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from proa.core import InvalidArgumentError, PreconditionError

from .launch import free_endpoints, worker_environment

#: Seconds that processes get to end by themselves, and between looks at them.
PATIENCE, _LOOK = 10.0, 0.1


class SpawnContext:
    """Processes that `spawn` started.

    Attributes:
        processes: one per rank.
    """

    def __init__(self, processes: Sequence[Any], channels: Sequence[Any]) -> None:
        self.processes, self._channels = list(processes), list(channels)

    def join(self, timeout: float | None = None) -> bool:
        """Waits for all; returns whether they have ended.

        Raises:
            PreconditionError: one of them failed; the others are ended.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while any(process.exitcode is None for process in self.processes):
            if any(process.exitcode for process in self.processes):
                break
            if end is not None and time.monotonic() > end:
                return False
            time.sleep(_LOOK)
        failed = [i for i, process in enumerate(self.processes) if process.exitcode]
        if failed:
            self.terminate()
            channel = self._channels[failed[0]]
            text = channel.recv() if channel.poll() else "it left no traceback"
            code = self.processes[failed[0]].exitcode
            raise PreconditionError(
                f"process {failed[0]} of spawn ended with exit code {code}:\n{text}",
                expected="a function that returns in all processes",
                fix="mend what the traceback shows; the other processes were ended",
            )
        return True

    def terminate(self) -> None:
        """Ends all processes."""
        for process in self.processes:
            if process.exitcode is None:
                process.terminate()
        for process in self.processes:
            process.join(PATIENCE)
            if process.exitcode is None:
                process.kill()
                process.join()


def _work(func: Callable[..., Any], args: Any, environment: dict[str, str], channel: Any) -> None:
    os.environ.update(environment)
    try:
        func(*args)
    except BaseException:
        channel.send(traceback.format_exc())
        raise


def spawn(
    func: Callable[..., Any],
    args: Sequence[Any] = (),
    nprocs: int = -1,
    join: bool = True,
    daemon: bool = False,
    **options: Any,
) -> SpawnContext:
    """Calls `func(*args)` in several new processes, which find each other.

    The function lies at the top of a module, and calls `init_parallel_env` first.

    Args:
        func: the function.
        args: its arguments; pickled.
        nprocs: number of processes; one per processor core where -1.
        join: whether to wait for their end.
        daemon: whether they end with this process.
        options: `start_method` (`'spawn'`); Paddle's others (`backend`, `ips`, ...) are refused.

    Returns:
        The processes, with `join()`.

    Raises:
        PreconditionError: one of them failed (with its traceback); the others are ended.
    """
    method = options.pop("start_method", "spawn")
    if options or method == "fork" or nprocs == 0 or nprocs < -1:
        raise InvalidArgumentError(
            f"spawn(nprocs={nprocs}, start_method={method!r}, {options})",
            expected="1 or more processes, start_method='spawn' or 'forkserver', nothing else",
            fix="a fork of a process that has computed hangs; more machines: "
            "python -m proa.distributed.launch",
        )
    count = len(os.sched_getaffinity(0)) if nprocs == -1 else nprocs
    master, *endpoints = free_endpoints(count + 1)
    secret, kind = secrets.token_hex(16), multiprocessing.get_context(method)
    processes, channels = [], []
    for rank in range(count):
        mine, theirs = kind.Pipe(duplex=False)
        environment = worker_environment(rank, rank, count, master, endpoints, secret)
        process = kind.Process(  # type: ignore[attr-defined]
            target=_work, args=(func, tuple(args), environment, theirs), daemon=daemon
        )
        process.start()
        theirs.close()
        processes.append(process)
        channels.append(mine)
    made = SpawnContext(processes, channels)
    if join:
        try:
            made.join()
        finally:
            made.terminate()
    return made
