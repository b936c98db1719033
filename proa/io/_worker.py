"""The worker process: reads the batches that the main process asks for.

Runs in a process forked from the launcher's, which has imported Proa and started no device.
"""

from __future__ import annotations

import faulthandler
import mmap
import os
import pickle
import queue
import struct
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from proa.core import PreconditionError

from . import _payload
from ._errors import SampleError
from ._fetch import (
    SENDING,
    STARTING,
    WAITING,
    EndOfStream,
    Progress,
    Reader,
    Task,
    make_reader,
)
from ._random import digest, seed_globals
from ._transport import Message, SharedMemory, send

_PROGRESS = struct.Struct("<qqq")
PROGRESS_BYTES = _PROGRESS.size


class Setup(NamedTuple):
    """The first message to a worker."""

    worker: int
    num_workers: int
    epoch: int
    seed: int
    memory_prefix: str
    memory_budget: int


class Cancel(NamedTuple):
    """Makes a worker pass over the tasks of earlier runs."""

    run: int


class WorkerInfo:
    """What a worker process knows of itself: read-only.

    Attributes:
        id: number of the worker, from 0.
        num_workers: how many workers the loader has.
        dataset: the worker's copy of the dataset.
        seed: an integer that differs between workers, epochs and runs.

    Examples:
        >>> import proa.io
        >>> proa.io.WorkerInfo(id=0, num_workers=2, dataset=None, seed=7)
        WorkerInfo(id=0, num_workers=2, seed=7)
    """

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __setattr__(self, name: str, value: Any) -> None:
        raise _read_only(name)

    def __repr__(self) -> str:
        info = self.__dict__
        return (
            f"WorkerInfo(id={info['id']}, num_workers={info['num_workers']}, seed={info['seed']})"
        )


def _read_only(name: str) -> Exception:
    return PreconditionError(
        f"attribute `{name}` of a WorkerInfo was assigned to",
        expected="reading only",
        fix="keep state of your own on the dataset",
    )


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Returns what this worker process knows of itself, `None` in the main process.

    An `IterableDataset` uses it to read its share only.

    Returns:
        A `WorkerInfo` with `id`, `num_workers`, `dataset` and `seed`, or `None`.

    Examples:
        >>> import proa.io
        >>> class Share(proa.io.IterableDataset):
        ...     def __iter__(self):
        ...         info = proa.io.get_worker_info()
        ...         start, step = (0, 1) if info is None else (info.id, info.num_workers)
        ...         return iter(range(start, 10, step))
        >>> len(list(Share()))
        10
    """
    return _info


def read_progress(shared: mmap.mmap) -> tuple[int, int, int]:
    """Returns the stage, the number of the task and the position in it of a worker."""
    return _PROGRESS.unpack_from(shared)


def run_worker(channel: int, payload: int, progress: int) -> None:
    """Works until the main process closes the channel or is gone.

    Args:
        channel: descriptor of a socket to the main process.
        payload: descriptor of what `_payload.pack` wrote.
        progress: descriptor of a file that tells what the worker is doing.
    """
    faulthandler.enable()
    connection = Connection(channel)
    shared = mmap.mmap(progress, PROGRESS_BYTES)
    setup: Setup = connection.recv()
    memory = SharedMemory(setup.memory_prefix, setup.memory_budget)

    def report(stage: int, number: int, position: int) -> None:
        _PROGRESS.pack_into(shared, 0, stage, number, position)

    report(STARTING, -1, 0)
    inbox = _Inbox(connection)
    try:
        reader = _start(setup, payload, report, memory)
    except Exception as error:
        send(connection, _failure("start", -1, error), memory)
        inbox.wait_for_end()
    os.close(payload)
    send(connection, Message("ready", -1, None), memory)
    while True:
        report(WAITING, -1, 0)
        task = inbox.get()
        memory.slots.take_back(task.returned)
        if task.run < inbox.cancelled_before:
            continue
        answer = _answer(reader, task)
        report(SENDING, task.number, 0)
        _send_safely(connection, answer, memory)


def _start(setup: Setup, payload: int, report: Progress, memory: SharedMemory) -> Reader:
    global _info
    job = _payload.unpack(payload)
    state = digest(setup.seed, setup.epoch, "worker", setup.worker)
    _info = WorkerInfo(
        id=setup.worker,
        num_workers=setup.num_workers,
        dataset=job["dataset"],
        seed=int.from_bytes(state[:8], "little"),
    )
    seed_globals(state)
    if job["worker_init_fn"] is not None:
        _initialise(job["worker_init_fn"], setup.worker)
    return make_reader(job, setup.worker, report, memory.empty)


class InitError(Exception):
    """`worker_init_fn` failed; the cause is what it raised."""


def _initialise(function: Callable[[int], Any], worker: int) -> None:
    try:
        function(worker)
    except Exception as error:
        raise InitError from error


class _Inbox:
    """Takes messages off the channel in a thread of its own.

    So the main process never waits for a busy worker to take a task, and a worker in the middle
    of a long sample ends at once when the main process closes the channel or dies.
    """

    def __init__(self, connection: Connection) -> None:
        self._tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self.cancelled_before = 0
        self._connection = connection
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            while True:
                message = self._connection.recv()
                if isinstance(message, Cancel):
                    self.cancelled_before = message.run
                else:
                    self._tasks.put(message)
        except (EOFError, OSError):
            os._exit(0)

    def get(self) -> Task:
        return self._tasks.get()

    def wait_for_end(self) -> None:
        """Never returns: the main process ends the worker once it has read the failure."""
        while True:
            self._tasks.get()


def _answer(reader: Reader, task: Task) -> Message:
    try:
        return Message("batch", task.number, reader.read(task))
    except EndOfStream:
        return Message("end", task.number, None)
    except SampleError as error:
        return _failure("error", task.number, error)


def _failure(kind: str, number: int, error: BaseException) -> Message:
    """Describes an error so that the main process can raise it again."""
    cause = error.__cause__ if isinstance(error, SampleError | InitError) else error
    shown = cause or error
    text = "".join(traceback.format_exception(shown)).rstrip() if cause is not None else ""
    content = {
        "error": error if isinstance(error, SampleError) else None,
        "init": isinstance(error, InitError),
        "summary": f"{type(shown).__name__}: {shown}",
        "traceback": text,
        "cause": _pickled(shown) if cause is not None else None,
    }
    return Message(kind, number, content)


def _pickled(error: BaseException) -> bytes | None:
    """The error as bytes, if it survives: an exception with odd arguments may not."""
    try:
        data = pickle.dumps(error)
        pickle.loads(data)
    except Exception:
        return None
    return data


def _send_safely(connection: Connection, message: Message, memory: SharedMemory) -> None:
    try:
        send(connection, message, memory)
    except (BrokenPipeError, ConnectionError):
        os._exit(0)
    except Exception as error:
        # The batch, or an index in the error, cannot be pickled; nothing was sent yet.
        failed = SampleError(
            f"a batch cannot be sent to the main process: {type(error).__name__}: {error}",
            expected="samples that pickle takes: arrays, numbers, strings and containers of them",
            fix="convert them in __getitem__ or in the collate_fn, or use num_workers=0",
        )
        failed.__cause__ = error
        send(connection, _failure("error", message.number, failed), memory)
