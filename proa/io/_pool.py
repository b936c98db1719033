"""The worker processes of a loader, seen from the main process."""

from __future__ import annotations

import mmap
import os
import pickle
import shutil
import signal
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from socket import socketpair
from typing import Any

from ._errors import SampleError, WorkerError, WorkerTimeoutError
from ._fetch import COLLATING, READING, SENDING, STARTING, Task
from ._launcher import MEMORY_FOLDER, Launcher, launcher
from ._payload import pack
from ._slots import Leases
from ._transport import Message, anonymous_file, receive, remove_leftovers
from ._worker import PROGRESS_BYTES, Cancel, Setup, read_progress

# How often a silent pool is looked at; a dead worker is noticed at once, by its closed channel.
_LOOK_SECONDS = 2.0
# Part of the free shared memory that the batches of one loader may take together.
_SHARE_OF_MEMORY = 0.8


@dataclass
class _Worker:
    number: int
    pid: int
    connection: Connection
    shared: mmap.mmap
    tasks: dict[int, Task] = field(default_factory=dict)
    leases: Leases = field(default_factory=Leases)
    ready: bool = False


def free_memory(folder: str) -> int:
    """Returns the free bytes of a shared memory folder, 0 when there is none."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 0


class WorkerPool:
    """Worker processes that read batches; tasks go out in any order, results come by number.

    Args:
        job: what every worker needs, see `_payload.pack`.
        num_workers: how many processes.
        prefetch: batches under way at a time, per worker.
        seed: the run's seed.
        epoch: the epoch in which the workers start.
        timeout: seconds that a batch may take; 0 for any time.
        shared_memory: whether big arrays may go through shared memory.
        on_overflow: called with the bytes of a batch for which shared memory had no room.
    """

    def __init__(
        self,
        job: dict[str, Any],
        *,
        num_workers: int,
        prefetch: int,
        seed: int,
        epoch: int,
        timeout: float,
        shared_memory: bool,
        on_overflow: Callable[[int], None],
    ) -> None:
        self._job, self._timeout, self._on_overflow = job, timeout, on_overflow
        self.num_workers, self.capacity = num_workers, num_workers * prefetch
        self._workers: list[_Worker] = []
        self._results: dict[int, tuple[int, Message]] = {}
        self._numbers = 0
        self._launcher = launcher()
        self._shared_memory = shared_memory and os.path.isdir(MEMORY_FOLDER)
        prefix, budget = "", 0
        if self._shared_memory:
            free = free_memory(MEMORY_FOLDER)
            # One batch more per worker: those that the user has not let go of yet.
            budget = int(free * _SHARE_OF_MEMORY) // (num_workers * (prefetch + 1))
            prefix = self._launcher.memory_prefix
        self.memory_budget = budget
        self.close = weakref.finalize(self, _close, os.getpid(), self._launcher, self._workers)
        payload = pack(job)
        try:
            for number in range(num_workers):
                setup = Setup(number, num_workers, epoch, seed, prefix, budget)
                self._workers.append(_start_worker(self._launcher, setup, payload))
        finally:
            os.close(payload)

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers."""
        return [worker.pid for worker in self._workers]

    def submit(self, task: Task, worker: int | None = None) -> int:
        """Gives a task to a worker (to the least busy one by default); returns its number."""
        number = self._numbers
        self._numbers += 1
        chosen = (
            self._workers[worker]
            if worker is not None
            else min(self._workers, key=lambda each: len(each.tasks))
        )
        task = task._replace(number=number, returned=chosen.leases.take_returned())
        chosen.tasks[number] = task
        try:
            chosen.connection.send(task)
        except OSError as error:
            raise self._death(chosen) from error
        return number

    def take(self, number: int) -> Message:
        """Waits for the answer to a task.

        Raises:
            SampleError: the sample could not be read, or the batch not be put together.
            WorkerTimeoutError: it took longer than `timeout`.
            WorkerError: a worker ended before its time.
        """
        since = time.monotonic()
        while number not in self._results:
            owner = next((w for w in self._workers if number in w.tasks), None)
            if owner is not None and not owner.ready:
                since = time.monotonic()
            left = self._timeout - (time.monotonic() - since) if self._timeout else _LOOK_SECONDS
            if left <= 0 and owner is not None:
                raise self._too_slow(owner, owner.tasks[number])
            self._receive_some(min(max(left, 0.0), _LOOK_SECONDS))
        worker, message = self._results.pop(number)
        if message.kind == "error":
            raise _raised(message.content, worker, self._job)
        return message

    def cancel(self, run: int) -> None:
        """Passes over all tasks of runs before `run`, and drops their results."""
        self._results.clear()
        for worker in self._workers:
            worker.tasks.clear()
            with suppress(OSError):
                worker.connection.send(Cancel(run))

    def _receive_some(self, seconds: float) -> None:
        by_connection = {worker.connection: worker for worker in self._workers}
        ready = wait(list(by_connection), seconds)
        for connection in ready:
            self._receive(by_connection[connection])  # type: ignore[index]
        if not ready:
            # A process that the dataset has started may hold the channel of a dead worker open.
            for worker in self._workers:
                if self._launcher.status(worker.pid, 0.0) is not None:
                    raise self._death(worker)

    def _receive(self, worker: _Worker) -> None:
        try:
            message = receive(worker.connection, worker.leases)
        except (EOFError, OSError) as error:
            raise self._death(worker) from error
        if message.kind == "ready":
            worker.ready = True
        elif message.kind == "start":
            raise _not_started(message.content, worker.number, self._job)
        elif worker.tasks.pop(message.number, None) is not None:
            self._results[message.number] = (worker.number, message)
            if message.overflow and self._shared_memory:
                self._on_overflow(message.overflow)

    def _death(self, worker: _Worker) -> WorkerError:
        status = self._launcher.status(worker.pid)
        how = "its connection was lost" if status is None else f"exit status {status}"
        fix = "see its messages above; num_workers=0 shows where in a debugger"
        if status is not None and status < 0:
            how = f"ended by signal {-status} ({signal.Signals(-status).name})"
            if -status == signal.SIGKILL:
                fix = (
                    "when memory ran out, use fewer workers, a smaller prefetch_factor or "
                    "batches; else see who killed it"
                )
            else:
                fix = "native code that the dataset calls crashed: see the stack above, " + (
                    "and try num_workers=0"
                )
        return WorkerError(
            f"worker {worker.number} of {self.num_workers} (process {worker.pid}) died while "
            f"{self._doing(worker)}: {how}",
            expected="a worker that runs until the loader ends it",
            fix=fix,
        )

    def _too_slow(self, worker: _Worker, task: Task) -> WorkerTimeoutError:
        return WorkerTimeoutError(
            f"worker {worker.number} of {self.num_workers} (process {worker.pid}) did not deliver "
            f"batch {task.batch} within timeout={self._timeout:g} s; it was {self._doing(worker)}",
            expected="each batch within the timeout",
            fix="see what that sample waits for, or raise timeout (0 waits for any time)",
        )

    def _doing(self, worker: _Worker) -> str:
        stage, number, position = read_progress(worker.shared)
        name, task = self._job["name"], worker.tasks.get(number)
        if stage == STARTING:
            return f"starting (loading {name}, worker_init_fn)"
        if task is None:
            return "waiting for work"
        if stage == READING:
            if task.keys is None:
                return f"reading sample {position} of its batch {task.batch} of {name}"
            return f"reading sample {task.keys[position]!r} of {name} (batch {task.batch})"
        verb = {COLLATING: "collating", SENDING: "sending"}.get(stage, "about to read")
        return f"{verb} batch {task.batch} of {name}"


