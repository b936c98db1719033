"""Where messages of other processes wait: each process listens at its own endpoint.

A collective needs all processes at once; a message waits in the receiver's mailbox, so that two
processes may both send first.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

import numpy as np

from proa.core import PreconditionError, get_flags

#: Seconds between looks at whether the sender still lives.
_LOOK = 0.2
#: Number of the group in whose place questions and answers stand.
_ANSWERS = -1


def _secret() -> bytes:
    """What the processes of one job know: the launcher's word, or where they meet."""
    text = os.environ.get("PROA_JOB_SECRET") or os.environ.get("PADDLE_MASTER", "")
    return hashlib.sha256(text.encode()).digest()


class Mailbox:
    """What came for this process, and the connections to the others.

    Args:
        rank: number of this process.
        endpoints: host:port of each process.
    """

    def __init__(self, rank: int, endpoints: Sequence[str]) -> None:
        self.rank, self.endpoints = rank, list(endpoints)
        #: What is told to a process that asks.
        self.answer: Callable[[dict[str, Any]], dict[str, Any]] = lambda question: {
            "number": 0,
            "name": "",
            "stack": "",
        }
        self._boxes: dict[tuple[int, int], queue.Queue[Any]] = defaultdict(queue.Queue)
        self._peers: dict[int, Connection] = {}
        self._gone: set[int] = set()
        self._lock = threading.Lock()
        self._listener = Listener(_address(self.endpoints[self.rank]), authkey=_secret())
        threading.Thread(target=self._accept, name="proa-mailbox", daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection = self._listener.accept()
            except (OSError, EOFError, AuthenticationError):
                # A stranger, who does not know the secret or went away: others are still heard.
                time.sleep(_LOOK)
                continue
            threading.Thread(target=self._read, args=[connection], daemon=True).start()

    def _read(self, connection: Connection) -> None:
        source = -1
        try:
            while True:
                header = json.loads(connection.recv_bytes())
                source, data = header["from"], connection.recv_bytes()
                if header["kind"] == "question":
                    told = json.dumps(self.answer(json.loads(data))).encode()
                    self.send(source, _ANSWERS, "answer", np.frombuffer(told, np.uint8))
                else:
                    self._boxes[header["group"], source].put((header, data))
        except (OSError, EOFError):
            self._gone.add(source)

    def send(self, rank: int, group: int, kind: str, array: np.ndarray) -> None:
        """Sends an array; returns when it is handed over."""
        header = {"from": self.rank, "group": group, "kind": kind}
        header |= {"dtype": array.dtype.name, "shape": array.shape}
        with self._lock:
            connection = self._peers.get(rank) or self._connect(rank)
            self._peers[rank] = connection
            connection.send_bytes(json.dumps(header).encode())
            connection.send_bytes(np.ascontiguousarray(array).view(np.uint8).tobytes())

    def ask(self, rank: int, question: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Asks a process something that its mailbox answers by itself."""
        data = np.frombuffer(json.dumps(question).encode(), np.uint8)
        self.send(rank, _ANSWERS, "question", data)
        return json.loads(self.receive(rank, _ANSWERS, timeout)[1])

    def _connect(self, rank: int) -> Connection:
        seconds = float(get_flags("FLAGS_connect_timeout")["FLAGS_connect_timeout"])
        end = time.monotonic() + seconds
        while True:
            try:
                return Client(_address(self.endpoints[rank]), authkey=_secret())
            except OSError as error:
                if time.monotonic() > end:
                    raise PreconditionError(
                        f"process {rank} does not answer at {self.endpoints[rank]}: {error}",
                        expected=f"a process that listens there within {seconds:g} s",
                        fix="see its log: it may have ended; or raise FLAGS_connect_timeout",
                    ) from error
                time.sleep(_LOOK)

    def receive(self, rank: int, group: int, timeout: float) -> tuple[dict[str, Any], bytes]:
        """Waits for the next message of a process in a group, for some seconds."""
        box, end = self._boxes[group, rank], time.monotonic() + timeout
        while True:
            try:
                return box.get(timeout=_LOOK)
            except queue.Empty:
                if rank in self._gone or time.monotonic() > end:
                    state = "has ended" if rank in self._gone else "sent nothing"
                    raise PreconditionError(
                        f"process {self.rank} waits for a message of process {rank}, which {state}",
                        expected=f"a send within {timeout:g} s",
                        fix="see its log; each recv needs a send to this process",
                    ) from None


def _address(endpoint: str) -> tuple[str, int]:
    host, _, port = endpoint.rpartition(":")
    return host, int(port)
