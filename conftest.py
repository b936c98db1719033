"""Settings of the whole suite, doctests included: devices, seeds, a compile cache that lasts."""

from __future__ import annotations

import os
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

import pytest  # noqa: E402  (the environment comes first)

import proa  # noqa: E402  (the environment comes first)


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
