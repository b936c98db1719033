"""Comparisons, and questions about the kind of a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp

from proa.core import attach_method, op

from ._promote import is_complex, is_floating, is_integral, promote, refuse_complex

if TYPE_CHECKING:
    from proa.core._types import Array


@op(inplace=True, out=True, differentiable=False)
def equal(x: Array, y: Array):
    """Elementwise `x == y`, as booleans.

    Args:
        x: tensor.
        y: tensor or number; shapes broadcast.
        name: not used.
        out: tensor that takes the result.

    Examples:
        >>> import proa
        >>> proa.equal(proa.to_tensor([1, 2]), proa.to_tensor([1, 3])).tolist()
        [True, False]
    """
    return jnp.equal(*promote(x, y))


@op(inplace=True, out=True, differentiable=False)
def not_equal(x: Array, y: Array):
    """Elementwise `x != y`, as booleans.

    Args:
        x: tensor.
        y: tensor or number; shapes broadcast.
        name: not used.
        out: tensor that takes the result.
    """
    return jnp.not_equal(*promote(x, y))


@op(inplace=True, out=True, differentiable=False)
def less_than(x: Array, y: Array):
    """Elementwise `x < y`, as booleans.

    Args:
        x: real tensor.
        y: real tensor or number; shapes broadcast.
        name: not used.
        out: tensor that takes the result.
    """
    refuse_complex("less_than", x, y)
    return jnp.less(*promote(x, y))


@op(inplace=True, out=True, differentiable=False)
def less_equal(x: Array, y: Array):
    """Elementwise `x <= y`, as booleans.

    Args:
        x: real tensor.
        y: real tensor or number; shapes broadcast.
        name: not used.
        out: tensor that takes the result.
    """
    refuse_complex("less_equal", x, y)
    return jnp.less_equal(*promote(x, y))


@op(inplace=True, out=True, differentiable=False)
def greater_than(x: Array, y: Array):
    """Elementwise `x > y`, as booleans.

    Args:
        x: real tensor.
        y: real tensor or number; shapes broadcast.
        name: not used.
        out: tensor that takes the result.
    """
    refuse_complex("greater_than", x, y)
    return jnp.greater(*promote(x, y))


@op(inplace=True, out=True, differentiable=False)
def greater_equal(x: Array, y: Array):
    """Elementwise `x >= y`, as booleans.

    Args:
        x: real tensor.
        y: real tensor or number; shapes broadcast.
        name: not used.
        out: tensor that takes the result.
    """
    refuse_complex("greater_equal", x, y)
    return jnp.greater_equal(*promote(x, y))


def _close(x: Array, y: Array, rtol: float, atol: float, equal_nan: bool) -> Array:
    x, y = promote(x, y)
    if is_integral(x):
        x, y = x.astype(jnp.float64), y.astype(jnp.float64)
    return jnp.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)


@op(differentiable=False, out=True)
def isclose(x: Array, y: Array, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False):
    """Elementwise `|x - y| <= atol + rtol * |y|`, as booleans.

    Args:
        x: tensor.
        y: tensor or number.
        rtol: relative tolerance.
        atol: absolute tolerance.
        equal_nan: whether NaN equals NaN.
        name: not used.
    """
    return _close(x, y, rtol, atol, equal_nan)


@op(differentiable=False)
def allclose(x: Array, y: Array, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False):
    """Whether all elements are close, in the sense of `isclose`; a 0-d boolean.

    Args:
        x: tensor.
        y: tensor or number.
        rtol: relative tolerance.
        atol: absolute tolerance.
        equal_nan: whether NaN equals NaN.
        name: not used.

    Examples:
        >>> import proa
        >>> bool(proa.allclose(proa.to_tensor([1.0]), proa.to_tensor([1.0 + 1e-7])))
        True
    """
    return jnp.all(_close(x, y, rtol, atol, equal_nan))


@op(differentiable=False)
def equal_all(x: Array, y: Array):
    """Whether shapes and all elements are equal; a 0-d boolean.

    Args:
        x: tensor.
        y: tensor.
        name: not used.
    """
    if x.shape != y.shape:
        return jnp.asarray(False)
    return jnp.all(jnp.equal(*promote(x, y)))


@op(differentiable=False, out=True)
def isnan(x: Array):
    """Whether each element is NaN.

    Args:
        x: numeric tensor.
        name: not used.
    """
    return jnp.zeros(x.shape, bool) if is_integral(x) else jnp.isnan(x)


@op(differentiable=False, out=True)
def isinf(x: Array):
    """Whether each element is infinite.

    Args:
        x: numeric tensor.
        name: not used.
    """
    return jnp.zeros(x.shape, bool) if is_integral(x) else jnp.isinf(x)


@op(differentiable=False, out=True)
def isfinite(x: Array):
    """Whether each element is finite.

    Args:
        x: numeric tensor.
        name: not used.
    """
    return jnp.ones(x.shape, bool) if is_integral(x) else jnp.isfinite(x)


@op(differentiable=False)
def isposinf(x: Array):
    """Whether each element is +inf.

    Args:
        x: real tensor.
        name: not used.
    """
    refuse_complex("isposinf", x)
    return x == jnp.inf if is_floating(x) else jnp.zeros(x.shape, bool)


@op(differentiable=False)
def isneginf(x: Array):
    """Whether each element is -inf.

    Args:
        x: real tensor.
        name: not used.
    """
    refuse_complex("isneginf", x)
    return x == -jnp.inf if is_floating(x) else jnp.zeros(x.shape, bool)


@op(differentiable=False)
def isreal(x: Array):
    """Whether the imaginary part of each element is 0.

    Args:
        x: numeric tensor.
        name: not used.
    """
    return jnp.imag(x) == 0 if is_complex(x) else jnp.ones(x.shape, bool)


equal_ = equal.inplace
greater_equal_ = greater_equal.inplace
greater_than_ = greater_than.inplace
less_equal_ = less_equal.inplace
less_than_ = less_than.inplace
not_equal_ = not_equal.inplace

# Paddle's other names for the same functions.
eq = equal
ge = greater_equal
greater = greater_than
gt = greater_than
le = less_equal
less = less_than
less_ = less_than_
lt = less_than
ne = not_equal

for _name in ("eq", "ge", "greater", "gt", "le", "less", "less_", "lt", "ne"):
    attach_method(_name, globals()[_name])
