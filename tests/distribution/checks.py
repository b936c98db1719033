"""What the tests of distributions share: comparison with SciPy, moments of samples, gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

import proa


def tensor(values: Any, *, train: bool = False) -> Any:
    return proa.to_tensor(np.float64(values), stop_gradient=not train)


def close(got: Any, wanted: Any, rtol: float = 1e-9, atol: float = 1e-11) -> None:
    np.testing.assert_allclose(got.numpy(), wanted, rtol=rtol, atol=atol)


def check_moments(made: Any, mean: Any, variance: Any, count: int = 20000) -> None:
    """Sample mean and variance lie within five standard errors of the exact ones."""
    proa.seed(7)
    drawn = made.sample([count]).numpy().astype(np.float64)
    mean, variance = np.asarray(mean), np.asarray(variance)
    np.testing.assert_array_less(abs(drawn.mean(0) - mean), 5 * np.sqrt(variance / count) + 1e-12)
    fourth = ((drawn - drawn.mean(0)) ** 4).mean(0)
    spread = np.sqrt(np.maximum(fourth - variance**2, variance**2) / count)
    np.testing.assert_array_less(abs(drawn.var(0) - variance), 6 * spread + 1e-12)


def check_gradient(function: Any, *values: Any, rtol: float = 1e-6) -> None:
    """First derivatives of a function's sum agree with central differences in float64."""
    given = [tensor(v, train=True) for v in values]
    found = proa.grad(function(*given).sum(), given)
    for i, value in enumerate(values):
        base = np.float64(value)
        numeric = np.zeros_like(base)
        for place in np.ndindex(base.shape):
            step = np.zeros_like(base)
            step[place] = 1e-6
            ends = [
                function(*[tensor(v + sign * step if j == i else v) for j, v in enumerate(values)])
                for sign in (1.0, -1.0)
            ]
            numeric[place] = (ends[0].sum().item() - ends[1].sum().item()) / 2e-6
        np.testing.assert_allclose(found[i].numpy(), numeric, rtol=rtol, atol=1e-7)
