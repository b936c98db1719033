"""A small process that forks the workers, since the main process must not fork.

The main process has threads of XLA in it; a fork copies their locks but not the threads that
would release them. This one has imported Proa once, has a single thread, and starts no device;
a fork of it is a worker within milliseconds.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
import traceback
from contextlib import suppress
from typing import Any

from ._transport import remove_leftovers
from ._worker import run_worker

_POLL_SECONDS = 0.002
MESSAGE_BYTES = 1 << 16


def serve(channel_descriptor: int, memory_prefix: str) -> None:
    """Answers requests until the main process is gone; then ends all workers.

    Args:
        channel_descriptor: socket to the main process; one request at a time.
        memory_prefix: start of the paths of this run's files in shared memory.
    """
    children: dict[int, int | None] = {}
    with socket.socket(fileno=channel_descriptor) as channel, suppress(OSError):
        while True:
            data, descriptors, _, _ = socket.recv_fds(channel, MESSAGE_BYTES, 8)
            if not data:
                break
            reply = _reply(channel, json.loads(data), descriptors, children)
            channel.sendall(json.dumps(reply).encode())
    _kill(children, list(children))
    remove_leftovers(memory_prefix)


def _reply(
    channel: socket.socket,
    request: dict[str, Any],
    descriptors: list[int],
    children: dict[int, int | None],
) -> Any:
    if request["do"] == "fork":
        pid = _fork(channel, descriptors)
        children[pid] = None
        return pid
    pids = request["pids"]
    states = _wait(children, pids, request["seconds"])
    if request["do"] == "status":
        return states
    _kill(children, pids)
    return [children.pop(pid, None) for pid in pids]


def _fork(channel: socket.socket, descriptors: list[int]) -> int:
    pid = os.fork()
    if pid:
        for descriptor in descriptors:
            os.close(descriptor)
        return pid
    status = 1
    try:
        # Not SIGINT: on Ctrl-C the main process ends the workers, without a traceback of each.
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        channel.close()
        run_worker(*descriptors)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)


def _reap(children: dict[int, int | None], pids: list[int]) -> list[int]:
    """Asks once for the exit status of processes; returns those that are still running."""
    running = []
    for pid in pids:
        if children.get(pid, 0) is None:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                children[pid] = os.waitstatus_to_exitcode(status)
            else:
                running.append(pid)
    return running


def _wait(children: dict[int, int | None], pids: list[int], seconds: float) -> list[int | None]:
    deadline = time.monotonic() + seconds
    while _reap(children, pids) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    return [children.get(pid) for pid in pids]


def _kill(children: dict[int, int | None], pids: list[int]) -> None:
    for pid in _reap(children, pids):
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        children[pid] = os.waitstatus_to_exitcode(status)
