"""Checks of values on the host, in eager mode: what compiled code would silently clamp."""

from __future__ import annotations

from typing import Any

import numpy as np
from jax.core import Tracer

from proa.core import OutOfRangeError


def host_values(array: Any) -> np.ndarray | None:
    """The array's values where reading them costs no transfer, otherwise `None`."""
    if isinstance(array, np.ndarray):
        return array
    if isinstance(array, Tracer):
        return None
    devices = getattr(array, "devices", None)
    if devices is None or any(device.platform != "cpu" for device in devices()):
        return None
    return np.asarray(array) if array.is_fully_addressable else None


def check_range(
    array: Any, bound: Any, name: str, op_name: str, what: str, ignored: int | None = None
) -> None:
    """Refuses integers outside [0, bound), except one ignored value.

    Args:
        array: concrete integer array.
        bound: first integer that is too large.
        name: the argument's name, for the message.
        op_name: the op's name, for the message.
        what: what an entry stands for, for the message.
        ignored: a value that is always allowed.

    Raises:
        OutOfRangeError: an entry lies outside.
    """
    values = host_values(array)
    if values is None or not values.size:
        return
    if 0 <= values.min() and values.max() < bound:
        return
    bad = (values < 0) | (values >= bound)
    if ignored is not None:
        bad &= values != ignored
    if not bad.any():
        return
    place = tuple(int(i) for i in np.argwhere(bad)[0])
    allowed = "" if ignored is None else f", or the ignored value {ignored}"
    raise OutOfRangeError(
        f"`{name}` of `{op_name}` holds {int(values[place])} at {list(place)}",
        expected=f"{what}: an integer in [0, {bound}){allowed}",
        fix="correct the data, or the size it is looked up in",
    )
