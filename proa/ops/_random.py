"""Random tensors: every op takes a fresh key of the generator as an input."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Mersenne,
    Tensor,
    as_dtype,
    composite,
    default_dtype,
    dispatch,
    draw_dtype,
    is_drawn,
    normal_draws,
    op,
    random_input,
    shape_of,
    unit_draws,
    write_out,
)

from ._create import as_shape, finish, takes_lengths
from ._manipulate import as_complex
from ._promote import floating, promote, refuse_complex

if TYPE_CHECKING:
    from proa.core._types import Array, DType, Key, Shape


def _float_dtype(name: str, dtype: Any) -> Any:
    wanted = default_dtype() if dtype is None else as_dtype(dtype)
    if not wanted.is_floating:
        raise InvalidTypeError(
            f"`dtype` of `{name}` is {wanted.name}",
            expected="a floating dtype",
            fix="use randint for integers, or cast the result",
        )
    return wanted


def _wide(dtype: Any) -> Any:
    """Random bits are drawn in float32 or float64 and rounded."""
    return jnp.float64 if np.dtype(dtype) == np.float64 else jnp.float32


def _unit_noise(stream: Mersenne, shape: Any, dtype: Any, **rest: Any) -> np.ndarray:
    return stream.unit(tuple(shape), draw_dtype(dtype))


def _normal_noise(stream: Mersenne, shape: Any, dtype: Any, **rest: Any) -> np.ndarray:
    return stream.normal(tuple(shape), draw_dtype(dtype))


@op(name="uniform", method=None, public=False, differentiable=False, noise=_unit_noise)
def draw_uniform(key: Key, low: Array, high: Array, shape: Shape, dtype: DType):
    """Numbers in [low, high)."""
    refuse_complex("uniform", low, high)
    wide = _wide(dtype.numpy)
    low, high = low.astype(wide), high.astype(wide)
    drawn = low + unit_draws(key, shape, wide) * (high - low)
    # The product may round up to `high`, which is outside.
    drawn = jnp.minimum(drawn, jnp.nextafter(high, low))
    drawn = drawn.astype(dtype.numpy)
    return jnp.where(drawn >= high, low.astype(dtype.numpy), drawn)


@op(name="gaussian", method=None, public=False, differentiable=False, noise=_normal_noise)
def draw_gaussian(key: Key, mean: Array, std: Array, shape: Shape, dtype: DType):
    """Normal numbers."""
    refuse_complex("normal", mean, std)
    wide = _wide(dtype.numpy)
    drawn = normal_draws(key, shape, wide) * std.astype(wide) + mean.astype(wide)
    return drawn.astype(dtype.numpy)


def _draw_seeded(op_: Any, seed: int, first: Any, second: Any, shape: Any, dtype: Any) -> Tensor:
    chance = random_input(op_, None, seed, shape=shape, dtype=dtype)
    return dispatch(op_, (chance, first, second), (None, (shape, dtype)))


@composite
def uniform(
    shape: Any,
    dtype: Any = None,
    min: Any = 0.0,
    max: Any = 1.0,
    seed: int = 0,
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers drawn evenly from [min, max).

    Args:
        shape: integers, or an integer Tensor.
        dtype: floating dtype; `None` is the default.
        min: lower end, included.
        max: upper end, not included.
        seed: 0 draws from the generator; another number gives the same values on each call.
        name: not used.
        out: tensor that takes the result.
        device: where it lies.
        requires_grad: whether a gradient is wanted.

    Raises:
        InvalidTypeError: `dtype` is not floating.

    Examples:
        >>> import proa
        >>> x = proa.uniform([3], min=2.0, max=4.0)
        >>> bool(((x >= 2) & (x < 4)).all())
        True
    """
    wanted, extents = _float_dtype("uniform", dtype), as_shape(shape, "uniform")
    if seed:
        drawn = _draw_seeded(draw_uniform.op, seed, min, max, extents, wanted)
    else:
        drawn = draw_uniform(min, max, extents, wanted)
    return finish(drawn, out, device, requires_grad)


