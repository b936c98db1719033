"""Runs inside the interpreter with the real Paddle: writes models with branches, loops and arrays.

`python -m parity._save_flows FOLDER [REGEX]`; the form follows `FLAGS_enable_pir_api`. Each is run
by the real one on arrays that take another way each, one file of arrays per way.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

paddle: Any = None
IS_PIR = os.environ.get("FLAGS_enable_pir_api", "1") == "1"
#: Arrays that a model is run on, by what is added to noise.
SHIFTS = {"high": 2.0, "low": -2.0, "middle": 0.2}


def _old(kind: str, slots: dict[str, Any], dtype: Any, **attributes: Any) -> Any:
    """A call in a Program of the old form, whose functions 3.3.1 has partly lost."""
    helper = paddle.base.layer_helper.LayerHelper(kind)
    out = helper.create_variable_for_type_inference(dtype)
    inputs = {slot: [value] for slot, value in slots.items()}
    helper.append_op(type=kind, inputs=inputs, outputs={"Out": [out]}, attrs=attributes)
    return out


def _mend_old_form() -> None:
    """Gives `static.nn.cond` of the old form the one function that it misses."""

    def logical_not(x: Any, out: Any = None, name: Any = None) -> Any:
        return _old("logical_not", {"X": x}, "bool")

    modules: list[Any] = list(sys.modules.values())
    for module in modules:
        if getattr(module, "__name__", "").startswith("paddle") and hasattr(module, "logical_not"):
            module.logical_not = logical_not


def total(x: Any) -> Any:
    """The sum of all elements, in both forms."""
    if IS_PIR:
        return paddle.sum(x)
    return _old("reduce_sum", {"X": x}, x.dtype, dim=[], reduce_all=True, keep_dim=False)


def counter(value: int = 0) -> Any:
    """An integer as a tensor of one element."""
    return paddle.full([1], value, "int64")


def branch(x: Any) -> Any:
    """One result of either branch."""
    return paddle.static.nn.cond(total(x) > 0, lambda: x * 2, lambda: x - 1)


def branch_of_two(x: Any) -> Any:
    """Two results of each branch."""
    return paddle.static.nn.cond(
        total(x) > 1, lambda: (x * 2, total(x)), lambda: (x - 1, total(x * x))
    )


def cases(x: Any) -> Any:
    """Branches inside of branches."""
    pairs = [(total(x) > 3, lambda: x * 3), (total(x) > 0, lambda: x + 7)]
    return paddle.static.nn.case(pairs, lambda: x - 1)


def loop(x: Any) -> Any:
    """A loop that counts."""

    def step(i: Any, y: Any) -> Any:
        return i + 1, y * 1.5 + 1

    return paddle.static.nn.while_loop(lambda i, y: i < 5, step, [counter(), x])[1]


def loop_until(x: Any) -> Any:
    """A loop whose end depends on what it computes."""
    return paddle.static.nn.while_loop(lambda y: total(y * y) > 1.0, lambda y: [y * 0.5], [x])[0]


def branch_in_loop(x: Any) -> Any:
    """A branch in each turn."""

    def step(i: Any, y: Any) -> Any:
        return i + 1, paddle.static.nn.cond(total(y) > 10, lambda: y * 0.5, lambda: y * 2 + 1)

    return paddle.static.nn.while_loop(lambda i, y: i < 7, step, [counter(), x])[1]


def array_in_loop(x: Any) -> Any:
    """An array of tensors that each turn reads and makes longer."""
    start, end = counter(), counter(4)
    rows = paddle.tensor.array_write(x, start, paddle.tensor.create_array("float32"))

    def step(i: Any, rows: Any) -> Any:
        after = i + 1
        paddle.tensor.array_write(paddle.tensor.array_read(rows, i) * 2 + 1, after, rows)
        return after, rows

    i, rows = paddle.static.nn.while_loop(lambda i, _: i < end, step, [start, rows])
    return paddle.tensor.array_read(rows, i), paddle.tensor.array_length(rows)


FLOWS: dict[str, Callable[[Any], Any]] = {
    f"flow-{f.__name__}": f
    for f in (branch, branch_of_two, cases, loop, loop_until, branch_in_loop, array_in_loop)
}


def save(name: str, folder: str) -> None:
    """Writes one model per way, its inputs, and what it gives."""
    static = paddle.static
    program, startup = static.Program(), static.Program()
    guards = (static.program_guard(program, startup), static.scope_guard(static.Scope()))
    with guards[0], guards[1], paddle.base.unique_name.guard():
        x = static.data("x0", [-1, 3], "float32")
        found = FLOWS[name](x)
        outputs = list(found) if isinstance(found, list | tuple) else [found]
        executor = static.Executor()
        executor.run(startup)
        for way, shift in SHIFTS.items():
            prefix = os.path.join(folder, f"{name}-{way}")
            noise = np.random.default_rng(0).normal(size=(2, 3))
            array = (noise + shift).astype(np.float32)
            made = executor.run(program, feed={"x0": array}, fetch_list=outputs)
            static.save_inference_model(prefix, [x], outputs, executor, program=program)
            np.savez(f"{prefix}.npz", in0=array, **{f"out{i}": v for i, v in enumerate(made)})


def main() -> int:
    """Writes all whose name fits."""
    global paddle
    paddle = importlib.import_module("paddle")
    folder, only = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    os.makedirs(folder, exist_ok=True)
    paddle.enable_static()
    if not IS_PIR:
        paddle.pir_utils.OldIrGuard().__enter__()
        _mend_old_form()
    for name in FLOWS:
        if re.search(only, name):
            save(name, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
