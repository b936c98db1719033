"""Activations that look along an axis or hold a weight: softmax, gated units, prelu, maxout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    Mersenne,
    OutOfRangeError,
    Tensor,
    attach_method,
    composite,
    describe_array,
    is_drawn,
    op,
    to_tensor,
    unit_draws,
    unit_like,
)

from ._activation import floating
from ._promote import floating_as

if TYPE_CHECKING:
    from proa.core._types import Array, DType, Key


def positive_axis(axis: int, ndim: int, op_name: str) -> int:
    """Counts an axis from the front.

    Raises:
        OutOfRangeError: there is no such axis.
    """
    if not -ndim <= axis < ndim and not (ndim == 0 and axis in (0, -1)):
        raise OutOfRangeError(
            f"`axis` of `{op_name}` is {axis} on a tensor with {ndim} axes",
            expected=f"{-ndim} <= axis < {ndim}",
            fix="count axes from 0, or from the end with -1",
        )
    return axis % ndim if ndim else 0


def _wide(x: Array) -> Array:
    """Half precision computes in float32; the caller casts back."""
    return x.astype(jnp.float32) if x.dtype in (jnp.float16, jnp.bfloat16) else x


@op(method=None, inplace=True, amp="black", out=True)
def softmax(x: Array, axis: int = -1, dtype: DType | None = None) -> Array:
    """Normalised exponentials: exp(x_i) / sum_j exp(x_j) along an axis.

    Args:
        x: floating tensor.
        axis: axis whose elements sum to 1.
        dtype: dtype to cast `x` to before; its own by default.

    Raises:
        OutOfRangeError: `axis` does not exist.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> F.softmax(proa.to_tensor([0.0, 0.0])).tolist()
        [0.5, 0.5]
    """
    x = floating_as(x, dtype, "softmax")
    if x.ndim == 0:
        return jnp.ones_like(x)
    axis = positive_axis(axis, x.ndim, "softmax")
    return jax.nn.softmax(_wide(x), axis=axis).astype(x.dtype)


@composite
def implicit_softmax(
    input: Tensor, dim: int | None = None, dtype: Any = None, *, out: Tensor | None = None
) -> Tensor:
    """Normalised exponentials along an axis; `proa.softmax` and the Tensor method.

    Args:
        input: floating tensor.
        dim: axis whose elements sum to 1. Without it axis 0 of a tensor with 0, 1 or 3 axes,
            and axis 1 of others, as Paddle has it; better name the axis.
        dtype: dtype to cast `input` to before; its own by default.
        out: tensor that takes the result.

    Raises:
        OutOfRangeError: `dim` does not exist.

    Examples:
        >>> import proa
        >>> proa.softmax(proa.to_tensor([[0.0, 0.0]]), -1).tolist()
        [[0.5, 0.5]]
    """
    if dim is None:
        dim = 0 if input.ndim in (0, 1, 3) else 1
    return softmax(input, dim, dtype, out=out)


attach_method("softmax", implicit_softmax)


@op(method=None, amp="black")
def log_softmax(x: Array, axis: int = -1, dtype: DType | None = None) -> Array:
    """Logarithm of the softmax: x_i - log(sum_j exp(x_j)) along an axis.

    Args:
        x: floating tensor.
        axis: axis of the normalisation.
        dtype: dtype to cast `x` to before; its own by default.

    Raises:
        OutOfRangeError: `axis` does not exist.
    """
    x = floating_as(x, dtype, "log_softmax")
    if x.ndim == 0:
        return jnp.zeros_like(x)
    axis = positive_axis(axis, x.ndim, "log_softmax")
    return jax.nn.log_softmax(_wide(x), axis=axis).astype(x.dtype)


@op(method=None)
def glu(x: Array, axis: int = -1) -> Array:
    """Gated linear unit: a * sigmoid(b), `a` and `b` the halves of `x` along an axis.

    Args:
        x: floating tensor with an even extent along `axis`.
        axis: axis that is halved.

    Raises:
        InvalidArgumentError: the extent is odd.
    """
    first, second = _halves(x, positive_axis(axis, x.ndim, "glu"), "glu")
    return first * jax.nn.sigmoid(second)


def _halves(x: Array, axis: int, name: str) -> list[Array]:
    if x.shape[axis] % 2:
        raise InvalidArgumentError(
            f"`{name}` got {describe_array(x)} with extent {x.shape[axis]} along axis {axis}",
            expected="an even extent, to be halved",
            fix="choose another axis, or pad by one",
        )
    return jnp.split(x, 2, axis=axis)


@op(method=None)
def swiglu(x: Array, y: Array | None = None) -> Array:
    """Swish-gated unit: silu(x) * y; without `y`, of the two halves of the last axis.

    Args:
        x: floating tensor.
        y: tensor of the shape of `x`.

    Raises:
        InvalidArgumentError: no `y`, and the last extent of `x` is odd.
    """
    if y is None:
        x, y = _halves(x, x.ndim - 1, "swiglu")
    return jax.nn.silu(x) * y


@op(method=None)
def maxout(x: Array, groups: int, axis: int = 1) -> Array:
    """Largest of each `groups` neighbouring channels.

    Args:
        x: floating tensor, the extent along `axis` a multiple of `groups`.
        groups: number of channels that compete for one output channel.
        axis: the channel axis.

    Raises:
        InvalidArgumentError: the extent is no multiple of `groups`.
    """
    axis = positive_axis(axis, x.ndim, "maxout")
    if groups < 2 or x.shape[axis] % groups:
        raise InvalidArgumentError(
            f"`maxout` got {describe_array(x)}, axis {axis} and groups={groups}",
            expected="groups > 1 that divides the extent along the axis",
            fix="choose groups that divides the number of channels",
        )
    shape = (*x.shape[:axis], x.shape[axis] // groups, groups, *x.shape[axis + 1 :])
    parts = x.reshape(shape)
    # Only the first of equal maxima receives the gradient, as in Paddle.
    winner = jnp.argmax(parts, axis=axis + 1, keepdims=True)
    return jnp.take_along_axis(parts, winner, axis=axis + 1).squeeze(axis + 1)


@op(method=None)
def prelu(x: Array, weight: Array, data_format: str = "NCHW") -> Array:
    """Rectifier with a learned slope: x for x > 0, weight * x otherwise.

    Args:
        x: floating tensor.
        weight: one slope, or one per channel, shape [1] or [C].
        data_format: where the channels are: `'NC...'` or `'N...C'`.

    Raises:
        InvalidArgumentError: the number of slopes is neither 1 nor that of the channels.
    """
    if weight.size != 1:
        axis = x.ndim - 1 if data_format.endswith("C") and len(data_format) > 2 else 1
        if x.ndim < 2 or weight.size != x.shape[axis]:
            raise InvalidArgumentError(
                f"`prelu` got x {describe_array(x)} and weight {describe_array(weight)} "
                f"with data_format={data_format!r}",
                expected="one slope, or one per channel",
                fix="give the weight shape [1] or [C]",
            )
        weight = weight.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    else:
        weight = weight.reshape(())
    return jnp.where(x > 0, x, weight.astype(x.dtype) * x)


def _slope_noise(stream: Mersenne, x: Any, training: bool = True, **rest: Any) -> np.ndarray:
    """One number for each element below zero, in their order."""
    values = to_tensor(x).numpy()
    draws = np.zeros(values.shape, np.float32)
    if training:
        draws[values < 0] = stream.unit((int((values < 0).sum()),))
    return draws


@op(method=None, noise=_slope_noise)
def rrelu(
    key: Key,
    x: Array,
    lower: float = 0.125,
    upper: float = 0.3333333333333333,
    training: bool = True,
) -> Array:
    """Rectifier whose slope below zero is drawn from [lower, upper) for each element.

    Args:
        key: random bits.
        x: floating tensor.
        lower: smallest slope.
        upper: largest slope.
        training: draw the slopes; otherwise each is (lower + upper) / 2.

    Raises:
        InvalidArgumentError: not 0 <= lower <= upper <= 1.
    """
    if not 0 <= lower <= upper <= 1:
        raise InvalidArgumentError(
            f"`rrelu` got lower={lower} and upper={upper}",
            expected="0 <= lower <= upper <= 1",
            fix="swap or correct the bounds",
        )
    x = floating(x)
    slope = (lower + upper) / 2
    if training:
        draws = lower + unit_draws(key, x.shape, jnp.float32) * (upper - lower)
        return jnp.where(x > 0, x, draws.astype(x.dtype) * x)
    return jnp.where(x > 0, x, slope * x)


@op(method=None, noise=unit_like)
def gumbel_softmax(
    key: Key, x: Array, temperature: float = 1.0, hard: bool = False, axis: int = -1
) -> Array:
    """Softmax of (x + Gumbel noise) / temperature, a differentiable random choice.

    Args:
        key: random bits.
        x: floating tensor of unnormalised log-probabilities.
        temperature: lower is nearer to a one-hot vector; above 0.
        hard: return the one-hot vector, with the gradient of the soft one.
        axis: axis of the choice.

    Raises:
        InvalidArgumentError: `temperature` is not positive.
    """
    if temperature <= 0:
        raise InvalidArgumentError(
            f"`temperature` of `gumbel_softmax` is {temperature}",
            expected="a positive number",
            fix="use 1.0, or a small positive value for nearly hard choices",
        )
    x = floating(x)
    axis = positive_axis(axis, x.ndim, "gumbel_softmax")
    if is_drawn(key):
        noise = -jnp.log(-jnp.log(key))
    else:
        noise = jax.random.gumbel(key, x.shape, jnp.float32)
    noise = noise.astype(x.dtype)
    soft = jax.nn.softmax((x + noise) / temperature, axis=axis)
    if not hard:
        return soft
    places = jax.lax.broadcasted_iota(jnp.int32, x.shape, axis)
    chosen = places == jnp.argmax(soft, axis=axis, keepdims=True)
    # Adds exactly zero, with the gradient of the soft choice.
    return chosen.astype(x.dtype) + (soft - jax.lax.stop_gradient(soft))


softmax_ = softmax.inplace
