"""The random numbers of a 64-bit Mersenne twister, in the order in which C++ programs draw them.

A program that was seeded and ran on Paddle's CPU kernels drew from `std::mt19937_64` through the
distributions of the GNU C++ library. The same seed gives the same numbers here, so that weights,
dropout masks and shuffles of such a program can be compared value by value.

Sources: Matsumoto and Nishimura, "Mersenne Twister", 1998, and Nishimura's 64-bit tables, 2000;
Marsaglia and Bray's polar method, 1964; Lemire, "Fast random integer generation in an interval",
2019; the orders of draws were found by running Paddle 3.3.1.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_SIZE, _MIDDLE = 312, 156
_UPPER, _LOWER = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
_TWIST = np.uint64(0xB5026F5AA96619E9)
_SEED_FACTOR = 6364136223846793005
_WORD = 2**64
#: Share of the unit square that the unit disc covers: how many polar pairs are kept.
_KEPT = math.pi / 4
#: Blocks that one compiled call makes; NumPy is quicker for fewer, since nothing is compiled.
_MANY = 1024


def _plain_state(seed: int) -> np.ndarray:
    """The state after `std::mt19937_64(seed)`."""
    words = [seed % _WORD]
    for i in range(1, _SIZE):
        last = words[-1]
        words.append((_SEED_FACTOR * (last ^ (last >> 62)) + i) % _WORD)
    return np.array(words, np.uint64)


def _spread_state(seed: int) -> np.ndarray:
    """The state after seeding through a `std::seed_seq` of one number, C++ [rand.util.seedseq]."""
    mask, count = 0xFFFFFFFF, 2 * _SIZE
    shift = 11
    near = (count - shift) // 2
    far = near + shift
    words = [0x8B8B8B8B] * count

    def folded(value: int) -> int:
        return value ^ (value >> 27)

    for k in range(count):
        here, ahead, behind = k, (k + near) % count, (k - 1) % count
        mixed = 1664525 * folded(words[here] ^ words[ahead] ^ words[behind]) & mask
        # The number of seeds, then each of them, then only the position.
        extra = 1 if k == 0 else k + (seed & mask if k == 1 else 0)
        total = (mixed + extra) & mask
        words[ahead] = (words[ahead] + mixed) & mask
        words[(k + far) % count] = (words[(k + far) % count] + total) & mask
        words[here] = total
    for k in range(count):
        here, ahead, behind = k, (k + near) % count, (k - 1) % count
        mixed = 1566083941 * folded((words[here] + words[ahead] + words[behind]) & mask) & mask
        total = (mixed - k) & mask
        words[ahead] ^= mixed
        words[(k + far) % count] ^= total
        words[here] = total
    halves = np.array(words, np.uint64).reshape(_SIZE, 2)
    return halves[:, 0] | (halves[:, 1] << np.uint64(32))


def _mixed(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    joined = (high & _UPPER) | (low & _LOWER)
    # The twist is taken where the lowest bit is set; as a product it needs no branch.
    return (joined >> np.uint64(1)) ^ ((joined & np.uint64(1)) * _TWIST)


def _next_block(state: np.ndarray) -> None:
    """Overwrites the state by the next 312 words, in three runs that need only earlier words."""
    head = _mixed(state[:_MIDDLE], state[1 : _MIDDLE + 1])
    state[:_MIDDLE] = state[_MIDDLE:] ^ head
    tail = _mixed(state[_MIDDLE:-1], state[_MIDDLE + 1 :])
    state[_MIDDLE:-1] = state[: _MIDDLE - 1] ^ tail
    state[-1:] = state[_MIDDLE - 1 : _MIDDLE] ^ _mixed(state[-1:], state[:1])


def _tempered(words: np.ndarray) -> np.ndarray:
    words = words ^ ((words >> np.uint64(29)) & np.uint64(0x5555555555555555))
    words = words ^ ((words << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000))
    words = words ^ ((words << np.uint64(37)) & np.uint64(0xFFF7EEE000000000))
    return words ^ (words >> np.uint64(43))


def _following(state: Any) -> Any:
    """The next 312 words, as a pure function."""
    first = state[_MIDDLE:] ^ _mixed(state[:_MIDDLE], state[1 : _MIDDLE + 1])
    second = first[:-1] ^ _mixed(state[_MIDDLE:-1], state[_MIDDLE + 1 :])
    last = first[-1:] ^ _mixed(state[-1:], first[:1])
    return jnp.concatenate([first, second, last])


@jax.jit
def _many_blocks(state: Any) -> Any:
    """The words of the next `_MANY` blocks, tempered, and the state after them."""

    def step(state: Any, _: Any) -> Any:
        state = _following(state)
        return state, state

    state, made = jax.lax.scan(step, state, None, length=_MANY)
    return state, _tempered(made)


class Mersenne:
    """A stream of 64-bit words, and the distributions that are drawn from it.

    Args:
        seed: integer in [0, 2**64).
        spread: whether the seed goes through a seed sequence, which is what `proa.seed`
            stands for; the `seed` argument of single functions does not.
    """

    def __init__(self, seed: int, spread: bool = True) -> None:
        self._state = _spread_state(seed) if spread else _plain_state(seed)
        self._ready = np.empty(0, np.uint64)

    def get_state(self) -> np.ndarray:
        """Returns the position: the words drawn last, and how many of them are unused; uint64."""
        return np.append(self._state, np.uint64(self._ready.size))

    def set_state(self, state: np.ndarray) -> None:
        """Goes to a position from `get_state`."""
        self._state = np.array(state[:_SIZE], np.uint64)
        unused = int(state[_SIZE])
        self._ready = _tempered(self._state)[_SIZE - unused :]

    def _peek(self, count: int) -> np.ndarray:
        """The next words, which stay in the stream."""
        missing = -(-(count - self._ready.size) // _SIZE)
        parts = [self._ready]
        while missing >= _MANY:
            state, made = _many_blocks(self._state)
            self._state = np.array(state)
            parts.append(np.asarray(made).reshape(-1))
            missing -= _MANY
        if missing > 0:
            made = np.empty((missing, _SIZE), np.uint64)
            for row in made:
                _next_block(self._state)
                row[:] = self._state
            parts.append(_tempered(made).reshape(-1))
        if len(parts) > 1:
            self._ready = np.concatenate(parts)
        return self._ready[:count]

    def _skip(self, count: int) -> None:
        self._ready = self._ready[count:]

    def words(self, count: int) -> np.ndarray:
        """Returns the next words, uint64."""
        taken = self._peek(count)
        self._skip(count)
        return taken

    def coming(self, count: int, dtype: Any = np.float32) -> np.ndarray:
        """The next numbers in [0, 1), which stay in the stream."""
        return _as_unit(self._peek(count), dtype)

    def unit(self, shape: tuple[int, ...], dtype: Any = np.float32) -> np.ndarray:
        """Numbers in [0, 1).

        Args:
            shape: shape of the result.
            dtype: float32 or float64, the precision of a draw.
        """
        return _as_unit(self.words(math.prod(shape)), dtype).reshape(shape)

    def normal(self, shape: tuple[int, ...], dtype: Any = np.float32) -> np.ndarray:
        """Numbers of mean 0 and deviation 1, two from each accepted pair of the polar method.

        Args:
            shape: shape of the result.
            dtype: float32 or float64, the precision of a draw.
        """
        count = math.prod(shape)
        pairs = -(-count // 2)
        result = np.empty((pairs, 2), dtype)
        done = 0
        while done < pairs:
            tries = int((pairs - done) / _KEPT * 1.05) + 8
            points = 2 * _as_unit(self._peek(2 * tries), dtype).reshape(tries, 2) - 1
            squares = points[:, 0] ** 2 + points[:, 1] ** 2
            kept = np.flatnonzero((squares <= 1) & (squares != 0))[: pairs - done]
            is_last = done + kept.size == pairs
            self._skip(2 * (int(kept[-1]) + 1 if is_last else tries))
            square = squares[kept]
            factor = np.sqrt(-2 * np.log(square) / square)
            # The second coordinate of a pair is given out first.
            result[done : done + kept.size] = points[kept, ::-1] * factor[:, None]
            done += kept.size
        return result.reshape(-1)[:count].reshape(shape)

    def below(self, bounds: Any) -> int:
        """One integer in [0, bounds), without bias."""
        while True:
            product = int(self.words(1)[0]) * bounds
            low = product % _WORD
            if low >= bounds or low >= -bounds % _WORD % bounds:
                return product // _WORD

    def integers(self, low: int, high: int, shape: tuple[int, ...]) -> np.ndarray:
        """Integers in [low, high), int64."""
        span, count = high - low, math.prod(shape)
        if span > 2**31:
            drawn = [self.below(span) for _ in range(count)]
            return np.array([low + each for each in drawn], np.int64).reshape(shape)
        words = self.words(count)
        # The upper half of word * span, from two products that fit into 64 bits. A word is
        # refused with probability span / 2**64, which nobody will see; `below` does refuse.
        lower = (words & np.uint64(0xFFFFFFFF)) * np.uint64(span)
        upper = (words >> np.uint64(32)) * np.uint64(span) + (lower >> np.uint64(32))
        return ((upper >> np.uint64(32)).astype(np.int64) + low).reshape(shape)

    def permutation(self, count: int) -> np.ndarray:
        """The numbers 0 to count - 1 in random order, two swaps from one draw; int64."""
        order = list(range(count))
        start = 1
        if count % 2 == 0 and count:
            other = self.below(2)
            order[1], order[other] = order[other], order[1]
            start = 2
        for i in range(start, count, 2):
            first, second = divmod(self.below((i + 1) * (i + 2)), i + 2)
            order[i], order[first] = order[first], order[i]
            order[i + 1], order[second] = order[second], order[i + 1]
        return np.array(order, np.int64)


def _as_unit(words: np.ndarray, dtype: Any) -> np.ndarray:
    scaled = words.astype(dtype) / np.asarray(2.0**64, dtype)
    return np.minimum(scaled, np.nextafter(np.asarray(1, dtype), np.asarray(0, dtype)))
