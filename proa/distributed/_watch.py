"""Says which process keeps the others waiting, and where it is.

A collective that does not end looks like any long computation. So each one is noted when it
begins, and when one takes longer than FLAGS_collective_patience seconds, the other processes are
asked how far they are. They answer from the thread that reads their mailbox, whatever their
main thread does.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from proa.core import ProaError, define_flag, get_flags

from ._process_group import Group, get_rank, mailbox

define_flag("FLAGS_collective_patience", 20.0)
#: Seconds between looks, and seconds that an answer is waited for.
_LOOK, _ANSWER = 0.5, 5.0
#: Exit code of a process that nobody waits for any more.
GAVE_UP = 75


@dataclass
class Entry:
    """A collective that has begun in this process."""

    name: str
    group: Group
    number: int
    begun: float = field(default_factory=time.monotonic)
    result: Any = None
    told: bool = False

    def is_over(self) -> bool:
        """Whether its result is there."""
        return self.result is not None and self.result.is_ready()


class Watch:
    """Notes collectives and looks after those that take long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[Entry] = []
        self._numbers: Counter[int] = Counter()
        self._last: dict[int, str] = {}
        self._thread: threading.Thread | None = None

    def begin(self, name: str, group: Group) -> Entry:
        """Notes that this process comes to a collective."""
        with self._lock:
            self._numbers[group.id] += 1
            entry = Entry(name, group, self._numbers[group.id])
            self._last[group.id] = name
            self._entries.append(entry)
            if self._thread is None:
                mailbox().answer = self.status
                self._thread = threading.Thread(target=self._look, name="proa-watch", daemon=True)
                self._thread.start()
        return entry

    def forget(self, entry: Entry) -> None:
        """Takes a collective back that failed."""
        with self._lock:
            self._entries.remove(entry)

    def status(self, question: dict[str, Any]) -> dict[str, Any]:
        """How far this process is in a group, and where its main thread stands."""
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        group = question["group"]
        return {
            "number": self._numbers[group],
            "name": self._last.get(group, ""),
            "stack": "".join(traceback.format_stack(frame)[-8:]) if frame else "",
        }

    def _look(self) -> None:
        while True:
            time.sleep(_LOOK)
            patience = float(get_flags("FLAGS_collective_patience")["FLAGS_collective_patience"])
            with self._lock:
                self._entries = [entry for entry in self._entries if not entry.is_over()]
                held = list(self._entries)
            for entry in held:
                waited = time.monotonic() - entry.begun
                if waited > patience and not entry.told:
                    entry.told = True
                    print(describe(entry, waited), file=sys.stderr, flush=True)
                if waited > entry.group.timeout:
                    print(
                        f"proa: process {get_rank()} gives up after {waited:.0f} s "
                        "(the timeout of the group)",
                        file=sys.stderr,
                        flush=True,
                    )
                    os._exit(GAVE_UP)


def describe(entry: Entry, waited: float) -> str:
    """Asks the other processes and says who is missing."""
    lines = [
        f"proa: process {get_rank()} has waited {waited:.0f} s in {entry.name} "
        f"(number {entry.number} of group {entry.group.id}, processes {entry.group.ranks})"
    ]
    for rank in entry.group.ranks:
        if rank == get_rank():
            continue
        try:
            found = mailbox().ask(rank, {"group": entry.group.id}, _ANSWER)
        except (ProaError, OSError) as error:
            lines.append(f"- process {rank} does not answer: {str(error).splitlines()[0]}")
            continue
        if found["number"] < entry.number:
            last = f"{found['name']}, number {found['number']}" if found["name"] else "none"
            lines.append(
                f"- process {rank} has not come (its last: {last}). It is here:\n{found['stack']}"
            )
        elif found["number"] == entry.number and found["name"] != entry.name:
            lines.append(
                f"- process {rank} calls {found['name']} there: the processes do not do the "
                f"same. It is here:\n{found['stack']}"
            )
        else:
            lines.append(f"- process {rank} has come")
    return "\n".join(lines)


_watch = Watch()


def begin(name: str, group: Group) -> Entry:
    """Notes that this process comes to a collective of several."""
    return _watch.begin(name, group)


def forget(entry: Entry) -> None:
    """Takes a collective back that failed."""
    _watch.forget(entry)
