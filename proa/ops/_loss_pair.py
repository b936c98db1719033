"""Losses that compare a prediction with a target, element by element."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import jax.numpy as jnp
from jax import lax
from jax.scipy.special import xlogy

from proa.core import InvalidArgumentError, op

from ._loss_class import reduce_loss
from ._similarity import magnitude

if TYPE_CHECKING:
    from proa.core._types import Array


@op(method=None)
def mse_loss(input: Array, label: Array, reduction: str = "mean") -> Array:
    """Squared error: (input - label)^2.

    Args:
        input: floating tensor.
        label: tensor that broadcasts with `input`.
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: unknown reduction.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> F.mse_loss(proa.to_tensor([1.0, 2.0]), proa.to_tensor([1.0, 4.0])).item()
        2.0
    """
    return reduce_loss(lax.square(input - label), reduction, "mse_loss")


@op(method=None)
def square_error_cost(input: Array, label: Array) -> Array:
    """Squared error of each element: (input - label)^2.

    Args:
        input: floating tensor.
        label: tensor that broadcasts with `input`.
    """
    return lax.square(input - label)


@op(method=None)
def l1_loss(input: Array, label: Array, reduction: str = "mean") -> Array:
    """Absolute error: |input - label|; the gradient at equality is 0.

    Args:
        input: floating tensor.
        label: tensor that broadcasts with `input`.
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: unknown reduction.
    """
    return reduce_loss(magnitude(input - label), reduction, "l1_loss")


@op(method=None, amp="black")
def smooth_l1_loss(
    input: Array, label: Array, reduction: str = "mean", delta: float = 1.0, is_huber: bool = True
) -> Array:
    """Squared error near the target, absolute error away from it.

    With z = |input - label|: z^2 / 2 for z < delta, delta * (z - delta / 2) otherwise;
    without `is_huber` the same divided by delta.

    Args:
        input: floating tensor.
        label: tensor that broadcasts with `input`.
        reduction: `'none'`, `'mean'` or `'sum'`.
        delta: where the linear part begins; above 0.
        is_huber: whether the slope of the linear part is delta (or 1).

    Raises:
        InvalidArgumentError: unknown reduction, or `delta` is not positive.
    """
    if delta <= 0:
        raise InvalidArgumentError(
            f"`delta` of `smooth_l1_loss` is {delta}", expected="a positive number", fix="use 1.0"
        )
    distance = magnitude(input - label)
    loss = jnp.where(distance < delta, 0.5 * lax.square(distance), delta * (distance - 0.5 * delta))
    return reduce_loss(loss if is_huber else loss / delta, reduction, "smooth_l1_loss")


@op(method=None, amp="black")
def log_loss(input: Array, label: Array, epsilon: float = 1e-4) -> Array:
    """Binary log loss: -label log(input + epsilon) - (1 - label) log(1 - input + epsilon).

    Args:
        input: probabilities.
        label: targets in [0, 1], of the shape of `input`.
        epsilon: keeps the logarithms finite.
    """
    return -label * jnp.log(input + epsilon) - (1 - label) * jnp.log(1 - input + epsilon)


@op(method=None)
def kl_div(input: Array, label: Array, reduction: str = "mean", log_target: bool = False) -> Array:
    """Kullback-Leibler divergence: label * (log(label) - input), 0 where the label is 0.

    Args:
        input: log-probabilities.
        label: probabilities, or log-probabilities with `log_target`.
        reduction: `'none'`, `'mean'`, `'sum'`, or `'batchmean'`: the sum divided by the first
            extent.
        log_target: whether `label` is a logarithm.

    Raises:
        InvalidArgumentError: unknown reduction.
    """
    if log_target:
        loss = jnp.exp(label) * (label - input)
    else:
        positive = jnp.maximum(label, 0)
        loss = xlogy(positive, positive) - positive * input
    loss = loss.astype(input.dtype)
    if reduction == "batchmean":
        return jnp.sum(loss) / (input.shape[0] if input.ndim else 1)
    return reduce_loss(loss, reduction, "kl_div")


@op(method=None)
def poisson_nll_loss(
    input: Array,
    label: Array,
    log_input: bool = True,
    full: bool = False,
    epsilon: float = 1e-8,
    reduction: str = "mean",
) -> Array:
    """Negative log-likelihood of counts: rate - label * log(rate), up to a constant.

    Args:
        input: rates, or their logarithms with `log_input`.
        label: counts.
        log_input: whether `input` is log(rate).
        full: add Stirling's term label log(label) - label + log(2 pi label) / 2 where
            label > 1.
        epsilon: added to the rate in its logarithm.
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: unknown reduction, or `epsilon` is not positive.
    """
    if epsilon <= 0:
        raise InvalidArgumentError(
            f"`epsilon` of `poisson_nll_loss` is {epsilon}",
            expected="a positive number",
            fix="use 1e-8",
        )
    if log_input:
        loss = jnp.exp(input) - label * input
    else:
        loss = input - label * jnp.log(input + epsilon)
    if full:
        large = label > 1
        count = jnp.where(large, label, 1).astype(loss.dtype)
        term = count * jnp.log(count) - count + 0.5 * jnp.log(2 * math.pi * count)
        loss = loss + jnp.where(large, term, 0)
    return reduce_loss(loss.astype(input.dtype), reduction, "poisson_nll_loss")


@op(method=None)
def gaussian_nll_loss(
    input: Array,
    label: Array,
    variance: Array,
    full: bool = False,
    epsilon: float = 1e-6,
    reduction: str = "mean",
) -> Array:
    """Negative log-likelihood of a normal distribution: (log v + (input - label)^2 / v) / 2.

    Args:
        input: means.
        label: observations, of the shape of `input`.
        variance: v, of the shape of `input`, or with one axis less, or with last extent 1.
        full: add log(2 pi) / 2.
        epsilon: least variance; the gradient ignores the bound.
        reduction: `'none'`, `'mean'` or `'sum'`.

    Raises:
        InvalidArgumentError: unknown reduction.
    """
    if variance.ndim == input.ndim - 1:
        variance = variance[..., None]
    variance = variance + lax.stop_gradient(jnp.maximum(variance, epsilon) - variance)
    loss = 0.5 * (jnp.log(variance) + lax.square(input - label) / variance)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduce_loss(loss, reduction, "gaussian_nll_loss")
