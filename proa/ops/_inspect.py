"""Questions about tensors and dtypes that need no values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidTypeError,
    Tensor,
    as_dtype,
    attach_method,
    composite,
    context,
    op,
    respelled,
)

if TYPE_CHECKING:
    from proa.core._types import Array, Shape


@respelled
def is_tensor(x: Any) -> bool:
    """Whether `x` is a Tensor.

    Args:
        x: anything.

    Examples:
        >>> import proa
        >>> proa.is_tensor(proa.ones([1])), proa.is_tensor([1])
        (True, False)
    """
    return isinstance(x, Tensor)


def _dtype_of(name: str, x: Any) -> Any:
    if not isinstance(x, Tensor):
        raise InvalidTypeError(
            f"`{name}` of a {type(x).__name__}", expected="a Tensor", fix="wrap it: to_tensor(x)"
        )
    return x.dtype


@composite
def is_complex(x: Tensor) -> bool:
    """Whether a tensor has a complex dtype.

    Args:
        x: tensor.

    Raises:
        InvalidTypeError: not a Tensor.
    """
    return _dtype_of("is_complex", x).is_complex


@composite
def is_floating_point(x: Tensor) -> bool:
    """Whether a tensor has a real floating dtype.

    Args:
        x: tensor.

    Raises:
        InvalidTypeError: not a Tensor.
    """
    return _dtype_of("is_floating_point", x).is_floating


@composite
def is_integer(x: Tensor) -> bool:
    """Whether a tensor has an integer dtype.

    Args:
        x: tensor.

    Raises:
        InvalidTypeError: not a Tensor.
    """
    return _dtype_of("is_integer", x).is_integer


@op(differentiable=False)
def rank(input: Array):
    """Number of axes, as a 0-d int32 tensor.

    Args:
        input: tensor.
        name: not used.
    """
    return jnp.asarray(input.ndim, jnp.int32)


@op(differentiable=False, method=None)
def shape(input: Array):
    """Shape as a 1-d int64 tensor (symbolic dimensions included).

    Args:
        input: tensor.
        name: not used.

    Examples:
        >>> import proa
        >>> proa.shape(proa.ones([2, 3])).tolist()
        [2, 3]
    """
    if not input.ndim:
        return jnp.zeros([0], jnp.int64)
    return jnp.stack([jnp.asarray(extent, dtype=jnp.int64) for extent in input.shape])


@op(differentiable=False, method=None, public=False)
def sizes_tensor(sizes: Shape):
    """Sizes as a 1-d int64 tensor, for importers of Programs.

    Args:
        sizes: integers, symbolic dimensions among them.
        name: not used.
    """
    if not sizes:
        return jnp.zeros([0], jnp.int64)
    return jnp.stack([jnp.asarray(extent, dtype=jnp.int64) for extent in sizes])


@composite
def tolist(x: Tensor) -> Any:
    """Elements as nested Python lists.

    Args:
        x: tensor.
    """
    return x.tolist()


def in_dynamic_mode() -> bool:
    """Whether ops run at once, rather than being recorded."""
    return context.recorder is None


class finfo:
    """Limits of a floating dtype: `min`, `max`, `eps`, `tiny`, `smallest_normal`, `bits`.

    Args:
        dtype: a floating or complex dtype.

    Raises:
        InvalidTypeError: another dtype.

    Examples:
        >>> import proa
        >>> proa.finfo("float16").max
        65504.0
    """

    @respelled
    def __init__(self, dtype: Any) -> None:
        wanted = as_dtype(dtype)
        if not wanted.is_inexact:
            raise InvalidTypeError(
                f"`finfo` of {wanted.name}", expected="a floating dtype", fix="use iinfo"
            )
        limits = jnp.finfo(wanted.numpy)
        self.dtype, self.bits = wanted.name, limits.bits
        self.min, self.max, self.eps = float(limits.min), float(limits.max), float(limits.eps)
        self.tiny = self.smallest_normal = float(limits.tiny)
        self.resolution = float(limits.resolution)

    def __repr__(self) -> str:
        names = ("min", "max", "eps", "resolution", "smallest_normal", "tiny")
        numbers = ", ".join(f"{name}={getattr(self, name):g}" for name in names)
        return f"paddle.finfo({numbers}, bits={self.bits}, dtype={self.dtype})"


class iinfo:
    """Limits of an integer dtype: `min`, `max`, `bits`.

    Args:
        dtype: an integer dtype.

    Raises:
        InvalidTypeError: another dtype.
    """

    def __init__(self, dtype: Any) -> None:
        wanted = as_dtype(dtype)
        if not wanted.is_integer:
            raise InvalidTypeError(
                f"`iinfo` of {wanted.name}", expected="an integer dtype", fix="use finfo"
            )
        limits = np.iinfo(wanted.numpy)
        self.dtype, self.bits = wanted.name, limits.bits
        self.min, self.max = int(limits.min), int(limits.max)

    def __repr__(self) -> str:
        text = f"min={self.min}, max={self.max}, bits={self.bits}, dtype={self.dtype}"
        return f"paddle.iinfo({text})"


for _function in (is_tensor, is_complex, is_floating_point, is_integer):
    attach_method(_function.__name__, _function)
