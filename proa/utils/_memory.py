"""check_memory: how much memory the process and its devices use."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import jax

try:
    import resource
except ImportError:  # Windows has none.
    resource = None

from ._shelf import tell_once


def _host_bytes() -> int:
    """Bytes of the process that lie in memory; where the system does not tell, the most so far."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        pass
    if resource is None:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _device_bytes(device: Any) -> int:
    """Bytes in use as the runtime counts them, else those of the arrays that are alive."""
    stats = device.memory_stats() or {}
    if "bytes_in_use" in stats:
        return int(stats["bytes_in_use"])
    shards = (
        shard
        for array in jax.live_arrays()
        if not array.is_deleted()
        for shard in array.addressable_shards
        if shard.device == device
    )
    return sum(shard.data.nbytes for shard in shards)


def _text(count: int) -> str:
    return f"{count / 2**20:,.1f} MiB"


def check_memory() -> None:
    """Prints the memory in use: of the process on the host, and of each device.

    Examples:
        >>> import proa
        >>> proa.utils.check_memory()
        host: ... MiB in use
        cpu:0: ... MiB in use...
    """
    tell_once("paddle.utils.check_memory", "paddle.device.memory_allocated")
    print(f"host: {_text(_host_bytes())} in use")
    for device in jax.local_devices():
        kind = "gpu" if device.platform in ("cuda", "rocm") else device.platform
        print(f"{kind}:{device.id}: {_text(_device_bytes(device))} in use")
