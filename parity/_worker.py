"""Runs inside either interpreter: `python -m parity._worker paddle|proa calls|docs|files`."""

from __future__ import annotations

import importlib
import json
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

from ._evaluate import call_handler
from ._examples import example_handler
from ._files import file_handler

HANDLERS: dict[str, Callable[[Any], Callable[[Any], dict[str, Any]]]] = {
    "calls": call_handler,
    "docs": example_handler,
    "files": file_handler,
}


def serve(load: Callable[[], Callable[[Any], dict[str, Any]]]) -> None:
    """Answers one line of JSON with another until the input ends.

    The pipes are moved away first, since what runs here may print and read as it likes.
    """
    tasks, replies = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    handle = load()
    print("{}", file=replies, flush=True)
    for line in tasks:
        print(json.dumps(handle(json.loads(line))), file=replies, flush=True)


def main() -> None:
    """Loads one platform and one kind of task."""
    side, kind = sys.argv[1:]
    warnings.filterwarnings("ignore")

    def load() -> Callable[[Any], dict[str, Any]]:
        if side == "proa":
            importlib.import_module("proa.compat").install()
        return HANDLERS[kind](importlib.import_module("paddle"))

    serve(load)


if __name__ == "__main__":
    main()
