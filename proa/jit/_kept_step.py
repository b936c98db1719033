"""Whole compiled steps kept for the next process: a second start traces and lowers nothing.

JAX's cache on disk saves compiling, but is asked with the lowered code: to get there costs a second
or more for a deep network. What a step computes is told by its recorded Program as well, which is
there much sooner; so big steps are kept under a digest of it, as predictors keep theirs.
"""

from __future__ import annotations

import hashlib
import time
from collections import deque
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax import monitoring

from proa.core import BaseOp, DType, Op, Vjp, get_flags
from proa.program import Program, Value

from ._executables import ExecutableStore, digest_of
from ._read_ahead import ReadAhead, structures_of
from ._uncached import past_compile_cache

# Its attributes are made at run time.
_settings: Any = jax.config

#: Smaller steps are traced in the time that looking for them would take.
MIN_CALLS = 50
#: Compiled in less, a step comes from JAX's cache quickly enough.
MIN_SECONDS = 1.0
_ADVICE = "the step is compiled anew. Delete the folder, or set FLAGS_compile_cache_dir to another."
_SAVED = "/jax/compilation_cache/compile_time_saved_sec"
#: How long those executables took to compile that JAX has read from its cache, in seconds.
_read: deque[float] = deque(maxlen=64)


def _note_read(event: str, duration_secs: float, **_: Any) -> None:
    if event == _SAVED:
        _read.append(duration_secs)


monitoring.register_event_duration_secs_listener(_note_read)


class KeptStep:
    """A compiled step for the arrays it was compiled for, and another way for all others.

    Args:
        compiled: the executable.
        jitted: the function, which is traced when arrays differ in what an executable depends on.
    """

    def __init__(self, compiled: Any, jitted: Any) -> None:
        self._compiled, self._jitted = compiled, jitted

    def __call__(self, donated: list[Any], kept: list[Any], inputs: list[Any]) -> Any:
        """Runs the step."""
        try:
            return self._compiled(donated, kept, inputs)
        except (TypeError, ValueError, jax.errors.JaxRuntimeError):
            # Another device or weak type, or a file that cannot run after all; nothing was given
            # away then, or there is no other way.
            if any(array.is_deleted() for array in donated):
                raise
        self._compiled = self._jitted
        return self._jitted(donated, kept, inputs)


def read_ahead(function: Any) -> ReadAhead:
    """Begins to read what a function needed the last time; called before it is recorded."""
    keeps = get_flags("FLAGS_compile_cache")["FLAGS_compile_cache"]
    return ReadAhead(_folder() if keeps else None, function)


def prepared_step(
    jitted: Any,
    program: Program,
    order: list[int],
    arguments: tuple[list[Any], ...],
    ahead: ReadAhead | None = None,
) -> Any:
    """Returns a step ready to run: read from the disk, or compiled and written there.

    Args:
        jitted: the step as a jitted function of `arguments`.
        program: what it computes.
        order: how its first two arguments make up the Program's captures.
        arguments: donated arrays, other captures, inputs.
        ahead: what `read_ahead` has begun.

    Returns:
        A function of the same arguments; `jitted` itself, not compiled yet, where nothing is kept.
    """
    if isinstance(jitted, KeptStep):
        # Its first run has failed; this is another try.
        return jitted
    store = _store_of(program, order, arguments)
    if store is None:
        return jitted
    ahead = ahead or ReadAhead(None, None)
    counts = [*map(len, arguments), len(program.outputs)]
    signature = [[_aval(array) for array in group] for group in arguments]
    found = store.load(
        signature, structures_of(counts), lambda path, header: ahead.take(path, header, counts)
    )
    if found is not None:
        ahead.remember(store.path(signature), counts)
        return KeptStep(found, jitted)
    compiled, seconds, is_fresh = _compiled(jitted, arguments)
    if seconds >= MIN_SECONDS and _can_be_kept(compiled):
        if not is_fresh and not ahead.is_current:
            # Once after an update: what JAX has read cannot be written, its code is missing.
            jitted.clear_cache()
            with past_compile_cache():
                compiled, _, is_fresh = _compiled(jitted, arguments)
        if is_fresh:
            store.save(signature, compiled)
        ahead.remember(store.path(signature), counts)
    return KeptStep(compiled, jitted)


def _compiled(jitted: Any, arguments: tuple[list[Any], ...]) -> tuple[Any, float, bool]:
    """Returns a compiled step, how long compiling takes, and whether that was done now."""
    _read.clear()
    start = time.perf_counter()
    compiled = jitted.lower(*arguments).compile()
    seconds = time.perf_counter() - start
    return (compiled, max(_read), False) if _read else (compiled, seconds, True)


