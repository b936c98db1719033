"""Windows: the weights of the samples of a frame."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    as_dtype,
    composite,
    to_tensor,
)


def _cosines(count: int, coefficients: Any) -> np.ndarray:
    angle = np.linspace(-np.pi, np.pi, count)
    return sum((a * np.cos(k * angle) for k, a in enumerate(coefficients)), np.zeros(count))


def _general_hamming(count: int, alpha: float) -> np.ndarray:
    return _cosines(count, [alpha, 1.0 - alpha])


def _bartlett(count: int) -> np.ndarray:
    return 1 - np.abs(np.linspace(-1, 1, count))


def _triang(count: int) -> np.ndarray:
    distance = np.abs(np.arange(count) - (count - 1) / 2)
    return 1 - 2 * distance / (count + count % 2)


def _bohman(count: int) -> np.ndarray:
    x = np.abs(np.linspace(-1, 1, count))
    return (1 - x) * np.cos(np.pi * x) + np.sin(np.pi * x) / np.pi


def _cosine(count: int) -> np.ndarray:
    return np.sin(np.pi / count * (np.arange(count) + 0.5))


def _gaussian(count: int, std: float) -> np.ndarray:
    return _general_gaussian(count, 1.0, std)


def _general_gaussian(count: int, p: float, sig: float) -> np.ndarray:
    n = np.arange(count) - (count - 1) / 2
    return np.exp(-0.5 * np.abs(n / sig) ** (2 * p))


def _exponential(count: int, center: float | None = None, tau: float = 1.0) -> np.ndarray:
    middle = (count - 1) / 2 if center is None else center
    return np.exp(-np.abs(np.arange(count) - middle) / tau)


def _kaiser(count: int, beta: float) -> np.ndarray:
    return np.kaiser(count, beta)


def _tukey(count: int, alpha: float = 0.5) -> np.ndarray:
    if alpha <= 0:
        return np.ones(count)
    place = np.linspace(0, 1, count)
    edge = np.minimum(np.minimum(place, 1 - place) * 2 / min(alpha, 1.0), 1.0)
    return 0.5 * (1 - np.cos(np.pi * edge))


def _taylor(count: int, nbar: int = 4, sll: float = 30, norm: bool = True) -> np.ndarray:
    """Taylor's window: side lobes `sll` dB down, `nbar` of them nearly equal."""
    a = math.acosh(10 ** (sll / 20)) / math.pi
    m = np.arange(1, nbar)
    scale = nbar**2 / (a**2 + (nbar - 0.5) ** 2)
    weights = np.empty(len(m))
    for i, k in enumerate(m):
        upper = np.prod(1 - k**2 / scale / (a**2 + (m - 0.5) ** 2))
        lower = np.prod([1 - k**2 / j**2 for j in m if j != k])
        weights[i] = (-1) ** i * upper / (2 * lower)

    def at(n: Any) -> np.ndarray:
        angle = 2 * np.pi * np.outer(m, (np.atleast_1d(n) - count / 2 + 0.5) / count)
        return 1 + 2 * weights @ np.cos(angle)

    values = at(np.arange(count))
    return values / at((count - 1) / 2) if norm else values


#: Name -> (function of the length and parameters, parameters that have to be given).
_WINDOWS: dict[str, tuple[Callable[..., np.ndarray], int]] = {
    "bartlett": (_bartlett, 0),
    "blackman": (lambda n: _cosines(n, [0.42, 0.50, 0.08]), 0),
    "bohman": (_bohman, 0),
    "cosine": (_cosine, 0),
    "exponential": (_exponential, 0),
    "gaussian": (_gaussian, 1),
    "general_cosine": (_cosines, 1),
    "general_gaussian": (_general_gaussian, 2),
    "general_hamming": (_general_hamming, 1),
    "hamming": (lambda n: _general_hamming(n, 0.54), 0),
    "hann": (lambda n: _general_hamming(n, 0.5), 0),
    "kaiser": (_kaiser, 1),
    "nuttall": (lambda n: _cosines(n, [0.3635819, 0.4891775, 0.1365995, 0.0106411]), 0),
    "taylor": (_taylor, 0),
    "triang": (_triang, 0),
    "tukey": (_tukey, 0),
}


@composite
def get_window(
    window: str | tuple[Any, ...], win_length: int, fftbins: bool = True, dtype: Any = "float64"
) -> Tensor:
    """Makes a window by name.

    Args:
        window: `"hann"`, `"hamming"`, `"blackman"`, `"bartlett"`, `"bohman"`, `"cosine"`,
            `"nuttall"`, `"taylor"`, `"triang"`, `"tukey"`, `"exponential"`, or a tuple of a name
            and parameters: `("gaussian", std)`, `("general_gaussian", p, sig)`,
            `("kaiser", beta)`, `("tukey", alpha)`, `("taylor", nbar, sll, norm)`,
            `("exponential", center, tau)`, `("general_hamming", alpha)`,
            `("general_cosine", coefficients)`.
        win_length: number of samples.
        fftbins: a periodic window, for a Fourier transform; otherwise a symmetric one.
        dtype: dtype of the result.

    Returns:
        Tensor of shape [win_length].

    Raises:
        InvalidTypeError: `window` is neither a name nor a tuple.
        InvalidArgumentError: an unknown window, missing parameters, or a negative length.

    Examples:
        >>> import proa
        >>> proa.audio.functional.get_window("hann", 4).round(4).tolist()
        [0.0, 0.5, 1.0, 0.5]
    """
    name, *parameters = window if isinstance(window, tuple) and window else (window,)
    if not isinstance(name, str):
        raise InvalidTypeError(
            f"`window` is {window!r}"[:200],
            expected="a name, or a tuple of a name and parameters",
            fix="pass 'hann', for example",
        )
    if name not in _WINDOWS or win_length < 0:
        raise InvalidArgumentError(
            f"`window` is {window!r} with `win_length` {win_length}"[:200],
            expected="a length of at least 0, and one of " + ", ".join(_WINDOWS),
            fix="choose one of these",
        )
    function, required = _WINDOWS[name]
    if len(parameters) < required:
        raise InvalidArgumentError(
            f"window {name!r} with {len(parameters)} parameters",
            expected=f"at least {required}",
            fix=f"pass a tuple: ({name!r}, ...)",
        )
    if win_length <= 1:
        values = np.ones(win_length)
    else:
        # A periodic window is a symmetric one with one more sample, left out.
        values = function(win_length + int(fftbins), *parameters)[:win_length]
    return to_tensor(values.astype(as_dtype(dtype).numpy))
