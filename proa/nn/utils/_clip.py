"""Clipping the gradients that parameters hold, in place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jax.numpy as jnp

from proa.core._dispatch import dispatch
from proa.core._errors import InvalidArgumentError, NonFiniteError
from proa.core._registry import BaseOp
from proa.core._tensor import Tensor
from proa.nn._clip import ClipRule, clip_op, scale, square_sum

_INFINITY = float("inf")


class NormClipOp(BaseOp):
    """Scales gradients to a common norm; gives the norm and the gradients."""

    name = "clip_gradients_to_norm"
    differentiable = False

    def array_fn(self, key: Any) -> Any:
        """Returns the function of the gradients for `key = (max_norm, norm_type)`."""
        limit, order = key

        def clip(*grads: Any) -> tuple[Any, ...]:
            norm = total_norm(grads, order)
            # The small term keeps a gradient of zeros from giving 0 / 0.
            factor = jnp.minimum(limit / (norm + 1e-6), 1.0)
            return (norm, *(scale(grad, factor) for grad in grads))

        return clip


def total_norm(grads: Iterable[Any], order: float) -> Any:
    """Returns the norm of all arrays as if they were one vector; 0-d, float32 at least.

    Args:
        grads: arrays of any shapes.
        order: 0, 1, 2 or infinity. Order 0 counts the arrays that are not all zero.
    """
    if order == 2:
        return jnp.sqrt(sum(square_sum(grad) for grad in grads))
    if order == 1:
        return sum(jnp.abs(_wide(grad)).sum() for grad in grads)
    largest = jnp.stack([jnp.abs(_wide(grad)).max(initial=0) for grad in grads])
    return (largest != 0).sum().astype(largest.dtype) if order == 0 else largest.max()


def _wide(grad: Any) -> Any:
    return grad if grad.dtype == jnp.float64 else grad.astype(jnp.float32)


_norm_op = NormClipOp()


def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Tensor:
    """Scales the gradients that parameters hold to a common norm, in place.

    Formula: `grad * min(1, max_norm / (total_norm + 1e-6))`.

    Args:
        parameters (Tensor | Iterable[Tensor]): parameters; those without a gradient are
            left out.
        max_norm (float): largest norm, not negative.
        norm_type (float): 0, 1, 2 or infinity.
        error_if_nonfinite (bool): raises when the norm is NaN or infinite; the gradients
            are then as they were. It waits for the norm's value.

    Returns:
        Tensor: the norm before clipping, 0-d, float32 (float64 for float64 gradients).

    Raises:
        InvalidArgumentError: `norm_type` is unknown, or `max_norm` is negative.
        NonFiniteError: the norm is not finite and `error_if_nonfinite` is set.

    Examples:
        >>> import proa
        >>> weight = proa.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> (weight * proa.to_tensor([3.0, 4.0])).sum().backward()
        >>> float(proa.nn.utils.clip_grad_norm_(weight, max_norm=1.0))
        5.0
        >>> [round(value, 4) for value in weight.grad.tolist()]
        [0.6, 0.8]
    """
    if norm_type not in (0, 1, 2, _INFINITY):
        raise InvalidArgumentError(
            f"clip_grad_norm_: `norm_type` is {norm_type!r}",
            expected="0, 1, 2 or float('inf')",
            fix="use the default, 2.0",
        )
    if not float(max_norm) >= 0:
        raise InvalidArgumentError(
            f"clip_grad_norm_: `max_norm` is {max_norm!r}",
            expected="a number that is not negative",
            fix="give the largest norm to allow, for example 1.0",
        )
    grads = _gradients(parameters)
    if not grads:
        return Tensor(0.0)
    norm, *clipped = dispatch(_norm_op, tuple(grads), (float(max_norm), float(norm_type)))
    if error_if_nonfinite and not jnp.isfinite(norm.item()):
        raise NonFiniteError(
            f"clip_grad_norm_: the norm of {len(grads)} gradients is {norm.item()}",
            expected="a finite norm",
            fix="skip this step, or find the operation that overflows with "
            "proa.set_flags({'FLAGS_check_nan_inf': True})",
        )
    for grad, new in zip(grads, clipped, strict=True):
        grad.set_value(new)
    return norm


def clip_grad_value_(parameters: Any, clip_value: float) -> None:
    """Limits each element of the gradients that parameters hold to a range, in place.

    Args:
        parameters (Tensor | Iterable[Tensor]): parameters; those without a gradient are
            left out.
        clip_value (float): elements are limited to `[-clip_value, clip_value]`.

    Raises:
        InvalidArgumentError: `clip_value` is negative.

    Examples:
        >>> import proa
        >>> weight = proa.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> (weight * proa.to_tensor([3.0, -4.0])).sum().backward()
        >>> proa.nn.utils.clip_grad_value_(weight, 3.5)
        >>> weight.grad.tolist()
        [3.0, -3.5]
    """
    limit = float(clip_value)
    if not limit >= 0:
        raise InvalidArgumentError(
            f"clip_grad_value_: `clip_value` is {clip_value!r}",
            expected="a number that is not negative",
            fix="give the largest absolute value to allow, for example 1.0",
        )
    grads = _gradients(parameters)
    if grads:
        clipped = dispatch(clip_op, tuple(grads), ClipRule("value", limit, -limit))
        for grad, new in zip(grads, clipped, strict=True):
            grad.set_value(new)


def _gradients(parameters: Any) -> list[Any]:
    chosen = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [param.grad for param in chosen if param.grad is not None]  # type: ignore[attr-defined]
