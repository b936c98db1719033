"""Helpers of Paddle's parameter servers."""

from __future__ import annotations

from typing import Any

from proa.incubate.distributed._refuse import refuse

_FIX = "train with sharded tensors: see proa.distributed"


class FleetUtil:
    """Refuses: there are no parameter servers here.

    Args:
        mode: kind of server.

    Raises:
        UnsupportedError: always.
    """

    def __init__(self, mode: str = "pslib") -> None:
        refuse("FleetUtil(...)", _FIX)


class GPUPSUtil(FleetUtil):
    """Refuses, as `FleetUtil`.

    Args:
        fs_client: client of a file system.
        mode: kind of server.

    Raises:
        UnsupportedError: always.
    """

    def __init__(self, fs_client: Any = None, mode: str = "pslib") -> None:
        refuse("GPUPSUtil(...)", _FIX)