def _start_worker(starter: Launcher, setup: Setup, payload: int) -> _Worker:
    ours, theirs = socketpair()
    progress = anonymous_file(lambda descriptor: os.ftruncate(descriptor, PROGRESS_BYTES))
    connection = Connection(ours.detach())
    try:
        shared = mmap.mmap(progress, PROGRESS_BYTES)
        pid = starter.fork([theirs.fileno(), payload, progress])
        worker = _Worker(setup.worker, pid, connection, shared)
    except BaseException:
        connection.close()
        raise
    finally:
        os.close(progress)
        theirs.close()
    connection.send(setup)
    return worker


def _close(owner: int, starter: Launcher, workers: list[_Worker]) -> None:
    """Ends the workers: a closed channel is their sign, and a signal the last word."""
    for worker in workers:
        worker.connection.close()
    if owner != os.getpid() or not workers:
        return
    with suppress(WorkerError):
        if starter.alive:
            starter.end([worker.pid for worker in workers])
    for worker in workers:
        remove_leftovers(f"{starter.memory_prefix}{worker.pid}-")


def _raised(content: dict[str, Any], worker: int, job: dict[str, Any]) -> SampleError:
    described: SampleError = content["error"]
    described.worker, described.worker_traceback = worker, content["traceback"]
    described.__cause__ = _cause(content)
    return described


