"""Random numbers drawn on the host, in Paddle's order, that random ops take in place of a key.

With `FLAGS_paddle_random` each random op that declares `noise` gets numbers from the generator's
Mersenne twister where it runs at once; `proa.compat.install()` sets the flag, so a program
written for Paddle meets the numbers that its seed gave there on a CPU. In functions that are
compiled whole, and without the flag, ops draw from keys, which costs less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from ._context import context, key_lock
from ._flags import define_flag
from ._mersenne import Mersenne
from ._place import put
from ._random import Generator, default_generator
from ._tensor import Tensor, new_tensor

if TYPE_CHECKING:
    from ._registry import Op

_WRONG = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError)
_settings = {"on": False}


def _switch(value: bool) -> None:
    _settings["on"] = value


define_flag("FLAGS_paddle_random", False, watch=_switch)


def host_stream(generator: Generator | None = None) -> Mersenne | None:
    """Returns the twister to draw from, or `None` where keys are drawn instead."""
    if not _settings["on"] or context.recorder is not None or jax.default_backend() != "cpu":
        return None
    return (generator or default_generator()).twister()


def random_input(
    op: Op, generator: Generator | None = None, seed: int = 0, /, **given: Any
) -> Tensor:
    """Returns what stands for chance in a call of a random op: drawn numbers, or a key.

    Args:
        op: the op.
        generator: the stream; the default one where `None`.
        seed: another number than 0 starts a stream of its own.
        given: the call's arguments by the names of the op's parameters.
    """
    stream = host_stream(generator) if op.facts.noise is not None else None
    if stream is None:
        return _seeded_key(seed) if seed else (generator or default_generator()).next_key()
    if seed:
        stream = Mersenne(seed, spread=False)
    with key_lock:
        try:
            drawn = op.facts.noise(stream, **given)  # type: ignore[misc]
        except _WRONG:
            # The op itself says what is wrong with its arguments, whatever the numbers are.
            drawn = None
    if drawn is None:
        return _seeded_key(seed) if seed else (generator or default_generator()).next_key()
    return new_tensor(put(drawn))


def _seeded_key(seed: int) -> Tensor:
    return new_tensor(put(np.array([seed >> 32 & 0xFFFFFFFF, seed & 0xFFFFFFFF], np.uint32)))


def is_drawn(key: Any) -> bool:
    """Whether an op function got drawn numbers where it might have got a key."""
    return key.dtype != np.uint32


def unit_draws(key: Any, shape: Any, dtype: Any) -> Any:
    """Numbers in [0, 1): those that were drawn, or new ones from a key."""
    return key.astype(dtype) if is_drawn(key) else jax.random.uniform(key, shape, dtype)


def normal_draws(key: Any, shape: Any, dtype: Any) -> Any:
    """Standard normal numbers: those that were drawn, or new ones from a key."""
    return key.astype(dtype) if is_drawn(key) else jax.random.normal(key, shape, dtype)


def shape_of(value: Any) -> tuple[int, ...]:
    """Shape of an argument that need not be a Tensor yet."""
    return tuple(value._data.shape) if isinstance(value, Tensor) else np.shape(value)


def unit_like(stream: Mersenne, x: Any, **rest: Any) -> np.ndarray:
    """The `noise` of ops that draw one number in [0, 1) for each element of `x`."""
    return stream.unit(shape_of(x), draw_dtype(x))


def draw_dtype(value: Any) -> type[np.floating]:
    """Precision of a draw for a tensor or dtype: float64 for float64, else float32."""
    name = getattr(getattr(value, "dtype", value), "name", "float32")
    return np.float64 if name in ("float64", "complex128") else np.float32
