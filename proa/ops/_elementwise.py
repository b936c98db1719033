"""Elementwise functions of one tensor: exponentials, powers, trigonometry, rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from proa.core import InvalidTypeError, op

from ._promote import floating, is_complex, is_floating, is_integral, refuse_complex, widened

if TYPE_CHECKING:
    from proa.core._types import Array


@op(inplace=True, out=True)
def abs(x: Array):
    """Absolute value; the modulus of complex numbers (a real result).

    Args:
        x: real or complex tensor.
        name: not used.
        out: tensor that takes the result.

    Examples:
        >>> import proa
        >>> proa.abs(proa.to_tensor([-1.5, 2.0])).tolist()
        [1.5, 2.0]
    """
    if is_floating(x):
        # JAX's own slope at 0 is 1; Paddle's is 0.
        return x * jax.lax.stop_gradient(jnp.sign(x))
    return jnp.abs(x)


@op(inplace=True)
def neg(x: Array):
    """Negation `-x`.

    Args:
        x: numeric tensor.
        name: not used.
    """
    return jnp.logical_not(x) if x.dtype == bool else jnp.negative(x)


@op(method="negative")
def negative(x: Array):
    """Negation `-x`; the same as `neg`.

    Args:
        x: numeric tensor.
        name: not used.

    Raises:
        InvalidTypeError: `x` is boolean.
    """
    return jnp.negative(_numeric(x, "negative"))


@op
def positive(x: Array):
    """Returns `x` itself, as `+x` does.

    Args:
        x: numeric tensor.
        name: not used.

    Raises:
        InvalidTypeError: `x` is boolean.
    """
    return jnp.positive(_numeric(x, "positive"))


def _numeric(x: Array, name: str) -> Array:
    if x.dtype == bool:
        raise InvalidTypeError(
            f"`{name}` of a bool tensor",
            expected="a numeric tensor",
            fix="use logical_not(x), or cast it first",
        )
    return x


@op(inplace=True, out=True, amp="black")
def exp(x: Array):
    """Exponential `e**x`.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.

    Examples:
        >>> import proa
        >>> proa.exp(proa.to_tensor([0.0, 1.0])).numpy().round(4).tolist()
        [1.0, 2.7183...]
    """
    return jnp.exp(floating(x))


@op(inplace=True, out=True, amp="black")
def expm1(x: Array):
    """`e**x - 1`, exact for small `x`.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.expm1(floating(x))


@op(inplace=True, out=True, amp="black")
def log(x: Array):
    """Natural logarithm; -inf at 0, NaN below.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.

    Examples:
        >>> import proa
        >>> proa.log(proa.to_tensor([1.0, 0.0])).tolist()
        [0.0, -inf]
    """
    return jnp.log(floating(x))


@op(inplace=True, out=True, amp="black")
def log2(x: Array):
    """Logarithm to base 2.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.log2(floating(x))


@op(inplace=True, out=True, amp="black")
def log10(x: Array):
    """Logarithm to base 10.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.log10(floating(x))


@op(inplace=True, out=True, amp="black")
def log1p(x: Array):
    """`log(1 + x)`, exact for small `x`.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.log1p(floating(x))


@op(inplace=True, out=True)
def sqrt(x: Array):
    """Square root; NaN below 0.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.sqrt(floating(x))


@op(inplace=True, out=True, amp="black")
def rsqrt(x: Array):
    """Reciprocal square root `1 / sqrt(x)`.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.
    """
    return jax.lax.rsqrt(floating(x))


@op(inplace=True, amp="black")
def square(x: Array):
    """`x * x`.

    Args:
        x: numeric tensor.
        name: not used.
    """
    return jnp.square(x)


@op(inplace=True, amp="black")
def reciprocal(x: Array):
    """`1 / x`.

    Args:
        x: tensor; integers give float32.
        name: not used.
    """
    return jnp.reciprocal(floating(x))


@op(inplace=True, out=True)
def sin(x: Array):
    """Sine of an angle in radians.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.

    Examples:
        >>> import proa
        >>> float(proa.sin(proa.to_tensor(0.0)))
        0.0
    """
    return jnp.sin(floating(x))


@op(inplace=True, out=True)
def cos(x: Array):
    """Cosine of an angle in radians.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.cos(floating(x))


@op(inplace=True, amp="black")
def tan(x: Array):
    """Tangent of an angle in radians.

    Args:
        x: tensor; integers give float32.
        name: not used.
    """
    return jnp.tan(floating(x))


@op(inplace=True, amp="black", out=True)
def asin(x: Array):
    """Inverse sine, in radians in [-pi/2, pi/2]; NaN outside [-1, 1].

    Args:
        x: tensor; integers give float32.
        name: not used.
    """
    return jnp.arcsin(floating(x))


@op(inplace=True, out=True, amp="black")
def acos(x: Array):
    """Inverse cosine, in radians in [0, pi]; NaN outside [-1, 1].

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.arccos(floating(x))


