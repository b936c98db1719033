"""The number of GPUs."""

from __future__ import annotations

from proa.device._devices import devices_of


def device_count() -> int:
    """Returns the number of GPUs; 0 where there is none.

    Examples:
        >>> import proa
        >>> proa.device.cuda.device_count() >= 0
        True
    """
    return len(devices_of("gpu"))
