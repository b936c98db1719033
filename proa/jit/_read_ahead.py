"""Reading a kept executable while the step is still recorded.

Which executable a step needs is known when its Program is; which one it needed the last time is
noted beside it. XLA loads in C++, without Python's lock, so both take the time of the longer one.
A note only names a file: what is in it counts if it carries the user's MAC and is for this Program.
"""

from __future__ import annotations

import hashlib
import json
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import jax

from proa.core import ProaError
from proa.framework import replace_file
from proa.native import has_kernels
from proa.version import full_version

from ._executables import read_executable


def structures_of(counts: list[int]) -> tuple[Any, Any]:
    """Returns JAX's structures of a step's arguments and results.

    Args:
        counts: how many arrays are donated, captured otherwise, given, and returned.
    """
    *given, returned = counts
    arguments = tuple([[0] * count for count in given])
    return (
        jax.tree_util.tree_structure((arguments, {})),
        jax.tree_util.tree_structure((0,) * returned),
    )


class ReadAhead:
    """What is read for one function.

    Args:
        folder: where executables and notes are; `None` to read nothing.
        function: the function that is compiled.
    """

    def __init__(self, folder: Path | None, function: Any) -> None:
        code = getattr(function, "__code__", None)
        self._note: Path | None = None
        self._path: Path | None = None
        self._counts: list[int] = []
        self._found: tuple[bytes, Any] | None = None
        self._thread: threading.Thread | None = None
        #: Whether this version of Proa has noted what the function needs.
        self.is_current = False
        if folder is not None and code is not None:
            place = f"{code.co_filename}:{code.co_firstlineno}:{code.co_qualname}"
            self._note = folder / f"{hashlib.sha256(place.encode()).hexdigest()[:32]}.note"
            with suppress(OSError, ValueError, TypeError, KeyError):
                self._begin(folder, json.loads(self._note.read_text()))

    def _begin(self, folder: Path, note: dict[str, Any]) -> None:
        self.is_current = note["proa"] == full_version
        # Only the name: a note leads nowhere else.
        path = folder / Path(note["file"]).name
        self._counts = [int(count) for count in note["counts"]]
        structures, device = structures_of(self._counts), jax.devices()[0]
        # Asking loads them, without which no executable that calls one could be loaded.
        has_kernels()
        self._path = path
        self._thread = threading.Thread(target=self._read, args=(path, structures, device))
        self._thread.start()

    def _read(self, path: Path, structures: Any, device: Any) -> None:
        # Whoever needs the file reads it again, and tells what is wrong with it.
        with suppress(Exception):
            self._found = read_executable(path, structures, device)

    def take(self, path: Path, header: bytes, counts: list[int]) -> Any:
        """Returns the executable of a file, if it is the one that was read and for this header."""
        if self._thread is None or path != self._path or counts != self._counts:
            return None
        self._thread.join()
        found, self._found, self._thread = self._found, None, None
        return found[1] if found is not None and found[0] == header else None

    def remember(self, path: Path | None, counts: list[int]) -> None:
        """Notes what the function needed, for its next start."""
        is_known = self.is_current and (path, counts) == (self._path, self._counts)
        if self._note is None or path is None or is_known:
            return
        note = json.dumps({"file": path.name, "counts": counts, "proa": full_version})
        # Without a note the next start takes longer, that is all.
        with suppress(OSError, ProaError), replace_file(self._note) as temporary:
            temporary.write_text(note)
