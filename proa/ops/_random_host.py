"""Draws by rejection from Paddle's stream: element after element, as its CPU kernels make them.

Each sampler takes as many numbers of the stream as it needs, so the next element's depend on it
and nothing can be drawn at once. Sources: Marsaglia and Tsang, "A simple method for generating
gamma variables", 2000; Hörmann, "The generation of binomial random variates", 1993; Knuth,
"The Art of Computer Programming", 3.4.1, for small Poisson rates; Devroye, "Non-Uniform Random
Variate Generation", 1986, X.3.3, with its errata, for large ones. The orders of draws were found
by running Paddle 3.3.1.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np

from proa.core import Mersenne, Tensor, draw_dtype, to_tensor

#: Above it a loop in Python takes too long, and the op draws from a key.
_MOST = 1 << 20
#: Poisson rates from which draws are by rejection and no longer by multiplying numbers up.
_LARGE_RATE = 12
_QUARTER_PI = math.pi / 4
#: `n p` from which binomial draws are by rejection and no longer by summing up waiting times.
_MANY_SUCCESSES = 10
# log(k!) - (k + 1/2) log(k + 1) + (k + 1) - log(2 pi) / 2 for small k.
_STIRLING = [
    math.lgamma(k + 1) - (k + 0.5) * math.log(k + 1) + (k + 1) - 0.5 * math.log(2 * math.pi)
    for k in range(10)
]
Draw = Callable[[], float]


class _Taker:
    """Hands out numbers in [0, 1) one by one; `close` leaves the stream after the last one."""

    def __init__(self, stream: Mersenne, dtype: Any) -> None:
        self.stream, self.dtype = stream, dtype
        self.ready: list[float] = []
        self.used = 0

    def __call__(self) -> float:
        if self.used == len(self.ready):
            self.close()
            self.ready = self.stream.coming(1024, self.dtype).tolist()
        self.used += 1
        return self.ready[self.used - 1]

    def close(self) -> None:
        """Takes what was handed out off the stream."""
        self.stream.words(self.used)
        self.ready, self.used = [], 0


def _values(x: Any) -> np.ndarray:
    return (x if isinstance(x, Tensor) else to_tensor(x)).numpy()


def _drawn(stream: Mersenne, dtype: Any, sampler: Callable[..., float], *given: Any) -> Any:
    arrays = np.broadcast_arrays(*(np.asarray(a, np.float64) for a in given))
    if arrays[0].size > _MOST:
        return None
    take = _Taker(stream, dtype)
    made = [
        sampler(take, *values) for values in zip(*(a.ravel().tolist() for a in arrays), strict=True)
    ]
    take.close()
    return np.array(made, np.float64).reshape(arrays[0].shape)


def _polar_pair(take: Draw) -> tuple[float, float]:
    """Two standard normal numbers; the second of a pair is given out first."""
    while True:
        x, y = 2 * take() - 1, 2 * take() - 1
        square = x * x + y * y
        if 0 < square <= 1:
            factor = math.sqrt(-2 * math.log(square) / square)
            return x * factor, y * factor


def _polar(take: Draw) -> float:
    """A standard normal number; the other of its pair is not kept."""
    return _polar_pair(take)[1]


def _gamma(take: Draw, shape: float) -> float:
    scale = 1.0
    if shape < 1:
        if shape <= 0:
            return 0.0
        scale = (1 - take()) ** (1 / shape)
        shape += 1
    d = shape - 1 / 3
    c = 1 / math.sqrt(9 * d)
    while True:
        x = _polar(take)
        y = 1 + c * x
        while y <= 0:
            x = _polar(take)
            y = 1 + c * x
        v, u = y**3, 1 - take()
        if u < 1 - 0.0331 * x**4 or math.log(u) < x * x / 2 + d * (1 - v + math.log(v)):
            return scale * d * v


def _exponential(take: Draw) -> float:
    return -math.log(1 - take())


def _poisson(take: Draw, rate: float) -> float:
    if not rate < _LARGE_RATE:
        return _Hat(rate).draw(take)
    product, least, count = 1.0, math.exp(-rate), 0
    while True:
        product *= take()
        if product <= least:
            return count
        count += 1


class _Hat:
    """What lies above the density of large Poisson numbers, and is easy to draw from.

    From left to right, counted from the mode: half of a normal density, columns at -1, 0 and 1,
    half of a wider normal density up to `far`, and an exponential tail.
    """

    def __init__(self, rate: float) -> None:
        self.mode = mode = math.floor(rate)
        self.log_rate = math.log(rate)
        spread = math.sqrt(2 * mode * math.log(32 * mode / _QUARTER_PI))
        self.far = far = round(max(6.0, min(mode, spread)))
        self.width = width = 2 * mode + far
        areas = (
            math.sqrt(2 * _QUARTER_PI * mode),
            math.sqrt(_QUARTER_PI * width) * math.exp(1 / width),
            1.0,
            1.0,
            math.exp(1 / 78),
            2 * width * math.exp(-far / width * (1 + far / 2)) / far,
        )
        self.borders = list(accumulate(areas))

    def draw(self, take: Draw) -> float:
        """Draws from the hat until a number falls below the density."""
        normals: list[float] = []
        while True:
            place, slack = self.borders[-1] * take(), _exponential(take)
            part = bisect_left(self.borders, place)
            if part < 2 and not normals:
                normals += _polar_pair(take)
            k, log_hat = self._inside(part, normals.pop() if part < 2 else 0.0, take)
            if k < -self.mode or (part == 1 and k > self.far):
                continue
            ratio = math.lgamma(self.mode + 1) - math.lgamma(self.mode + k + 1)
            if log_hat - slack - k * self.log_rate <= ratio:
                return self.mode + k

    def _inside(self, part: int, normal: float, take: Draw) -> tuple[float, float]:
        """A number from one part of the hat, and the logarithm of the hat there."""
        if part == 0:
            return math.floor(-abs(normal) * math.sqrt(self.mode) - 1), -normal * normal / 2
        if part == 1:
            y = 1 + abs(normal) * math.sqrt(self.width / 2)
            return math.ceil(y), y * (2 - y) / self.width
        if part < 5:
            return part - 3, 1 / 78 if part == 4 else 0.0
        y = self.far + _exponential(take) * 2 * self.width / self.far
        return math.ceil(y), -self.far / self.width * (1 + y / 2)


def _tail(k: float) -> float:
    if k < len(_STIRLING):
        return _STIRLING[int(k)]
    square = (k + 1) ** 2
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


def _waiting(take: Draw, count: float, chance: float) -> float:
    """Successes as how many geometric waiting times fit into the trials."""
    total, found, rate = 0.0, 0, math.log1p(-chance)
    while True:
        drawn = take()
        total += math.ceil(math.log(drawn) / rate) if drawn else math.inf
        if total > count:
            return found
        found += 1


def _rejection(take: Draw, count: float, chance: float) -> float:
    """Hörmann's transformed rejection with a squeeze, his algorithm BTRS."""
    spread = math.sqrt(count * chance * (1 - chance))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    centre, odds = count * chance + 0.5, chance / (1 - chance)
    mode = math.floor((count + 1) * chance)
    while True:
        u, v = take() - 0.5, take()
        near = 0.5 - abs(u)
        k = math.floor((2 * a / near + b) * u + centre) if near else -1
        if near >= 0.07 and v <= 0.92 - 4.2 / b:
            return k
        if not 0 <= k <= count or not v:
            continue
        level = math.log(v * (2.83 + 5.1 / b) * spread / (a / near**2 + b))
        rest = count - mode + 1
        bound = (mode + 0.5) * math.log((mode + 1) / (odds * rest))
        bound += (count + 1) * math.log(rest / (count - k + 1))
        bound += (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
        if level <= bound + _tail(mode) + _tail(count - mode) - _tail(k) - _tail(count - k):
            return k


def _binomial(take: Draw, count: float, chance: float) -> float:
    if count <= 0 or chance <= 0:
        return 0
    if chance >= 1:
        return count
    rare = min(chance, 1 - chance)
    sampler = _rejection if count * rare >= _MANY_SUCCESSES else _waiting
    found = sampler(take, count, rare)
    return found if chance <= 0.5 else count - found


def gamma_noise(stream: Mersenne, x: Any) -> Any:
    """Gamma numbers of scale 1 for shapes `x`, or `None` where there are too many."""
    return _drawn(stream, draw_dtype(x), _gamma, _values(x))


def poisson_noise(stream: Mersenne, x: Any) -> Any:
    """Poisson numbers for rates `x`, or `None` where there are too many."""
    return _drawn(stream, np.float64, _poisson, _values(x))


def binomial_noise(stream: Mersenne, count: Any, prob: Any) -> Any:
    """Numbers of successes, or `None` where there are too many."""
    return _drawn(stream, draw_dtype(prob), _binomial, _values(count), _values(prob))
