"""The random stream, under the names of `paddle.device`."""

from __future__ import annotations

from typing import Any

from proa.core import GeneratorState
from proa.core import get_rng_state as current_state
from proa.core import seed as start_stream
from proa.core import set_rng_state as put_state

from ._devices import devices_of


def manual_seed(seed: int) -> None:
    """Restarts the default random stream; see `proa.seed`.

    Args:
        seed: integer in [0, 2**64).
    """
    start_stream(seed)


def get_cuda_rng_state() -> list[GeneratorState]:
    """Returns the positions of the streams of GPUs: one serves all; none where there is no GPU."""
    return current_state() if devices_of("gpu") else []


def set_cuda_rng_state(state_list: list[Any]) -> None:
    """Restores positions from `get_cuda_rng_state`.

    Args:
        state_list: the positions; an empty list, from a machine without GPU, changes nothing.
    """
    if state_list:
        put_state(state_list)


def get_rng_state(device: Any = None) -> GeneratorState:
    """Returns the position of the default stream.

    Args:
        device: makes no difference: one stream serves all devices.

    Examples:
        >>> import proa
        >>> state = proa.device.get_rng_state()
        >>> first = proa.rand([1])
        >>> proa.device.set_rng_state(state)
        >>> bool(proa.rand([1]) == first)
        True
    """
    return current_state()[0]


def set_rng_state(new_state: Any, device: Any = None) -> None:
    """Restores a position from `get_rng_state`.

    Args:
        new_state: the position.
        device: makes no difference: one stream serves all devices.
    """
    put_state(new_state)