@op(inplace=True)
def atan(x: Array):
    """Inverse tangent, in radians in (-pi/2, pi/2).

    Args:
        x: tensor; integers give float32.
        name: not used.
    """
    return jnp.arctan(floating(x))


@op(inplace=True, out=True, amp="black")
def sinh(x: Array):
    """Hyperbolic sine.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.sinh(floating(x))


@op(inplace=True, out=True, amp="black")
def cosh(x: Array):
    """Hyperbolic cosine.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.cosh(floating(x))


@op(inplace=True, out=True)
def tanh(x: Array):
    """Hyperbolic tangent.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.tanh(floating(x))


@op(inplace=True)
def asinh(x: Array):
    """Inverse hyperbolic sine.

    Args:
        x: tensor; integers give float32.
        name: not used.
    """
    return jnp.arcsinh(floating(x))


@op(inplace=True, out=True)
def acosh(x: Array):
    """Inverse hyperbolic cosine; NaN below 1.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.arccosh(floating(x))


@op(inplace=True, out=True, amp="black")
def atanh(x: Array):
    """Inverse hyperbolic tangent; infinite at -1 and 1, NaN outside.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.arctanh(floating(x))


@op
def stanh(x: Array, scale_a: float = 0.67, scale_b: float = 1.7159):
    """Scaled hyperbolic tangent `scale_b * tanh(scale_a * x)`.

    Args:
        x: tensor; integers give float32.
        scale_a: factor of the argument.
        scale_b: factor of the result.
        name: not used.
    """
    return scale_b * jnp.tanh(scale_a * floating(x))


@op(inplace=True)
def sinc(x: Array):
    """Normalised sinc `sin(pi x) / (pi x)`, 1 at 0.

    Args:
        x: tensor; integers give float32.
        name: not used.
    """
    return jnp.sinc(floating(x))


@op
def deg2rad(x: Array):
    """Degrees to radians.

    Args:
        x: angles in degrees; integers give float32.
        name: not used.

    Examples:
        >>> import proa
        >>> f"{float(proa.deg2rad(proa.to_tensor(180.0))):.4f}"
        '3.1416'
    """
    return jnp.deg2rad(floating(x))


@op
def rad2deg(x: Array):
    """Radians to degrees.

    Args:
        x: angles in radians; integers give float32.
        name: not used.
    """
    return jnp.rad2deg(floating(x))


@op(inplace=True, out=True)
def sigmoid(x: Array):
    """Logistic function `1 / (1 + e**-x)`.

    Args:
        x: tensor; integers give float32.
        name: not used.
        out: tensor that takes the result.
    """
    return jax.nn.sigmoid(floating(x))


@op(inplace=True)
def logit(x: Array, eps: float | None = None):
    """Inverse of the logistic function, `log(x / (1 - x))`.

    Args:
        x: probabilities; integers give float32.
        eps: `x` is clipped to [eps, 1 - eps] first; `None` or 0 leaves NaN outside [0, 1].
        name: not used.
    """
    x = floating(x)
    wide = widened(x)
    if eps:
        inside = (wide >= eps) & (wide <= 1 - eps)
        wide = jnp.where(inside | jnp.isnan(wide), wide, jnp.where(wide < eps, eps, 1 - eps))
    return (jnp.log(wide) - jnp.log1p(-wide)).astype(x.dtype)


@op(inplace=True, out=True)
def floor(x: Array):
    """Largest integer not above `x`, in the dtype of `x`.

    Args:
        x: real tensor.
        name: not used.
        out: tensor that takes the result.
    """
    refuse_complex("floor", x)
    return x if is_integral(x) else jnp.floor(x)


@op(inplace=True, out=True)
def ceil(x: Array):
    """Smallest integer not below `x`, in the dtype of `x`.

    Args:
        x: real tensor.
        name: not used.
        out: tensor that takes the result.
    """
    refuse_complex("ceil", x)
    return x if is_integral(x) else jnp.ceil(x)


@op(inplace=True)
def trunc(input: Array):
    """Integer part, towards zero, in the dtype of the input.

    Args:
        input: real tensor.
        name: not used.
    """
    refuse_complex("trunc", input)
    return input if is_integral(input) else jnp.trunc(input)


@op(inplace=True, out=True)
def frac(x: Array):
    """Fractional part `x - trunc(x)`, with the sign of `x`.

    Args:
        x: real tensor.
        name: not used.
        out: tensor that takes the result.
    """
    refuse_complex("frac", x)
    return jnp.zeros_like(x) if is_integral(x) else x - jnp.trunc(x)


@op(inplace=True, out=True)
def round(x: Array, decimals: int = 0):
    """Rounds to the nearest number with `decimals` decimals, halves to even.

    Args:
        x: numeric tensor.
        decimals: number of decimals; negative ones round to tens, hundreds, ...
        name: not used.
        out: tensor that takes the result.

    Examples:
        >>> import proa
        >>> proa.round(proa.to_tensor([0.5, 1.5, -2.5])).tolist()
        [0.0, 2.0, -2.0]
    """
    if is_integral(x) and decimals >= 0:
        return x
    return jnp.round(x, decimals).astype(x.dtype)


@op(out=True)
def sign(x: Array):
    """-1, 0 or 1 by the sign of `x`; NaN stays NaN, complex numbers become `x / |x|`.

    Args:
        x: numeric tensor.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.sign(x)


