"""Elementwise arithmetic of two tensors, with broadcasting and promotion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import (
    DivisionByZeroError,
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    attach_method,
    composite,
    inplace_of,
    op,
    respelled,
    write_inplace,
    write_out,
)

from ._host_checks import host_values
from ._promote import floating, is_integral, promote, quotient, refuse_complex, widened

if TYPE_CHECKING:
    from proa.core._types import Array, Sequence


@op(name="add", method=None, passes=("x", "y"))
def plain_add(x: Array, y: Array):
    """`x + y`; on booleans, "or"."""
    return jnp.add(*promote(x, y))


@op(name="subtract", method=None, passes=("x",))
def plain_subtract(x: Array, y: Array):
    """`x - y`."""
    x, y = promote(x, y)
    return jnp.subtract(_no_bool("subtract", x), y)


@op(inplace=True, out=True)
def multiply(x: Array, y: Array):
    """`x * y`; on booleans, "and".

    Args:
        x: tensor.
        y: tensor or number; shapes broadcast, an integer beside a float becomes that float.
        name: not used.
        out: tensor that takes the result.

    Examples:
        >>> import proa
        >>> proa.multiply(proa.to_tensor([1, 2]), proa.to_tensor([0.5, 0.5])).tolist()
        [0.5, 1.0]
    """
    return jnp.multiply(*promote(x, y))


@op(name="divide", method=None)
def plain_divide(x: Array, y: Array):
    """`x / y` in a floating dtype; integers give float32."""
    return quotient(*[floating(a) for a in promote(x, y)])


def _no_bool(name: str, x: Array) -> Array:
    if x.dtype == bool:
        raise InvalidTypeError(
            f"`{name}` of two bool tensors",
            expected="a numeric tensor",
            fix="use logical_xor, or cast to an integer dtype first",
        )
    return x


def _check_divisor(x: Any, y: Any) -> None:
    if not (is_integral(x) and is_integral(y)):
        return
    values = host_values(y)
    if values is not None and values.size and not values.all():
        raise DivisionByZeroError(
            "an integer division or remainder by zero",
            expected="divisors other than 0",
            fix="mask the zeros first, or cast to a floating dtype to get inf and nan",
        )


def _floor_quotient(x: Array, y: Array) -> Array:
    """Rounded quotient; floats go through the remainder, which is exact, but 1/0 is inf."""
    found = jnp.floor_divide(x, y)
    return found if is_integral(x) else jnp.where(y == 0, x / y, found)


@op(inplace=True, out=True, check=_check_divisor, differentiable=False)
def floor_divide(x: Array, y: Array):
    """`floor(x / y)` in the common dtype, rounded towards minus infinity.

    Args:
        x: real tensor.
        y: real tensor or number.
        name: not used.
        out: tensor that takes the result.

    Raises:
        DivisionByZeroError: integers, and a zero in `y` (eager mode on a CPU; compiled code
            gives an unspecified integer).

    Examples:
        >>> import proa
        >>> proa.floor_divide(proa.to_tensor([-7, 7]), 2).tolist()
        [-4, 3]
    """
    refuse_complex("floor_divide", x, y)
    x, y = promote(x, y)
    return _floor_quotient(_no_bool("floor_divide", x), y)


@op(method=None, public=False, check=_check_divisor, differentiable=False)
def trunc_divide(x: Array, y: Array):
    """`trunc(x / y)` in the common dtype."""
    refuse_complex("divide", x, y)
    x, y = promote(x, y)
    return jax.lax.div(*jnp.broadcast_arrays(x, y)) if is_integral(x) else jnp.trunc(quotient(x, y))


@op(inplace=True, out=True, check=_check_divisor)
def remainder(x: Array, y: Array):
    """Remainder of `floor_divide`, with the sign of `y`.

    Args:
        x: real tensor.
        y: real tensor or number.
        name: not used.
        out: tensor that takes the result.

    Raises:
        DivisionByZeroError: integers, and a zero in `y` (eager mode on a CPU).

    Examples:
        >>> import proa
        >>> proa.remainder(proa.to_tensor([-7, 7]), proa.to_tensor([3, -3])).tolist()
        [2, -2]
    """
    refuse_complex("remainder", x, y)
    x, y = promote(x, y)
    return jnp.remainder(_no_bool("remainder", x), y)


def _negative_power_error(what: str) -> DivisionByZeroError:
    return DivisionByZeroError(
        f"an integer tensor to a negative integer power ({what})",
        expected="exponents >= 0, or a floating base",
        fix="cast the base: x.astype('float32') ** y",
    )


def _check_power(x: Any, y: Any) -> None:
    if is_integral(x) and is_integral(y) and y.dtype.kind == "i":
        values = host_values(y)
        if values is not None and values.size and values.min() < 0:
            raise _negative_power_error(f"{values.min()}")


@jax.custom_jvp
def _smooth_power(x: Array, y: Array) -> Array:
    return jnp.power(x, y)


@_smooth_power.defjvp
def _smooth_power_jvp(primals: Any, tangents: Any) -> Any:
    (x, y), (dx, dy) = primals, tangents
    result = _smooth_power(x, y)
    # 0**0 is constant 1 along x, and 0**y constant 0 along y; the plain formulas give NaN there.
    lower = jnp.where(y == 0, 1, y - 1)
    slope = jnp.where(y == 0, 0, y * _smooth_power(x, lower))
    return result, slope * dx + result * jnp.log(jnp.where(x == 0, 1, x)) * dy


@op(name="pow", method=None, check=_check_power, amp="black")
def plain_power(x: Array, y: Array):
    """`x ** y` in the common dtype."""
    x, y = promote(x, y)
    if is_integral(x):
        return jnp.power(_no_bool("pow", x), y)
    return _smooth_power(*jnp.broadcast_arrays(x, y))


@op(name="pow_constant", method=None, public=False, amp="black")
def _power_constant(x: Array, exponent: Any):
    """Powers by small constants: products and roots, many times faster than `pow`."""
    if isinstance(exponent, int):
        if is_integral(x) and exponent < 0:
            raise _negative_power_error(f"{exponent}")
        return jax.lax.integer_pow(_no_bool("pow", x), exponent)
    x = floating(x)
    return jnp.sqrt(x) if exponent == 0.5 else jax.lax.rsqrt(x)


def power(x: Any, y: Any) -> Tensor:
    """`x ** y`, with the quick way for the constants that models use."""
    if isinstance(x, Tensor) and y.__class__ in (int, float):
        if y.__class__ is float and y.is_integer() and x.dtype.is_inexact:
            y = int(y)
        if y in (0.5, -0.5) or (y.__class__ is int and -3 <= y <= 4 and x.dtype.name != "bool"):
            return _power_constant(x, y)
    return plain_power(x, y)


def _into(result: Tensor, out: Tensor | None) -> Tensor:
    return result if out is None else write_out(out, result)


_ONE = 1


def _times(y: Any, alpha: Any) -> Any:
    is_one = alpha.__class__ in (int, float) and alpha == 1
    return y if is_one else multiply(y, alpha)


@respelled
def add(x: Any, y: Any, name: str | None = None, *, alpha: Any = _ONE, out: Any = None) -> Tensor:
    """`x + alpha * y`.

    Args:
        x: tensor.
        y: tensor or number; shapes broadcast, an integer beside a float becomes that float.
        name: not used.
        alpha: factor of `y`.
        out: tensor that takes the result.

    Examples:
        >>> import proa
        >>> proa.add(proa.to_tensor([1, 2]), proa.to_tensor([10, 20])).tolist()
        [11, 22]
    """
    # The usual call is told by identity, which no tensor redefines.
    made = plain_add(x, y if alpha is _ONE else _times(y, alpha))
    return made if out is None else write_out(out, made)


@respelled
def subtract(
    x: Any, y: Any, name: str | None = None, *, alpha: Any = _ONE, out: Any = None
) -> Tensor:
    """`x - alpha * y`.

    Args:
        x: tensor.
        y: tensor or number; shapes broadcast.
        name: not used.
        alpha: factor of `y`.
        out: tensor that takes the result.

    Raises:
        InvalidTypeError: both are boolean.
    """
    made = plain_subtract(x, y if alpha is _ONE else _times(y, alpha))
    return made if out is None else write_out(out, made)


@composite
def divide(
    x: Any, y: Any, name: str | None = None, *, rounding_mode: str | None = None, out: Any = None
) -> Tensor:
    """`x / y`; integers give float32 unless the quotient is rounded.

    Args:
        x: tensor.
        y: tensor or number; shapes broadcast.
        name: not used.
        rounding_mode: `None`, `"floor"` (as `floor_divide`) or `"trunc"` (towards zero).
        out: tensor that takes the result.

    Raises:
        DivisionByZeroError: integers, a rounding mode and a zero in `y`.

    Examples:
        >>> import proa
        >>> proa.divide(proa.to_tensor([1, 3]), proa.to_tensor([2, 2])).tolist()
        [0.5, 1.5]
    """
    modes = {None: plain_divide, "floor": floor_divide, "trunc": trunc_divide}
    if rounding_mode not in modes:
        raise InvalidArgumentError(
            f"`rounding_mode` of `divide` is {rounding_mode!r}",
            expected="None, 'floor' or 'trunc'",
            fix="leave it out for true division",
        )
    return _into(modes[rounding_mode](x, y), out)


def true_divide(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """`input / other` in a floating dtype; the same as `divide`.

    Args:
        input: tensor.
        other: tensor or number; shapes broadcast.
        out: tensor that takes the result.
    """
    return divide(input, other, out=out)


@composite
def pow(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Tensor:
    """`x` to the power `y`, elementwise.

    Args:
        x: numeric tensor.
        y: tensor or number; shapes broadcast.
        name: not used.
        out: tensor that takes the result.

    Raises:
        DivisionByZeroError: an integer base and a negative integer exponent.

    Examples:
        >>> import proa
        >>> proa.pow(proa.to_tensor([2.0, 3.0]), 2).tolist()
        [4.0, 9.0]
    """
    return _into(power(x, y), out)


@op(out=True)
def maximum(x: Array, y: Array):
    """Elementwise larger one; NaN where either is NaN.

    Args:
        x: real tensor.
        y: real tensor or number.
        name: not used.
        out: tensor that takes the result.

    Examples:
        >>> import proa
        >>> proa.maximum(proa.to_tensor([1, 5]), proa.to_tensor([3, 2])).tolist()
        [3, 5]
    """
    refuse_complex("maximum", x, y)
    return jnp.maximum(*promote(x, y))


@op(out=True)
def minimum(x: Array, y: Array):
    """Elementwise smaller one; NaN where either is NaN.

    Args:
        x: real tensor.
        y: real tensor or number.
        name: not used.
        out: tensor that takes the result.
    """
    refuse_complex("minimum", x, y)
    return jnp.minimum(*promote(x, y))


@op
def fmax(x: Array, y: Array):
    """Elementwise larger one; a number wins over NaN.

    Args:
        x: real tensor.
        y: real tensor or number.
        name: not used.
    """
    refuse_complex("fmax", x, y)
    x, y = promote(x, y)
    if is_integral(x):
        return jnp.maximum(x, y)
    # Of equal ones the first is taken, and with it goes the gradient.
    return jnp.where((x >= y) | jnp.isnan(y), x, y)


@op
def fmin(x: Array, y: Array):
    """Elementwise smaller one; a number wins over NaN.

    Args:
        x: real tensor.
        y: real tensor or number.
        name: not used.
    """
    refuse_complex("fmin", x, y)
    x, y = promote(x, y)
    if is_integral(x):
        return jnp.minimum(x, y)
    return jnp.where((x <= y) | jnp.isnan(y), x, y)


@op(name="add_n", method=None, public=False)
def plain_add_n(inputs: Sequence[Array]):
    """Sum of a list of tensors."""
    arrays = promote(*inputs)
    total = widened(arrays[0])
    for array in arrays[1:]:
        total = total + array
    return total.astype(arrays[0].dtype)


@composite
def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """Sum of several tensors of one shape.

    Args:
        inputs: a list of tensors, or one, which is its own sum.
        name: not used.

    Raises:
        InvalidArgumentError: an empty list.
    """
    if isinstance(inputs, Tensor):
        return plain_add_n([inputs])
    if not inputs:
        raise InvalidArgumentError(
            "`add_n` of an empty list", expected="at least one tensor", fix="pass [x, ...]"
        )
    return plain_add_n(inputs)


attach_method("add_n", add_n)


@op(inplace=True)
def lerp(x: Array, y: Array, weight: Array):
    """Linear interpolation `x + weight * (y - x)`.

    Args:
        x: start, floating.
        y: end.
        weight: tensor or number; 0 gives `x`, 1 gives `y`.
        name: not used.

    Examples:
        >>> import proa
        >>> proa.lerp(proa.to_tensor([0.0, 10.0]), proa.to_tensor([10.0, 20.0]), 0.5).tolist()
        [5.0, 15.0]
    """
    x, y, weight = promote(x, y, weight)
    return x + weight * (y - x)


@op
def atan2(x: Array, y: Array):
    """Angle of the point (y, x) in radians in [-pi, pi]: `atan(x / y)` with the quadrant.

    Args:
        x: real tensor; integers give float32.
        y: real tensor.
        name: not used.
    """
    refuse_complex("atan2", x, y)
    return jnp.arctan2(*[floating(a) for a in promote(x, y)])


@jax.custom_jvp
def _hypotenuse(x: Array, y: Array) -> Array:
    return jnp.hypot(x, y)


@_hypotenuse.defjvp
def _hypotenuse_jvp(primals: Any, tangents: Any) -> Any:
    (x, y), (dx, dy) = primals, tangents
    length = _hypotenuse(x, y)
    # At the origin the slope is not defined; 0 is a subgradient, and NaN helps nobody.
    safe = jnp.where(length == 0, 1, length)
    return length, (x * dx + y * dy) / safe


@op(inplace=True)
def hypot(x: Array, y: Array):
    """Length of the hypotenuse, `sqrt(x**2 + y**2)`, without overflow.

    Args:
        x: real tensor; integers give float32.
        y: real tensor.
        name: not used.
    """
    refuse_complex("hypot", x, y)
    x, y = [floating(a) for a in promote(x, y)]
    return _hypotenuse(*jnp.broadcast_arrays(x, y))


@op
def logaddexp(x: Array, y: Array):
    """`log(e**x + e**y)` without overflow.

    Args:
        x: real tensor; integers give float32.
        y: real tensor.
        name: not used.
    """
    return jnp.logaddexp(*[floating(a) for a in promote(x, y)])


@op
def heaviside(x: Array, y: Array):
    """Step function: 0 below 0, 1 above, `y` at 0; NaN stays NaN.

    Args:
        x: real tensor.
        y: value at 0.
        name: not used.
    """
    refuse_complex("heaviside", x, y)
    x, y = promote(x, y)
    step = jnp.where(x == 0, y, (x > 0).astype(x.dtype))
    return step if is_integral(x) else jnp.where(jnp.isnan(x), x, step)


@op(inplace=True)
def copysign(x: Array, y: Array):
    """Magnitude of `x` with the sign of `y`.

    Args:
        x: real tensor.
        y: real tensor or number.
        name: not used.
    """
    refuse_complex("copysign", x, y)
    x, y = promote(x, y)
    if is_integral(x):
        return jnp.where(y < 0, -jnp.abs(x), jnp.abs(x))
    return jnp.copysign(x, y)


@op(differentiable=False)
def nextafter(x: Array, y: Array):
    """Next representable number from `x` towards `y`.

    Args:
        x: floating tensor.
        y: floating tensor.
        name: not used.
    """
    return jnp.nextafter(*promote(x, y))


@op(inplace=True)
def ldexp(x: Array, y: Array):
    """`x * 2**y`.

    Args:
        x: tensor; integers give float32.
        y: exponents.
        name: not used.
    """
    x = floating(x)
    dtype = jnp.result_type(x.dtype, floating(y).dtype) if not is_integral(y) else x.dtype
    return x.astype(dtype) * jnp.exp2(y.astype(dtype))


def _integers(name: str, x: Array, y: Array) -> list[Array]:
    if not (is_integral(x) and is_integral(y)):
        raise InvalidTypeError(
            f"`{name}` of {x.dtype.name} and {y.dtype.name} tensors",
            expected="integer tensors",
            fix="cast them to int64 first",
        )
    return promote(x, y)


@op(inplace=True, differentiable=False)
def gcd(x: Array, y: Array):
    """Greatest common divisor, never negative; 0 where both are 0.

    Args:
        x: integer tensor.
        y: integer tensor.
        name: not used.

    Raises:
        InvalidTypeError: a floating or complex input.
    """
    return jnp.gcd(*_integers("gcd", x, y))


@op(inplace=True, differentiable=False)
def lcm(x: Array, y: Array):
    """Least common multiple, never negative; 0 where either is 0.

    Args:
        x: integer tensor.
        y: integer tensor.
        name: not used.

    Raises:
        InvalidTypeError: a floating or complex input.
    """
    return jnp.lcm(*_integers("lcm", x, y))


@op(name="increment", method=None, differentiable=False)
def plain_increment(x: Array, value: Array):
    """`x + value` in the dtype of `x`."""
    return x + value.astype(x.dtype)


@composite
def increment(x: Tensor, value: Any = 1.0, name: str | None = None) -> Tensor:
    """Adds a number to a tensor of one element, in place.

    Args:
        x: tensor with exactly one element.
        value: what to add, cast to the dtype of `x`.
        name: not used.

    Returns:
        `x`.

    Raises:
        InvalidArgumentError: several elements.
    """
    if x.size != 1:
        raise InvalidArgumentError(
            f"`increment` of a tensor of shape {x.shape}",
            expected="a tensor with one element",
            fix="use x + value",
        )
    return write_inplace(x, plain_increment(x, value))


add_ = inplace_of(add)
copysign_ = copysign.inplace
divide_ = inplace_of(divide)
floor_divide_ = floor_divide.inplace
gcd_ = gcd.inplace
hypot_ = hypot.inplace
lcm_ = lcm.inplace
ldexp_ = ldexp.inplace
lerp_ = lerp.inplace
multiply_ = multiply.inplace
pow_ = inplace_of(pow)
remainder_ = remainder.inplace
subtract_ = inplace_of(subtract)

# Paddle's other names for the same functions.
div, div_ = divide, divide_
floor_mod, floor_mod_ = remainder, remainder_
mod, mod_ = remainder, remainder_
mul, mul_ = multiply, multiply_
sub, sub_ = subtract, subtract_

_FUNCTIONS = (add, divide, increment, pow, subtract, true_divide)
for _function in (*_FUNCTIONS, add_, divide_, pow_, subtract_):
    attach_method(_function.__name__, _function)
for _name in ("div", "div_", "floor_mod", "floor_mod_", "mod", "mod_", "mul", "mul_"):
    attach_method(_name, globals()[_name])
attach_method("sub", sub)
attach_method("sub_", sub_)
