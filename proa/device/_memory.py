"""Memory of accelerators, as their runtime counts it."""

from __future__ import annotations

import gc
from typing import Any

import jax

from proa.core import UnsupportedError

from ._devices import accelerator


def _read(device: Any, key: str, what: str) -> int:
    stats = accelerator(device, what).memory_stats() or {}
    return int(stats.get(key, 0))


def memory_allocated(device: Any = None) -> int:
    """Returns the bytes that arrays and running programs hold on an accelerator.

    Args:
        device: a number, a name such as `"gpu:1"`, a Place; the current one by default.

    Raises:
        UnsupportedError: the host.
    """
    return _read(device, "bytes_in_use", "memory_allocated")


def max_memory_allocated(device: Any = None) -> int:
    """Returns the most bytes that were held at one time; see `memory_allocated`."""
    return _read(device, "peak_bytes_in_use", "max_memory_allocated")


def memory_reserved(device: Any = None) -> int:
    """Returns the bytes that the runtime has taken from the device; see `memory_allocated`."""
    return _read(device, "bytes_reserved", "memory_reserved") or memory_allocated(device)


def max_memory_reserved(device: Any = None) -> int:
    """Returns the most bytes that were reserved at one time; see `memory_allocated`."""
    found = _read(device, "peak_bytes_reserved", "max_memory_reserved")
    return found or max_memory_allocated(device)


def _cannot_reset(device: Any, what: str) -> None:
    accelerator(device, what)
    raise UnsupportedError(
        f"`{what}`",
        expected="a counter of the runtime's that goes up only",
        fix="read it before and after, or start a new process",
    )


def reset_max_memory_allocated(device: Any = None) -> None:
    """Refuses: the runtime's counter of the most bytes goes up only.

    Raises:
        UnsupportedError: always.
    """
    _cannot_reset(device, "reset_max_memory_allocated")


def reset_max_memory_reserved(device: Any = None) -> None:
    """Refuses, as `reset_max_memory_allocated` does.

    Raises:
        UnsupportedError: always.
    """
    _cannot_reset(device, "reset_max_memory_reserved")


def reset_peak_memory_stats(device: Any = None) -> None:
    """Refuses, as `reset_max_memory_allocated` does.

    Raises:
        UnsupportedError: always.
    """
    _cannot_reset(device, "reset_peak_memory_stats")


def memory_summary(device: Any = None) -> str:
    """Returns what the runtime counts about an accelerator's memory, one number a line."""
    found = accelerator(device, "memory_summary")
    stats = found.memory_stats() or {}
    lines = [f"{key:<28} {stats[key]:>16,}" for key in sorted(stats)]
    return "\n".join([str(found), *lines])


def empty_cache() -> None:
    """Frees arrays that nothing refers to; programs stay compiled."""
    gc.collect()


def ipc_collect() -> None:
    """Frees arrays that nothing refers to; XLA shares no memory of devices with other processes."""
    empty_cache()


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Returns how many bytes of an accelerator are free, and how many there are.

    Args:
        device: a number, a name such as `"gpu:1"`, a Place; the current one by default.

    Raises:
        UnsupportedError: the host.
    """
    total = _read(device, "bytes_limit", "mem_get_info")
    return total - memory_allocated(device), total


def vmm_compact(device: Any = None) -> int:
    """Refuses: XLA's allocator moves no memory.

    Args:
        device: the device.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError(
        "`vmm_compact`",
        expected="an allocator that can move what it holds; XLA's has fixed places",
        fix="delete tensors and call empty_cache(), or set XLA_PYTHON_CLIENT_MEM_FRACTION",
    )


def synchronize(device: Any = None) -> None:
    """Waits until everything that was asked of the devices is computed.

    Args:
        device: makes no difference: all devices are waited for.
    """
    jax.block_until_ready([array for array in jax.live_arrays() if not array.is_deleted()])
