"""Exchange of tensors with other libraries, through DLPack."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    composite,
    copy_array,
    new_tensor,
    put,
)

# DLPack's number of the host among its kinds of device.
_HOST = (1, 0)


class _Capsule:
    """A bare capsule, which says nothing of its device: taken for the host's."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return _HOST


@composite
def to_dlpack(x: Tensor) -> Any:
    """A DLPack capsule of a tensor's memory, to be taken once by another library.

    Args:
        x: tensor without a gradient.

    Raises:
        InvalidTypeError: not a Tensor.
        PreconditionError: the tensor takes part in differentiation.

    Examples:
        >>> import proa
        >>> proa.from_dlpack(proa.to_dlpack(proa.to_tensor([1.0, 2.0]))).tolist()
        [1.0, 2.0]
    """
    if not isinstance(x, Tensor):
        raise InvalidTypeError(
            f"`to_dlpack` of a {type(x).__name__}", expected="a Tensor", fix="wrap it: to_tensor(x)"
        )
    return x.__dlpack__()  # type: ignore[attr-defined]


@composite
def from_dlpack(dlpack: Any, device: Any = None, copy: bool | None = None) -> Tensor:
    """A Tensor of another library's memory.

    Args:
        dlpack: an object with `__dlpack__`, or a capsule of host memory.
        device: where the tensor shall lie; `None` is where it lies.
        copy: `True` copies always. Without it the memory may be shared, so the other library
            must not write to it. Memory with gaps, such as that of every second column, is
            copied in any case.

    Raises:
        InvalidTypeError: `dlpack` is neither.
        InvalidArgumentError: its memory has no form here.
    """
    if type(dlpack).__name__ == "PyCapsule":
        dlpack = _Capsule(dlpack)
    if not hasattr(dlpack, "__dlpack__"):
        raise InvalidTypeError(
            f"`from_dlpack` of a {type(dlpack).__name__}",
            expected="an object with __dlpack__, or a capsule",
            fix="use to_tensor for lists and numbers",
        )
    array = _import(dlpack)
    if copy:
        array = copy_array(array)
    return new_tensor(array if device is None else put(array, device))


def _import(dlpack: Any) -> Any:
    try:
        return jax.dlpack.from_dlpack(dlpack)
    except (jax.errors.JaxRuntimeError, BufferError) as error:
        reason = error
    # JAX has no strides, and NumPy does not hand out what is read-only.
    try:
        shared = dlpack if isinstance(dlpack, np.ndarray) else np.from_dlpack(dlpack)
        return jnp.array(shared, copy=True)
    except (RuntimeError, BufferError, TypeError, ValueError):
        raise InvalidArgumentError(
            f"`from_dlpack` cannot take this {type(dlpack).__name__}: {reason}",
            expected="memory of a dtype and device that JAX or NumPy can take over",
            fix="make it contiguous, or copy it to the host first",
        ) from reason