def _cause(content: dict[str, Any]) -> BaseException | None:
    if content["cause"] is None:
        return None
    try:
        cause = pickle.loads(content["cause"])
    except Exception:
        return None
    return cause if isinstance(cause, BaseException) else None


def _not_started(content: dict[str, Any], worker: int, job: dict[str, Any]) -> WorkerError:
    name = job["name"]
    if content["init"]:
        function = getattr(job["worker_init_fn"], "__qualname__", "worker_init_fn")
        got = f"`worker_init_fn` ({function}) failed in worker {worker}: {content['summary']}"
        expected, fix = f"{function}({worker}) to return", "correct it by the traceback below"
    else:
        got = f"worker {worker} could not load {name}: {content['summary']}"
        expected = "a dataset and functions that another process can import and unpickle"
        fix = "define them at the top level of a module or script, or use num_workers=0"
    error = WorkerError(
        got,
        expected=expected,
        fix=f"{fix}\n\nTraceback of worker {worker}:\n{content['traceback']}",
    )
    error.__cause__ = _cause(content)
    return error


def in_order(pool: WorkerPool, tasks: Iterable[Task]) -> Iterator[Any]:
    """Yields the batches of tasks in their order, reading ahead as far as the pool may."""
    waiting: deque[int] = deque()
    for task in tasks:
        waiting.append(pool.submit(task))
        if len(waiting) >= pool.capacity:
            yield pool.take(waiting.popleft()).content
    while waiting:
        yield pool.take(waiting.popleft()).content


def streams_in_turn(pool: WorkerPool, template: Task, skipped: int) -> Iterator[Any]:
    """Yields the batches of the workers' streams in turn; ended streams lose their turn.

    The order depends on the streams alone, not on how far the pool reads ahead.

    Args:
        pool: the workers.
        template: task with the run, epoch and seed.
        skipped: how many batches are passed over at first.
    """
    alive, turn, issued, passed = list(range(pool.num_workers)), -1, 0, 0
    waiting: deque[tuple[int, int, bool]] = deque()
    while alive or waiting:
        room = pool.capacity if passed >= skipped else min(pool.capacity, skipped - passed)
        while alive and len(waiting) < room:
            turn = next((worker for worker in alive if worker > turn), alive[0])
            task = template._replace(batch=issued, skip=passed < skipped)
            waiting.append((pool.submit(task, turn), turn, task.skip))
            issued += 1
        number, worker, skip = waiting.popleft()
        answer = pool.take(number)
        if answer.kind == "end":
            if worker in alive:
                alive.remove(worker)
        elif skip:
            passed += 1
        else:
            yield answer.content