@takes_lengths
@composite
def rand(
    shape: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Numbers drawn evenly from [0, 1).

    Args:
        shape: integers, or an integer Tensor.
        dtype: floating dtype; `None` is the default.
        name: not used.
        out: tensor that takes the result.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for Paddle's signature.

    Raises:
        InvalidTypeError: `dtype` is not floating.

    Examples:
        >>> import proa
        >>> proa.rand([2, 3]).shape
        [2, 3]
    """
    drawn = draw_uniform(0.0, 1.0, as_shape(shape, "rand"), _float_dtype("rand", dtype))
    return finish(drawn, out, device, requires_grad)


@takes_lengths
@composite
def randn(
    shape: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Numbers drawn from the normal distribution with mean 0 and deviation 1.

    Complex ones have real and imaginary parts of variance 1/2.

    Args:
        shape: integers, or an integer Tensor.
        dtype: floating or complex dtype; `None` is the default.
        name: not used.
        out: tensor that takes the result.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for Paddle's signature.

    Raises:
        InvalidTypeError: `dtype` is neither.

    Examples:
        >>> import proa
        >>> proa.randn([4]).dtype
        paddle.float32
    """
    extents = as_shape(shape, "randn")
    wanted = default_dtype() if dtype is None else as_dtype(dtype)
    if wanted.is_complex:
        part = as_dtype("float64" if wanted.name == "complex128" else "float32")
        drawn = as_complex(draw_gaussian(0.0, math.sqrt(0.5), (*extents, 2), part))
    else:
        drawn = draw_gaussian(0.0, 1.0, extents, _float_dtype("randn", wanted))
    return finish(drawn, out, device, requires_grad)


@composite
def standard_normal(
    shape: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers drawn from the normal distribution with mean 0 and deviation 1; as `randn`.

    Args:
        shape: integers, or an integer Tensor.
        dtype: floating dtype; `None` is the default.
        name: not used.
        out: tensor that takes the result.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
    """
    return randn(shape, dtype, out=out, device=device, requires_grad=requires_grad)


@composite
def gaussian(
    shape: Any,
    mean: Any = 0.0,
    std: Any = 1.0,
    seed: int = 0,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers drawn from a normal distribution.

    Args:
        shape: integers, or an integer Tensor.
        mean: mean.
        std: standard deviation.
        seed: 0 draws from the generator; another number gives the same values on each call.
        dtype: floating dtype; `None` is the default.
        name: not used.
    """
    wanted, extents = _float_dtype("gaussian", dtype), as_shape(shape, "gaussian")
    if seed:
        return _draw_seeded(draw_gaussian.op, seed, mean, std, extents, wanted)
    return draw_gaussian(mean, std, extents, wanted)


def _normal_noise_for(stream: Mersenne, mean: Any, std: Any) -> np.ndarray:
    return stream.normal(
        np.broadcast_shapes(shape_of(mean), shape_of(std)),
        np.promote_types(draw_dtype(mean), draw_dtype(std)),
    )


@op(name="normal", method=None, public=False, differentiable=False, noise=_normal_noise_for)
def _normal(key: Key, mean: Array, std: Array):
    mean, std = [floating(a) for a in promote(mean, std)]
    shape = jnp.broadcast_shapes(mean.shape, std.shape)
    wide = _wide(mean.dtype)
    drawn = normal_draws(key, shape, wide) * std.astype(wide) + mean.astype(wide)
    return drawn.astype(mean.dtype)


def _check_std(name: str, std: Any) -> None:
    if not isinstance(std, Tensor) and np.any(np.asarray(std) < 0):
        raise InvalidArgumentError(
            f"`std` of `{name}` is {std}", expected="std >= 0", fix="pass its absolute value"
        )


@composite
def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    shape: Any = None,
    name: str | None = None,
    *,
    out: Any = None,
) -> Tensor:
    """Numbers drawn from normal distributions.

    Args:
        mean: mean, a number or a tensor with one for each result.
        std: standard deviation, likewise.
        shape: shape of the result where both are numbers; `None` is [1].
        name: not used.
        out: tensor that takes the result.

    Raises:
        InvalidArgumentError: a negative deviation.

    Examples:
        >>> import proa
        >>> proa.normal(10.0, 0.0, shape=[2]).tolist()
        [10.0, 10.0]
    """
    _check_std("normal", std)
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        drawn = _normal(mean, std)
    else:
        extents = as_shape([1] if shape is None else shape, "normal")
        drawn = draw_gaussian(mean, std, extents, default_dtype())
    return drawn if out is None else write_out(out, drawn)


@composite
def log_normal(
    mean: Any = 1.0, std: Any = 2.0, shape: Any = None, name: str | None = None
) -> Tensor:
    """Exponentials of numbers drawn from normal distributions.

    Args:
        mean: mean of the logarithm.
        std: standard deviation of the logarithm.
        shape: shape of the result where both are numbers; `None` is [1].
        name: not used.

    Raises:
        InvalidArgumentError: a negative deviation.
    """
    return normal(mean, std, shape).exp()  # type: ignore[attr-defined]


def _integer_noise(stream: Mersenne, low: Any, high: Any, shape: Any, dtype: Any) -> np.ndarray:
    return stream.integers(int(low), int(high), tuple(shape))


@op(name="randint", method=None, public=False, differentiable=False, noise=_integer_noise)
def draw_randint(key: Key, low: Array, high: Array, shape: Shape, dtype: DType):
    """Integers in [low, high)."""
    drawn = key if is_drawn(key) else jax.random.randint(key, shape, low, high, jnp.int64)
    return drawn.astype(dtype.numpy)


def _bounds(name: str, low: Any, high: Any) -> tuple[Any, Any]:
    if high is None:
        low, high = 0, low
    if not isinstance(low, Tensor) and not isinstance(high, Tensor) and not low < high:
        raise InvalidArgumentError(
            f"`{name}` from {low} up to, not including, {high}",
            expected="low < high (with one argument: a positive one)",
            fix="the upper bound is never drawn; raise it by 1",
        )
    return low, high


@composite
def randint(
    low: Any = 0, high: Any = None, shape: Any = (1,), dtype: Any = None, name: str | None = None
) -> Tensor:
    """Integers drawn evenly from [low, high).

    Args:
        low: lower end, included; with one argument it is the upper end, and 0 the lower.
        high: upper end, not included.
        shape: integers, or an integer Tensor.
        dtype: dtype; `None` is int64.
        name: not used.

    Raises:
        InvalidArgumentError: an empty range.

    Examples:
        >>> import proa
        >>> x = proa.randint(2, 5, [10])
        >>> bool(((x >= 2) & (x < 5)).all())
        True
    """
    low, high = _bounds("randint", low, high)
    wanted = as_dtype("int64" if dtype is None else dtype)
    return draw_randint(low, high, as_shape(shape, "randint"), wanted)


@composite
def randint_like(
    x: Tensor, low: Any = 0, high: Any = None, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Integers drawn evenly from [low, high), in the shape of `x`.

    Args:
        x: gives the shape, and the dtype unless one is named.
        low: lower end, included; with one argument it is the upper end, and 0 the lower.
        high: upper end, not included.
        dtype: dtype of the result, also a floating one.
        name: not used.

    Raises:
        InvalidArgumentError: an empty range.
    """
    low, high = _bounds("randint_like", low, high)
    return draw_randint(
        low, high, tuple(x._data.shape), x.dtype if dtype is None else as_dtype(dtype)
    )


@composite
def rand_like(
    input: Tensor,
    name: str | None = None,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers drawn evenly from [0, 1), in the shape of the input.

    Args:
        input: gives the shape, and the dtype unless one is named.
        name: not used.
        dtype: floating dtype of the result.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
    """
    wanted = input.dtype if dtype is None else dtype
    return rand(input.shape, wanted, device=device, requires_grad=requires_grad)


@composite
def randn_like(
    x: Tensor,
    dtype: Any = None,
    name: str | None = None,
    *,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers drawn from the standard normal distribution, in the shape of `x`.

    Args:
        x: gives the shape, and the dtype unless one is named.
        dtype: floating dtype of the result.
        name: not used.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
    """
    wanted = x.dtype if dtype is None else dtype
    return randn(x.shape, wanted, device=device, requires_grad=requires_grad)


def _order_noise(stream: Mersenne, n: int, dtype: Any) -> np.ndarray:
    return stream.permutation(n)


@op(name="randperm", method=None, public=False, differentiable=False, noise=_order_noise)
def _randperm(key: Key, n: Any, dtype: DType):
    order = key if is_drawn(key) else jax.random.permutation(key, n)
    return order.astype(dtype.numpy)


@composite
def randperm(
    n: Any,
    dtype: Any = "int64",
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """The numbers 0 to n - 1 in random order.

    Args:
        n: how many, >= 1.
        dtype: dtype of the result.
        name: not used.
        out: tensor that takes the result.
        device: where it lies.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `n` is below 1.

    Examples:
        >>> import proa
        >>> sorted(proa.randperm(4).tolist())
        [0, 1, 2, 3]
    """
    count = n if isinstance(n, int) else as_shape([n], "randperm")[0]
    if isinstance(count, int) and count < 1:
        raise InvalidArgumentError(
            f"`n` of `randperm` is {count}", expected="n >= 1", fix="skip the call when empty"
        )
    return finish(_randperm(count, as_dtype(dtype)), out, device, requires_grad)
