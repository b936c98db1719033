"""Worker processes that may crash or hang: the task is counted, the run goes on."""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# Compiled kernels fill memory; a fresh process finds them on the disk again.
GIGABYTES_PER_PROCESS = 1.5
START_LIMIT = 180.0
# A worker whose processes have had hardly anything to do for so many seconds waits for nothing,
# such as a server that is not there: less than this share of one processor.
IDLE_LIMIT, IDLE_SHARE, LOOK_EVERY = 60.0, 0.01, 5.0


@dataclass(frozen=True)
class Side:
    """An interpreter that knows one of the two platforms.

    Args:
        name: "paddle" or "proa".
        command: the command that starts a worker; it gets the kind of task as last argument.
        folder: where workers run and may write.
        environment: added to the environment.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)


class Worker:
    """One worker process: a line of JSON in, a line of JSON out."""

    def __init__(self, side: Side, kind: str) -> None:
        self.side, self._rest = side, b""
        side.folder.mkdir(parents=True, exist_ok=True)
        self.log = side.folder.parent / f"{side.name}-{kind}.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*side.command, kind],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=side.folder,
                env={**os.environ, "PYTHONPATH": str(ROOT), **side.environment},
                # A group of its own, so that children of an example end with the worker.
                start_new_session=True,
            )
        if self._read(START_LIMIT) is None:
            self.stop()
            raise RuntimeError(f"{side.name} does not start: the end of {self.log} says why")

    def ask(self, task: Any, limit: float, idle_limit: float = IDLE_LIMIT) -> dict[str, Any]:
        """Returns the answer, or a status that says how the worker was lost.

        Args:
            task: what to do.
            limit: seconds that it may take.
            idle_limit: seconds in which its processes may do as good as nothing.
        """
        line = json.dumps(task).encode() + b"\n"
        with contextlib.suppress(BrokenPipeError):
            os.write(self.process.stdin.fileno(), line)  # type: ignore[union-attr]
        answer = self._read(limit, idle_limit)
        if answer is not None:
            return answer
        return {"status": "timeout" if self.process.poll() is None else "crash"}

    def _read(self, limit: float, idle_limit: float = math.inf) -> dict[str, Any] | None:
        pipe, now = self.process.stdout.fileno(), time.monotonic()  # type: ignore[union-attr]
        end, active, used = now + limit, now, 0.0
        while b"\n" not in self._rest:
            wait = min(end, now + LOOK_EVERY, active + idle_limit) - now
            ready, _, _ = select.select([pipe], [], [], max(0.0, wait))
            part = os.read(pipe, 1 << 20) if ready else b""
            now = time.monotonic()
            if ready and not part:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(1.0)
                return None
            seconds = processor_seconds(self.process.pid)
            if part or seconds is None or seconds > used + IDLE_SHARE * idle_limit:
                active, used = now, seconds or 0.0
            if now >= min(end, active + idle_limit):
                return None
            self._rest += part
        line, self._rest = self._rest.split(b"\n", maxsplit=1)
        return json.loads(line)

    def resident_gigabytes(self) -> float:
        """Memory in use, where the system tells."""
        pages = Path(f"/proc/{self.process.pid}/statm")
        if not pages.exists():
            return 0.0
        return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**30

    def kill(self) -> None:
        """Ends the process and its children; whoever waits for an answer learns of a crash."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def stop(self) -> None:
        """Ends the process and its children, and closes its pipes."""
        self.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


def processor_seconds(group: int) -> float | None:
    """Time that a group of processes has used of processors; `None` where the system is silent.

    Args:
        group: the number of the group.
    """
    ticks, found = 0, False
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The command stands in brackets and may hold anything.
            fields = file.read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                found = True
                # Of the process itself, and of its children that have ended.
                ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK") if found else None


def run_tasks(
    side: Side,
    kind: str,
    tasks: Mapping[str, Any],
    *,
    limit: float,
    workers: int,
    done: Callable[[str, dict[str, Any]], None],
) -> None:
    """Runs all tasks, each within `limit` seconds; `done` gets each name with its answer."""
    todo, lock = iter(tasks.items()), Lock()
    alive: set[Worker] = set()
    stopped = Event()

    def end(worker: Worker | None) -> None:
        if worker is not None:
            alive.discard(worker)
            worker.stop()

    def work() -> None:
        worker: Worker | None = None
        try:
            while True:
                with lock:
                    name, task = next(todo, (None, None))
                if name is None:
                    return
                if worker is None:
                    worker = Worker(side, kind)
                    alive.add(worker)
                    if stopped.is_set():
                        return
                answer = worker.ask(task, limit)
                with lock:
                    done(name, answer)
                lost = answer.get("status") in ("crash", "timeout")
                if lost or worker.resident_gigabytes() > GIGABYTES_PER_PROCESS:
                    end(worker)
                    worker = None
        finally:
            end(worker)

    with ThreadPoolExecutor(workers) as pool:
        try:
            _wait([pool.submit(work) for _ in range(workers)])
        except BaseException:
            # An interrupted run ends at once.
            stopped.set()
            with lock:
                for _ in todo:
                    pass
            for worker in tuple(alive):
                worker.kill()
            raise


def _wait(futures: Sequence[Future[None]]) -> None:
    """Waits for all, or raises what the first that fails has raised."""
    # Not the first in order: that one may still wait for an answer.
    wait(futures, return_when=FIRST_EXCEPTION)
    for each in futures:
        if each.done():
            each.result()
    wait(futures)
