"""Element-wise activations without parameters of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, composite, default_dtype, op, write_inplace

if TYPE_CHECKING:
    from proa.core._types import Array


def floating(x: Array) -> Array:
    """Gives integers and booleans the default floating dtype; the rest stays as it is."""
    if jnp.issubdtype(x.dtype, jnp.inexact):
        return x
    return x.astype(default_dtype().numpy)


@op(method=None, inplace=True, keeps_output=True)
def relu(x: Array) -> Array:
    """Rectifier: max(x, 0); its gradient at 0 is 0.

    Args:
        x: floating or integer tensor.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> F.relu(proa.to_tensor([-1.0, 0.0, 2.0])).tolist()
        [0.0, 0.0, 2.0]
    """
    # Not jnp.maximum: that halves the gradient at 0. NaN passes through.
    return jnp.where(x <= 0, jnp.zeros((), x.dtype), x)


@op(method=None, keeps_output=True)
def relu6(x: Array) -> Array:
    """Rectifier with a ceiling: min(max(x, 0), 6).

    Args:
        x: floating tensor.
    """
    return _clamp(x, 0, 6)


def _clamp(x: Array, low: float, high: float) -> Array:
    # Not jnp.clip: its gradient at the bounds is not Paddle's 0.
    low_, high_ = jnp.asarray(low, x.dtype), jnp.asarray(high, x.dtype)
    return jnp.where(x <= low_, low_, jnp.where(x >= high_, high_, x))


_APPROXIMATE = {False: False, True: True, "none": False, "tanh": True}


@op(method=None, out=True)
def gelu(x: Array, approximate: Any = False) -> Array:
    """Gaussian error linear unit: x * Phi(x), Phi the normal distribution function.

    Args:
        x: floating tensor.
        approximate: use 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); `True` or `"tanh"`.
            `False` or `"none"` is exact.

    Raises:
        InvalidArgumentError: another word for `approximate`.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> round(F.gelu(proa.to_tensor(1.0)).item(), 4)
        0.8413
    """
    wanted = _APPROXIMATE.get(approximate)
    if wanted is None:
        raise InvalidArgumentError(
            f"`approximate` of `gelu` is {approximate!r}",
            expected="True, False, 'tanh' or 'none'",
            fix="leave it out for the exact function",
        )
    return jax.nn.gelu(floating(x), approximate=wanted)


@op(name="silu", method=None, public=False)
def _silu(x: Array) -> Array:
    return jax.nn.silu(floating(x))


@composite
def silu(x: Tensor, inplace: bool = False, name: str | None = None) -> Tensor:
    """Sigmoid linear unit: x / (1 + exp(-x)).

    Args:
        x: floating tensor.
        inplace: write the result to `x`, and return that.
        name: not used.

    Raises:
        PreconditionError: `inplace` on a leaf whose gradient is wanted.
    """
    made = _silu(x)
    return write_inplace(x, made) if inplace else made


@op(method=None)
def swish(x: Array) -> Array:
    """Swish: x * sigmoid(x), the same as `silu`.

    Args:
        x: floating tensor.
    """
    return jax.nn.silu(floating(x))


@op(method=None)
def mish(x: Array) -> Array:
    """Mish: x * tanh(log(1 + exp(x))).

    Args:
        x: floating tensor.
    """
    x = floating(x)
    return x * jnp.tanh(jax.nn.softplus(x))


@op(method=None, inplace=True)
def leaky_relu(x: Array, negative_slope: float = 0.01) -> Array:
    """Leaky rectifier: x for x >= 0, negative_slope * x otherwise.

    Args:
        x: floating tensor.
        negative_slope: slope left of zero.
    """
    x = floating(x)
    return jnp.where(x >= 0, x, negative_slope * x)


@op(method=None, inplace=True)
def elu(x: Array, alpha: float = 1.0) -> Array:
    """Exponential linear unit: x for x > 0, alpha * (exp(x) - 1) otherwise.

    Args:
        x: floating tensor.
        alpha: scale of the negative part.
    """
    x = floating(x)
    return jnp.where(x > 0, x, alpha * jnp.expm1(jnp.where(x > 0, jnp.zeros((), x.dtype), x)))


@op(method=None)
def celu(x: Array, alpha: float = 1.0) -> Array:
    """Continuously differentiable ELU: max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).

    Args:
        x: floating tensor.
        alpha: scale of the negative part; not 0.
    """
    x = floating(x)
    guarded = jnp.where(x > 0, jnp.zeros((), x.dtype), x)
    return jnp.where(x > 0, x, alpha * jnp.expm1(guarded / alpha))


@op(method=None)
def selu(x: Array, scale: float = 1.0507009873554805, alpha: float = 1.6732632423543772) -> Array:
    """Scaled ELU: scale * (x for x > 0, alpha * (exp(x) - 1) otherwise).

    Args:
        x: floating tensor.
        scale: factor of the whole; above 1.
        alpha: scale of the negative part; not negative.
    """
    x = floating(x)
    guarded = jnp.where(x > 0, jnp.zeros((), x.dtype), x)
    return scale * jnp.where(x > 0, x, alpha * jnp.expm1(guarded))


@op(method=None, inplace=True)
def hardtanh(x: Array, min: float = -1.0, max: float = 1.0) -> Array:
    """Clips to [min, max]; the gradient is 0 at and outside the bounds.

    Args:
        x: floating tensor.
        min: lower bound.
        max: upper bound.
    """
    return _clamp(floating(x), min, max)


@op(method=None)
def hardsigmoid(x: Array, slope: float = 0.1666667, offset: float = 0.5) -> Array:
    """Piecewise linear sigmoid: clip(slope * x + offset, 0, 1).

    Args:
        x: floating tensor.
        slope: slope of the middle part.
        offset: value at zero.
    """
    return _clamp(slope * floating(x) + offset, 0, 1)


@op(method=None)
def hardswish(x: Array) -> Array:
    """Piecewise swish: x * clip(x + 3, 0, 6) / 6.

    Args:
        x: floating tensor.
    """
    x = floating(x)
    zero = jnp.zeros((), x.dtype)
    middle = jnp.where(jnp.abs(x) >= 3, zero, x)
    return jnp.where(x <= -3, zero, jnp.where(x >= 3, x, middle * (middle + 3) / 6))


@op(method=None)
def hardshrink(x: Array, threshold: float = 0.5) -> Array:
    """Zeroes what lies in [-threshold, threshold] and keeps the rest.

    Args:
        x: floating tensor.
        threshold: half width of the zeroed interval.
    """
    x = floating(x)
    return jnp.where(jnp.abs(x) <= threshold, jnp.zeros((), x.dtype), x)


@op(method=None)
def softshrink(x: Array, threshold: float = 0.5) -> Array:
    """Moves values towards zero by `threshold`, and to zero when they are nearer.

    Args:
        x: floating tensor.
        threshold: distance; not negative.
    """
    x = floating(x)
    zero = jnp.zeros((), x.dtype)
    return jnp.where(jnp.abs(x) <= threshold, zero, x - jnp.sign(x) * threshold)


@op(method=None, amp="black")
def tanhshrink(x: Array) -> Array:
    """What tanh takes away: x - tanh(x).

    Args:
        x: floating tensor.
    """
    x = floating(x)
    return x - jnp.tanh(x)


@op(method=None, amp="black", out=True)
def softplus(x: Array, beta: float = 1, threshold: float = 20) -> Array:
    """Smooth rectifier: log(1 + exp(beta * x)) / beta, and x where beta * x > threshold.

    Args:
        x: floating tensor.
        beta: steepness.
        threshold: where the linear part begins.
    """
    x = floating(x)
    scaled = beta * x
    linear = scaled > threshold
    guarded = jnp.where(linear, jnp.zeros((), x.dtype), scaled)
    return jnp.where(linear, x, jax.nn.softplus(guarded) / beta)


@op(method=None)
def softsign(x: Array) -> Array:
    """Softsign: x / (1 + |x|).

    Args:
        x: floating tensor.
    """
    x = floating(x)
    return x / (1 + jnp.abs(x))


@op(method=None, inplace=True)
def thresholded_relu(x: Array, threshold: float = 1.0, value: float = 0.0) -> Array:
    """Keeps what is above `threshold` and sets the rest to `value`.

    Args:
        x: floating tensor.
        threshold: the bound; not kept itself.
        value: what the rest becomes.
    """
    x = floating(x)
    return jnp.where(x <= threshold, jnp.asarray(value, x.dtype), x)


@op(method=None)
def log_sigmoid(x: Array) -> Array:
    """Logarithm of the sigmoid: -log(1 + exp(-x)).

    Args:
        x: floating tensor.
    """
    return -jax.nn.softplus(-floating(x))


relu_ = relu.inplace
leaky_relu_ = leaky_relu.inplace
elu_ = elu.inplace
hardtanh_ = hardtanh.inplace
thresholded_relu_ = thresholded_relu.inplace
logsigmoid = log_sigmoid
