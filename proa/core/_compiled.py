"""Functions compiled by JAX, and a bound on how many compiled shapes they keep together."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

import jax
from jax import monitoring

from ._flags import define_flag, get_flags

# One compiled kernel takes 1-1.5 MB on a CPU, which a run over thousands of shapes would add
# up to all memory there is; JAX itself would keep 4,096.
define_flag("FLAGS_max_compiled_kernels", 2048)

_COMPILED = "/jax/core/compile/backend_compile_duration"
_lock = threading.Lock()
_functions: list[weakref.ref[Any]] = []
_since_look = [0]


def compile_function(fn: Callable[..., Any], **options: Any) -> Any:
    """Returns `jax.jit(fn, **options)`, whose compiled shapes count for the common bound."""
    made = jax.jit(fn, **options)
    with _lock:
        _functions.append(weakref.ref(made))
    return made


def _sizes() -> list[tuple[int, Any]]:
    """Living functions with how many shapes they keep, in the order they were made."""
    with _lock:
        living = [(r, r()) for r in _functions]
        _functions[:] = [r for r, f in living if f is not None]
    return [(f._cache_size(), f) for _, f in living if f is not None]


def num_compiled() -> int:
    """How many compiled shapes are kept at present."""
    return sum(size for size, _ in _sizes())


def trim_compiled(limit: int) -> None:
    """Drops compiled shapes until at most `limit` are kept.

    Functions with most shapes go first: those are the ones whose inputs vary. What is
    dropped and needed again comes from the cache on disk in a few milliseconds.
    """
    sizes = _sizes()
    total = sum(size for size, _ in sizes)
    for size, function in sorted(sizes, key=lambda pair: -pair[0]):
        if total <= limit or not size:
            return
        function.clear_cache()
        total -= size


def _look(event: str, *_: Any, **__: Any) -> None:
    if event != _COMPILED:
        return
    limit = get_flags("FLAGS_max_compiled_kernels")["FLAGS_max_compiled_kernels"]
    _since_look[0] += 1
    if limit > 0 and _since_look[0] >= max(limit // 8, 1):
        _since_look[0] = 0
        if num_compiled() > limit:
            trim_compiled(limit // 2)


monitoring.register_event_duration_secs_listener(_look)
