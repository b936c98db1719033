"""The number of devices that are neither CPUs nor GPUs."""

from __future__ import annotations

from proa.device._devices import get_available_custom_device


def device_count(device_type: str | None = None) -> int:
    """Returns the number of such devices.

    Args:
        device_type: their kind, such as `"tpu"`; all kinds by default.
    """
    names = [name.partition(":")[0] for name in get_available_custom_device()]
    return len(names) if device_type is None else names.count(device_type)
