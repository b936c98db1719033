"""The main process's end of the process that forks the workers: one per process, on demand."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import weakref
from typing import Any

from proa.core import UnsupportedError

from ._errors import WorkerError

MEMORY_FOLDER = "/dev/shm"
_MESSAGE_BYTES = 1 << 16
_PATIENCE_SECONDS = 5.0

# Signals to the process group are for the main process: this one ends when that one does, and
# then removes what is left of the workers.
_BOOT = """
import json, signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
sys.path[:] = json.loads(sys.argv[2])
from proa.io._forkserver import serve
serve(int(sys.argv[1]), sys.argv[3])
"""

# One thread each: the workers share the cores, and the process that forks must have no other.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# What glibc's allocator keeps for the next image: without that, memory of each one is given back
# and fetched page by page again, a fifth of the time that decoding takes.
_ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(64 << 20)}


class Launcher:
    """Starts worker processes and tells how they ended."""

    def __init__(self) -> None:
        if not hasattr(os, "fork") or not hasattr(socket, "send_fds"):
            raise UnsupportedError(
                f"worker processes were asked for on {sys.platform}",
                expected="a system with fork and descriptor passing (Linux, macOS)",
                fix="use num_workers=0",
            )
        self.owner = os.getpid()
        self.memory_prefix = f"{MEMORY_FOLDER}/proa-{self.owner}-{secrets.token_hex(4)}-"
        self._lock = threading.Lock()
        self._channel, theirs = socket.socketpair()
        with theirs:
            arguments = [str(theirs.fileno()), json.dumps(sys.path), self.memory_prefix]
            # Workers read data and touch no accelerator, which the main process may hold alone.
            defaults = dict.fromkeys(_THREADS, "1") | _ALLOCATOR
            environment = defaults | os.environ | {"JAX_PLATFORMS": "cpu"}
            self._process = subprocess.Popen(
                [sys.executable, "-c", _BOOT, *arguments],
                stdin=subprocess.DEVNULL,
                env=environment,
                pass_fds=[theirs.fileno()],
            )
        self._finalizer = weakref.finalize(self, _shut, self.owner, self._channel, self._process)

    @property
    def alive(self) -> bool:
        """Whether it can still start processes for this one."""
        return self.owner == os.getpid() and self._finalizer.alive and self._process.poll() is None

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def fork(self, descriptors: list[int]) -> int:
        """Forks a worker that gets the descriptors, and returns its process id."""
        return self._ask({"do": "fork"}, descriptors)

    def status(self, pid: int, seconds: float = 1.0) -> int | None:
        """Returns the exit code of a worker (negative: a signal), `None` while it is running."""
        return self._ask({"do": "status", "pids": [pid], "seconds": seconds})[0]

    def end(self, pids: list[int], seconds: float = 1.0) -> None:
        """Waits for workers to end, and kills those that do not."""
        self._ask({"do": "end", "pids": pids, "seconds": seconds})

    def _ask(self, request: dict[str, Any], descriptors: list[int] | None = None) -> Any:
        with self._lock:
            try:
                data = json.dumps(request).encode()
                socket.send_fds(self._channel, [data], descriptors or [])
                answer = self._channel.recv(_MESSAGE_BYTES)
            except OSError:
                answer = b""
        if not answer:
            raise WorkerError(
                "the process that starts the workers has ended "
                f"(exit status {self._process.poll()})",
                expected="`import proa` to work in a new process of "
                f"{sys.executable or 'the interpreter'}",
                fix="see its message above, or use num_workers=0",
            )
        return json.loads(answer)


def _shut(owner: int, channel: socket.socket, process: subprocess.Popen) -> None:
    channel.close()
    if owner != os.getpid():
        # A fork of the owner: the process is not its child, and works on for the owner.
        process.returncode = 0
        return
    try:
        process.wait(_PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


_launcher: Launcher | None = None
_launcher_lock = threading.Lock()


def launcher() -> Launcher:
    """Returns the launcher of this process; starts it if there is none yet."""
    global _launcher
    with _launcher_lock:
        if _launcher is None or not _launcher.alive:
            _launcher = Launcher()
        return _launcher
