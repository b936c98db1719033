"""Random state: a generator holds a key as a Tensor; random ops take a fresh key as input."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from ._context import context, key_lock, outside_program, run_eagerly
from ._dispatch import dispatch
from ._errors import InvalidArgumentError, InvalidTypeError
from ._mersenne import Mersenne
from ._registry import Facts, register
from ._tape import GradMode
from ._tensor import Tensor, concrete, new_tensor
from ._views import write_inplace


def _split(key: Any) -> Any:
    pair = jax.random.split(key)
    return pair[0], pair[1]


_split.__annotations__ = {"key": "Array"}
_split_op = register("random_split", _split, Facts(method=None, public=False, differentiable=False))
_NO_KEY = (None, ())
#: 32-bit words of a Threefry key, and of a twister's position, which may follow it.
_KEY_SIZE, _TWISTER_SIZE = 2, 626


def _key_of(seed: int) -> Any:
    # Built on the host: the words of a Threefry key are the seed's high and low half.
    return jax.device_put(np.array([seed >> 32, seed & 0xFFFFFFFF], dtype=np.uint32))


class GeneratorState(Tensor):
    """The position of a random stream, as a tensor that `save` takes; it prints no numbers."""

    __repr__ = object.__repr__


class Generator:
    """A stream of random keys, as state that can be saved and restored.

    Args:
        device: kept for Paddle's signature; keys live on the current device.
    """

    def __init__(self, device: Any = None) -> None:
        self._seed = 0
        self._state: Tensor | None = None
        self._twister: Mersenne | None = None

    @property
    def state(self) -> Tensor:
        """The key, made on first use so that importing starts no device."""
        if self._state is None:
            self._state = new_tensor(_key_of(self._seed))
            self._state.name = "state of the random generator"
        return self._state

    def manual_seed(self, seed: int) -> Generator:
        """Restarts the stream from a seed (an integer in [0, 2**64)).

        Raises:
            InvalidTypeError: not an integer.
            InvalidArgumentError: out of range.
        """
        if isinstance(seed, bool) or not hasattr(seed, "__index__"):
            raise InvalidTypeError(
                f"`seed` is {seed!r}", expected="an integer", fix="pass an int such as 0"
            )
        number = seed.__index__()
        if not 0 <= number < 2**64:
            raise InvalidArgumentError(
                f"`seed` is {number}", expected="0 <= seed < 2**64", fix="choose one in range"
            )
        self._seed, self._twister = number, None
        with outside_program():
            if context.recorder is not None:
                context.recorder.note_write(self.state)
            with run_eagerly(), GradMode(False):
                if self._state is not None:
                    self._state._data = _key_of(number)
        return self

    def initial_seed(self) -> int:
        """Returns the seed the stream was started with."""
        return self._seed

    def next_key(self) -> Tensor:
        """Advances the stream and returns a fresh key (uint32, shape [2])."""
        while True:
            # One thread at a time, or two would draw the same numbers.
            with key_lock, GradMode(False):
                if context.recorder is not None or isinstance(self.state._data, jax.Array):
                    state, key = dispatch(_split_op, (self.state,), _NO_KEY)
                    write_inplace(self.state, state)
                    return key
            # Waits for the end of another thread's recording that has drawn from this stream.
            concrete(self.state, "a random op")

    def twister(self) -> Mersenne:
        """Returns the stream of Paddle's CPU kernels for the same seed; see `core/_noise.py`."""
        if self._twister is None:
            self._twister = Mersenne(self._seed)
        return self._twister

    def get_state(self) -> GeneratorState:
        """Returns a copy of the stream's position."""
        key = self.state.numpy()
        if self._twister is not None:
            key = np.concatenate([key, self._twister.get_state().view(np.uint32)])
        return GeneratorState(key)

    def set_state(self, state: Any) -> None:
        """Puts the stream to a position from `get_state`."""
        key = state.numpy() if isinstance(state, Tensor) else np.asarray(state)
        if key.size == _KEY_SIZE + _TWISTER_SIZE:
            self.twister().set_state(key[_KEY_SIZE:].view(np.uint64))
            state = key[:_KEY_SIZE]
        else:
            self._twister = None
        with outside_program():
            self.state.set_value(state)  # type: ignore[attr-defined]


_default = Generator()


def default_generator() -> Generator:
    """Returns the generator that random ops use."""
    return _default


def default_seed() -> int:
    """Returns the seed of the last `proa.seed`, 0 at the start."""
    return _default.initial_seed()


def next_key() -> Tensor:
    """Returns a fresh key of the default generator."""
    return _default.next_key()


def seed(seed: int) -> Generator:
    """Restarts the default random stream.

    Args:
        seed: integer in [0, 2**64).

    Returns:
        The default generator.

    Examples:
        >>> import proa
        >>> _ = proa.seed(7)
        >>> a = proa.rand([2])
        >>> _ = proa.seed(7)
        >>> bool((proa.rand([2]) == a).all())
        True
    """
    return _default.manual_seed(seed)


def get_rng_state(device: Any = None) -> list[GeneratorState]:
    """Returns the position of the default stream, in a list."""
    return [_default.get_state()]


def set_rng_state(state_list: Any, device: Any = None) -> None:
    """Restores a position from `get_rng_state`."""
    _default.set_state(state_list[0] if isinstance(state_list, list | tuple) else state_list)