@op
def sgn(x: Array):
    """Sign, for complex numbers the point of the unit circle `x / |x|` (0 at 0).

    Args:
        x: numeric tensor.
        name: not used.
    """
    if not is_complex(x):
        return jnp.sign(x)
    zero = x == 0
    # Divided by 1 at 0, so that no gradient is NaN there.
    return jnp.where(zero, 0, x / jnp.abs(jnp.where(zero, 1, x)))


@op(differentiable=False)
def signbit(x: Array):
    """Whether the sign is negative; true for -0.0 as well.

    Args:
        x: real tensor.
        name: not used.
    """
    refuse_complex("signbit", x)
    return x < 0 if is_integral(x) else jnp.signbit(x)


@op(inplace=True)
def nan_to_num(
    x: Array, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
):
    """Replaces NaN and infinities by finite numbers.

    Args:
        x: real tensor.
        nan: replacement of NaN.
        posinf: replacement of +inf; `None` is the largest number of the dtype.
        neginf: replacement of -inf; `None` is the lowest number of the dtype.
        name: not used.
    """
    if is_integral(x):
        return x
    return jnp.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


@op
def frexp(x: Array):
    """Splits `x` into `mantissa * 2**exponent` with the mantissa in [0.5, 1), or 0.

    Args:
        x: real tensor; integers give float32.
        name: not used.

    Returns:
        Mantissa and exponent, both in the dtype of `x`.
    """
    refuse_complex("frexp", x)
    x = floating(x)
    mantissa, exponent = jnp.frexp(widened(x))
    return mantissa.astype(x.dtype), exponent.astype(x.dtype)


@op
def conj(x: Array):
    """Complex conjugate; real tensors stay.

    Args:
        x: numeric tensor.
        name: not used.
    """
    return jnp.conj(x) if is_complex(x) else x


@op
def real(x: Array):
    """Real part; a real tensor is its own.

    Args:
        x: numeric tensor.
        name: not used.
    """
    return jnp.real(x)


@op
def imag(x: Array):
    """Imaginary part; zeros for a real tensor.

    Args:
        x: numeric tensor.
        name: not used.
    """
    return jnp.imag(x)


@op
def angle(x: Array):
    """Phase in radians; for real numbers 0, or pi where negative.

    Args:
        x: numeric tensor; integers give float32.
        name: not used.
    """
    x = floating(x)
    if is_complex(x):
        return jnp.angle(x)
    return jnp.where(jnp.isnan(x), x, jnp.where(x < 0, jnp.pi, 0.0)).astype(x.dtype)


abs_ = abs.inplace
acos_ = acos.inplace
acosh_ = acosh.inplace
asin_ = asin.inplace
asinh_ = asinh.inplace
atan_ = atan.inplace
atanh_ = atanh.inplace
ceil_ = ceil.inplace
cos_ = cos.inplace
cosh_ = cosh.inplace
exp_ = exp.inplace
expm1_ = expm1.inplace
floor_ = floor.inplace
frac_ = frac.inplace
log10_ = log10.inplace
log1p_ = log1p.inplace
log2_ = log2.inplace
log_ = log.inplace
logit_ = logit.inplace
nan_to_num_ = nan_to_num.inplace
neg_ = neg.inplace
reciprocal_ = reciprocal.inplace
round_ = round.inplace
rsqrt_ = rsqrt.inplace
sigmoid_ = sigmoid.inplace
sin_ = sin.inplace
sinc_ = sinc.inplace
sinh_ = sinh.inplace
sqrt_ = sqrt.inplace
square_ = square.inplace
tan_ = tan.inplace
tanh_ = tanh.inplace
trunc_ = trunc.inplace
