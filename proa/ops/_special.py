"""Special functions: error function, gamma family, modified Bessel functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp
import jax.scipy.special as special

from proa.core import InvalidArgumentError, op

from ._gamma_integral import lower_share, upper_share
from ._promote import floating, promote, widened

if TYPE_CHECKING:
    from proa.core._types import Array


@op(inplace=True)
def erf(x: Array):
    """Error function `2 / sqrt(pi) * integral of e**-t**2 from 0 to x`.

    Args:
        x: real tensor; integers give float32.
        name: not used.

    Examples:
        >>> import proa
        >>> round(float(proa.erf(proa.to_tensor(1.0))), 4)
        0.8427
    """
    return special.erf(floating(x))


@op(inplace=True, amp="black")
def erfinv(x: Array):
    """Inverse of the error function; infinite at -1 and 1, NaN outside.

    Args:
        x: real tensor; integers give float32.
        name: not used.
    """
    return special.erfinv(floating(x))


@op(inplace=True)
def lgamma(x: Array):
    """Logarithm of the absolute value of the gamma function.

    Args:
        x: real tensor; integers give float32.
        name: not used.
    """
    x = floating(x)
    return special.gammaln(widened(x)).astype(x.dtype)


@op(inplace=True)
def gammaln(x: Array):
    """Logarithm of the absolute value of the gamma function; the same as `lgamma`.

    Args:
        x: real tensor; integers give float32.
        name: not used.
    """
    x = floating(x)
    return special.gammaln(widened(x)).astype(x.dtype)


@op(inplace=True)
def digamma(x: Array):
    """Derivative of `lgamma`; infinite at 0, NaN at the negative integers.

    Args:
        x: real tensor; integers give float32.
        name: not used.
    """
    x = floating(x)
    wide = widened(x)
    # The pole at 0 has a side, by the sign of the zero.
    pole = jnp.where(jnp.signbit(wide), jnp.inf, -jnp.inf)
    return jnp.where(wide == 0, pole, special.digamma(wide)).astype(x.dtype)


@op(inplace=True)
def polygamma(x: Array, n: int):
    """The n-th derivative of `digamma`.

    Args:
        x: real tensor; integers give float32.
        n: order of the derivative, >= 0; 0 is `digamma` itself.
        name: not used.

    Raises:
        InvalidArgumentError: `n` is negative.
    """
    if n < 0:
        raise InvalidArgumentError(
            f"`n` of `polygamma` is {n}", expected="n >= 0", fix="0 gives digamma"
        )
    x = floating(x)
    wide = widened(x)
    if n == 0:
        return special.digamma(wide).astype(x.dtype)
    return special.polygamma(jnp.asarray(n), wide).astype(x.dtype)


@op(inplace=True)
def multigammaln(x: Array, p: int):
    """Logarithm of the multivariate gamma function of dimension `p`.

    Args:
        x: real tensor with values above `(p - 1) / 2`; integers give float32.
        p: dimension, >= 1.
        name: not used.

    Raises:
        InvalidArgumentError: `p` is below 1.
    """
    if p < 1:
        raise InvalidArgumentError(
            f"`p` of `multigammaln` is {p}", expected="p >= 1", fix="1 gives lgamma"
        )
    x = floating(x)
    wide = widened(x)
    halves = jnp.arange(p, dtype=wide.dtype) / 2
    total = special.gammaln(wide[..., None] - halves).sum(-1)
    return (total + p * (p - 1) / 4 * jnp.log(jnp.pi).astype(wide.dtype)).astype(x.dtype)


@op(inplace=True)
def gammainc(x: Array, y: Array):
    """Regularised lower incomplete gamma function P(x, y).

    Args:
        x: the shape parameter, positive.
        y: upper end of the integral, >= 0.
        name: not used.
    """
    x, y = [floating(a) for a in promote(x, y)]
    return lower_share(widened(x), widened(y)).astype(x.dtype)


@op(inplace=True)
def gammaincc(x: Array, y: Array):
    """Regularised upper incomplete gamma function Q(x, y) = 1 - P(x, y).

    Args:
        x: the shape parameter, positive.
        y: lower end of the integral, >= 0.
        name: not used.
    """
    x, y = [floating(a) for a in promote(x, y)]
    return upper_share(widened(x), widened(y)).astype(x.dtype)


@op(inplace=True)
def i0(x: Array):
    """Modified Bessel function of the first kind, order 0.

    Args:
        x: real tensor; integers give float32.
        name: not used.
    """
    x = floating(x)
    return special.i0(widened(x)).astype(x.dtype)


@op
def i0e(x: Array):
    """`e**-|x|` times the modified Bessel function of order 0.

    Args:
        x: real tensor; integers give float32.
        name: not used.
    """
    x = floating(x)
    return special.i0e(widened(x)).astype(x.dtype)


@op
def i1(x: Array):
    """Modified Bessel function of the first kind, order 1.

    Args:
        x: real tensor; integers give float32.
        name: not used.
    """
    x = floating(x)
    return special.i1(widened(x)).astype(x.dtype)


@op
def i1e(x: Array):
    """`e**-|x|` times the modified Bessel function of order 1.

    Args:
        x: real tensor; integers give float32.
        name: not used.
    """
    x = floating(x)
    return special.i1e(widened(x)).astype(x.dtype)


digamma_ = digamma.inplace
erf_ = erf.inplace
erfinv_ = erfinv.inplace
gammainc_ = gammainc.inplace
gammaincc_ = gammaincc.inplace
gammaln_ = gammaln.inplace
i0_ = i0.inplace
lgamma_ = lgamma.inplace
multigammaln_ = multigammaln.inplace
polygamma_ = polygamma.inplace
