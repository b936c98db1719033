"""Frequencies of the points of a transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from proa.core import (
    InvalidArgumentError,
    Tensor,
    as_dtype,
    get_default_dtype,
    to_tensor,
    write_out,
)


def _make(
    points: Any, n: int, d: float, name: str, dtype: Any, out: Any, device: Any, grad: bool
) -> Tensor:
    if not isinstance(n, int | np.integer) or n < 1 or d == 0:
        raise InvalidArgumentError(
            f"`{name}` got n={n!r}, d={d!r}",
            expected="a number of points of at least 1, and a distance that is not 0",
            fix="give the length of the transform and the time between two samples",
        )
    kind = as_dtype(get_default_dtype() if dtype is None else dtype)
    values = (points(n) / (n * d)).astype(kind.numpy)
    made = to_tensor(values, place=device, stop_gradient=not grad)
    return made if out is None else write_out(out, made)


def fftfreq(
    n: int,
    d: float = 1.0,
    dtype: Any = None,
    name: str | None = None,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Frequencies of the points of `fft`: 0, 1, ..., then the negative ones, over `n d`.

    Args:
        n: number of points.
        d: time between two samples, in the unit whose inverse the result has.
        dtype: dtype; the default dtype when it is `None`.
        name: not used.
        out: tensor that takes the result.
        device: where it lies; the current device by default.
        requires_grad: whether the result takes part in gradients.

    Returns:
        Tensor `[n]`.

    Raises:
        InvalidArgumentError: `n` is below 1, or `d` is 0.

    Examples:
        >>> import proa
        >>> proa.fft.fftfreq(4, 0.5).tolist()
        [0.0, 0.5, -1.0, -0.5]
    """

    def points(count: int) -> Any:
        return np.fft.ifftshift(np.arange(-(count // 2), (count + 1) // 2))

    return _make(points, n, d, "fftfreq", dtype, out, device, requires_grad)


def rfftfreq(
    n: int,
    d: float = 1.0,
    dtype: Any = None,
    name: str | None = None,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Frequencies of the points of `rfft`: 0, 1, ..., `n // 2`, over `n d`.

    Args:
        n: number of points of the real tensor.
        d: time between two samples, in the unit whose inverse the result has.
        dtype: dtype; the default dtype when it is `None`.
        name: not used.
        out: tensor that takes the result.
        device: where it lies; the current device by default.
        requires_grad: whether the result takes part in gradients.

    Returns:
        Tensor `[n // 2 + 1]`.

    Raises:
        InvalidArgumentError: `n` is below 1, or `d` is 0.
    """

    def points(count: int) -> Any:
        return np.arange(count // 2 + 1)

    return _make(points, n, d, "rfftfreq", dtype, out, device, requires_grad)
