"""Settings of the whole suite, doctests included: devices, seeds, a compile cache that lasts."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

# In the environment and before JAX is imported, so that processes started by tests get the same.
_SETTINGS = {
    "JAX_PLATFORMS": "cpu",
    "JAX_NUM_CPU_DEVICES": "4",
    "JAX_COMPILATION_CACHE_DIR": str(Path(__file__).resolve().parent / ".cache" / "jax"),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}
for _name, _value in _SETTINGS.items():
    os.environ.setdefault(_name, _value)

import jax  # noqa: E402  (the environment comes first)
import pytest  # noqa: E402  (the environment comes first)

import proa  # noqa: E402  (the environment comes first)

# A shell ignores Ctrl-C in what it starts in the background; tests send it to themselves.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _fixed_seed() -> None:
    proa.seed(2024)


@pytest.fixture(autouse=True)
def _no_alias_left() -> Iterator[None]:
    """A page that shows `proa.compat.install()` must not change how later tests print."""
    yield
    compat = sys.modules.get("proa.compat")
    if compat is not None and compat.is_installed():
        compat.uninstall()


def _resident_gigabytes() -> float:
    pages = Path("/proc/self/statm")
    if not pages.exists():
        return 0.0
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**30


@pytest.fixture(autouse=True, scope="module")
def _bounded_memory() -> Iterator[None]:
    """The kernels of thousands of tests fill memory; what a later module needs is on the disk."""
    yield
    if _resident_gigabytes() > 3.0:
        jax.clear_caches()
        gc.collect()
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
