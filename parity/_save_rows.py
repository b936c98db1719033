"""Runs inside the interpreter with the real Paddle: writes a model for each row of the table.

`python -m parity._save_rows FOLDER [REGEX]`; the form follows `FLAGS_enable_pir_api`. What happened
is kept in `FOLDER/written.json`, so that a run which crashed goes on after the row that did it.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ._evaluate import Evaluation
from ._files import chosen_rows
from .table import Array, Call

IS_PIR = os.environ.get("FLAGS_enable_pir_api", "1") == "1"


class Symbolic(Evaluation):
    """A row whose arrays are inputs of a static Program."""

    def __init__(self, paddle: Any, call: Call, key: str) -> None:
        super().__init__(paddle, call, key)
        self.call = call
        self.arrays: list[np.ndarray] = []
        self.inputs: list[Any] = []
        self.found: list[Any] = []
        self.kind = paddle.static.Variable
        if IS_PIR:
            self.kind = paddle.base.libpaddle.pir.Value

    def record(self) -> None:
        """Makes the calls of the row."""
        self._collect("", self._call(self.call))
        if not self.arrays or not self.found:
            raise ValueError("a row without arrays")

    def _tensor(self, described: Array, label: str) -> Any:
        array = described.make(self.random)
        if described.dtype == "bfloat16":
            raise ValueError("an array of a dtype that NumPy lacks")
        name = f"x{len(self.arrays)}"
        made = self.paddle.static.data(name, list(array.shape), str(array.dtype))
        self.arrays.append(array)
        self.inputs.append(made)
        return made

    def _fill(self, layer: Any, prefix: str) -> None:
        layer.eval()

    def _collect(self, label: str, value: Any) -> None:
        if isinstance(value, self.kind):
            self.found.append(value)
        elif isinstance(value, list | tuple | dict):
            for each in value.values() if isinstance(value, dict) else value:
                self._collect(label, each)


def save(paddle: Any, key: str, call: Call, prefix: str) -> None:
    """Writes the model of one row, its inputs, and what it gives."""
    static = paddle.static
    program, startup = static.Program(), static.Program()
    guards = (static.program_guard(program, startup), static.scope_guard(static.Scope()))
    with guards[0], guards[1], paddle.base.unique_name.guard():
        row = Symbolic(paddle, call, key)
        row.record()
        executor = static.Executor()
        executor.run(startup)
        feed = {f"x{i}": array for i, array in enumerate(row.arrays)}
        found = executor.run(program, feed=feed, fetch_list=row.found)
        static.save_inference_model(prefix, row.inputs, row.found, executor, program=program)
        arrays = {f"in{i}": array for i, array in enumerate(row.arrays)}
        arrays |= {f"out{i}": np.asarray(array) for i, array in enumerate(found)}
        np.savez(prefix + ".npz", **arrays)  # type: ignore[arg-type]


def main() -> None:
    """Writes all models that are not written yet."""
    folder, only = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    folder.mkdir(parents=True, exist_ok=True)
    notes = folder / "written.json"
    done: dict[str, str] = json.loads(notes.read_text()) if notes.exists() else {}
    paddle = importlib.import_module("paddle")
    paddle.enable_static()
    for key, call in chosen_rows().items():
        if key in done or not re.search(only, key):
            continue
        done[key] = "crashed"
        notes.write_text(json.dumps(done))
        try:
            save(paddle, key, call, str(folder / re.sub(r"[^\w.-]", "_", key)))
            done[key] = "ok"
        except Exception as error:
            done[key] = f"{type(error).__name__}: {str(error)[-200:]}"
    notes.write_text(json.dumps(done))


if __name__ == "__main__":
    main()