def _aval(array: Any) -> list[Any]:
    return [list(array.shape), str(array.dtype), bool(getattr(array, "weak_type", False))]


def _can_be_kept(compiled: Any) -> bool:
    """Whether a compiled step calls nothing of this process, and holds no arrays."""
    unsafe = getattr(compiled._executable, "unsafe_call", None)
    parameters = getattr(compiled, "_params", None)
    calls_back = getattr(unsafe, "has_host_callbacks", True)
    return not calls_back and not getattr(parameters, "const_args", True)


def _store_of(program: Program, order: list[int], arguments: Any) -> ExecutableStore | None:
    """The store for a Program, where it and its arrays are such that a file may stand for it."""
    flags = get_flags()
    folder = _folder()
    if len(program.calls) < MIN_CALLS or folder is None or not flags["FLAGS_compile_cache"]:
        return None
    device = _only_device(arguments)
    if device is None:
        return None
    try:
        described = _describe_program(program)
    except _UntoldError:
        return None
    facts = {
        "program": described,
        "order": order,
        "flags": {name: str(value) for name, value in flags.items()},
        "jax": {name: str(value) for name, value in sorted(_settings.values.items())},
    }
    limit = flags["FLAGS_compile_cache_max_mb"] * 2**20
    return ExecutableStore([folder], digest_of(facts), limit, device, advice=_ADVICE)


def _folder() -> Path | None:
    """Where steps are kept: in the folder of the compile cache, if there is one."""
    held = _settings.jax_compilation_cache_dir
    return Path(held) / "steps" if held else None


def _only_device(arguments: Any) -> Any:
    """The device of all arrays; `None` for arrays on several, or on none."""
    found = None
    for group in arguments:
        for array in group:
            if not isinstance(array, jax.Array):
                continue
            devices = array.sharding.device_set
            if len(devices) != 1 or (found is not None and found not in devices):
                return None
            found = next(iter(devices))
    return found


class _UntoldError(Exception):
    """A Program has what no text tells: objects of this process, ops of the user's."""


def _describe_program(program: Program) -> list[Any]:
    """Returns as plain data all that decides what a Program computes."""
    numbers: dict[Value, int] = {}
    given: list[Any] = [_describe_value(v, numbers) for v in (*program.inputs, *program.captures)]
    for value, array in program.constants.items():
        content = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
        given.append([*_describe_value(value, numbers), content])
    calls = []
    for call in program.calls:
        inputs = [numbers[v] for v in call.inputs]
        flows = None if call.flows is None else list(call.flows)
        outputs = [_describe_value(v, numbers) for v in call.outputs]
        calls.append(
            [_describe_op(call.op), _describe(call.key), inputs, flows, call.is_tuple, outputs]
        )
    return [given, calls, [numbers[v] for v in program.outputs]]


def _describe_value(value: Value, numbers: dict[Value, int]) -> list[Any]:
    numbers[value] = len(numbers)
    return [[str(extent) for extent in value.shape], str(value.dtype)]


def _describe_op(op: BaseOp) -> list[Any]:
    if isinstance(op, Vjp):
        return ["gradient", *_describe_op(op.primal)]
    kind = type(op)
    if isinstance(op, Op):
        origin = op.fn.__module__
    else:
        # One that knows more than its class does is made for a function of the user's.
        origin = kind.__module__ if vars(op).keys() <= vars(BaseOp()).keys() else ""
    if origin.partition(".")[0] != "proa":
        raise _UntoldError
    return [f"{origin}.{kind.__qualname__}", op.name]


def _describe(value: Any) -> Any:
    """Returns an attribute as plain data that differs where it does."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | complex | slice | np.generic | np.dtype) or value is Ellipsis:
        return [type(value).__name__, repr(value)]
    if isinstance(value, tuple | list):
        return [type(value).__name__, *map(_describe, value)]
    if isinstance(value, DType):
        return ["dtype", value.name]
    if isinstance(getattr(value, "program", None), Program):
        return ["program", _describe_program(value.program), _describe(value.sizes)]
    kind = type(value)
    if not is_dataclass(value) or kind.__module__.partition(".")[0] != "proa":
        raise _UntoldError
    parts = [[each.name, _describe(getattr(value, each.name))] for each in fields(value)]
    return [f"{kind.__module__}.{kind.__qualname__}", parts]
