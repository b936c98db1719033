"""Which low-precision dtypes pay on a device."""

from __future__ import annotations

from typing import Any

from proa.core import as_place, get_device


def _kind(device: Any) -> str:
    name = str(get_device() if device is None else device)
    if device is not None and not isinstance(device, str):
        name = "cpu" if "cpu" in repr(as_place(device)).lower() else "gpu"
    return name.partition(":")[0].lower()


def is_float16_supported(device: Any = None) -> bool:
    """Whether a device computes in float16 natively.

    Args:
        device (str | Place, optional): the device; the current one by default.

    Returns:
        bool: `False` for a CPU: float16 works there, but is computed in float32 and rounded,
        so bfloat16 is the better choice.

    Examples:
        >>> import proa
        >>> proa.amp.is_float16_supported("cpu")
        False
    """
    return _kind(device) != "cpu"


def is_bfloat16_supported(device: Any = None) -> bool:
    """Whether bfloat16 works on a device: it does on all.

    Args:
        device (str | Place, optional): the device; the current one by default.

    Examples:
        >>> import proa
        >>> proa.amp.is_bfloat16_supported()
        True
    """
    return bool(_kind(device))
