"""Compiling past JAX's cache on disk."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
from jax.experimental.compilation_cache import compilation_cache

# Its attributes are made at run time.
_settings: Any = jax.config

_lock = threading.Lock()
# How many threads are inside, and what the option was before the first came.
_inside = [0]
_before = [True]


@contextmanager
def past_compile_cache() -> Iterator[None]:
    """Compiles anew in this block, in all threads.

    What XLA for CPUs loads from that cache cannot be written to a file again: its code is
    missing there. So what is to be written is compiled anew.
    """
    with _lock:
        _inside[0] += 1
        if _inside[0] == 1:
            _before[0] = _settings.jax_enable_compilation_cache
            _switch(False)
    try:
        yield
    finally:
        with _lock:
            _inside[0] -= 1
            if _inside[0] == 0:
                _switch(_before[0])


def _switch(enabled: bool) -> None:
    jax.config.update("jax_enable_compilation_cache", enabled)
    # JAX looks at the option once, unless it is told to look again.
    compilation_cache.reset_cache()
