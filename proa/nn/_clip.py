"""Gradient clipping: pure rules on lists of arrays, and the classes a user names them by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

from proa.core._dispatch import dispatch
from proa.core._errors import InvalidArgumentError, InvalidTypeError
from proa.core._registry import BaseOp


@dataclass(frozen=True)
class ClipRule:
    """What to clip to; calling it clips arrays.

    Args:
        kind: `"value"`, `"norm"` or `"global_norm"`.
        high: largest element, or largest norm.
        low: smallest element, for `"value"`.
    """

    kind: str
    high: float
    low: float = 0.0

    def __call__(self, grads: Sequence[Any]) -> tuple[list[Any], Any]:
        """Clips gradients.

        Args:
            grads: arrays of any shapes.

        Returns:
            The clipped arrays, and a 0-d bool array that is true when a norm is not finite
            (`None` for `"value"`, which needs no norm).
        """
        if self.kind == "value":
            return [jnp.clip(grad, self.low, self.high) for grad in grads], None
        squares = [square_sum(grad) for grad in grads]
        if self.kind == "global_norm":
            total = sum(squares[1:], squares[0])
            factor, is_bad = self._factor(total)
            return [scale(grad, factor) for grad in grads], is_bad
        factors = [self._factor(square) for square in squares]
        is_bad = jnp.stack([flag for _, flag in factors]).any()
        clipped = [scale(grad, factor) for grad, (factor, _) in zip(grads, factors, strict=True)]
        return clipped, is_bad

    def _factor(self, square: Any) -> tuple[Any, Any]:
        norm = jnp.sqrt(square)
        return self.high / jnp.maximum(norm, self.high), ~jnp.isfinite(norm)


def square_sum(grad: Any) -> Any:
    """Returns the sum of squares, in float32 at least (half precision would overflow)."""
    wide = grad if grad.dtype in (jnp.float64, jnp.complex128) else grad.astype(jnp.float32)
    return jnp.sum(jnp.square(jnp.abs(wide)))


def scale(grad: Any, factor: Any) -> Any:
    """Returns `grad * factor` in the gradient's dtype."""
    return (grad * factor).astype(grad.dtype)


class ClipOp(BaseOp):
    """A `ClipRule` as an op, for users who call a clip themselves."""

    name = "clip_gradients"
    differentiable = False

    def array_fn(self, key: Any) -> Any:
        """Returns the function of the gradients for `key`, a ClipRule."""
        return lambda *grads: tuple(key(grads)[0])


clip_op = ClipOp()


class ClipGradBase:
    """Base of the clips that an optimizer takes as `grad_clip`.

    A clip of your own defines `__call__(params_grads)`, from a list of (parameter, gradient)
    pairs to such a list.
    """

    def _rule(self) -> ClipRule | None:
        """The rule to compile into the update; `None` for a clip that is called instead."""
        return None

    def __call__(self, params_grads: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        """Clips the gradients of parameters.

        Args:
            params_grads (list[tuple[Tensor, Tensor]]): parameters with their gradients;
                pairs without a gradient are left out of the result, and parameters with
                `need_clip=False` keep theirs.

        Returns:
            list[tuple[Tensor, Tensor]]: the parameters with clipped gradients.
        """
        pairs = [(param, grad) for param, grad in params_grads if grad is not None]
        chosen = [i for i, (param, _) in enumerate(pairs) if getattr(param, "need_clip", True)]
        if chosen:
            clipped = dispatch(clip_op, tuple(pairs[i][1] for i in chosen), self._rule())
            for i, grad in zip(chosen, clipped, strict=True):
                pairs[i] = (pairs[i][0], grad)
        return pairs


class ClipGradByValue(ClipGradBase):
    """Limits each element of a gradient to `[min, max]`.

    Args:
        max (float): upper limit.
        min (float, optional): lower limit; `-max` by default, and then `max` must be above 0.

    Raises:
        InvalidTypeError: a limit is not a number.
        InvalidArgumentError: `max` is below `min`, or not above 0 without `min`.

    Examples:
        >>> import proa
        >>> clip = proa.nn.ClipGradByValue(max=1.0)
        >>> clip.min
        -1.0
    """

    def __init__(self, max: float, min: float | None = None) -> None:
        self.max = _number("ClipGradByValue", "max", max)
        if min is None and self.max <= 0:
            raise InvalidArgumentError(
                f"ClipGradByValue: `max` is {max} and there is no `min`",
                expected="a `max` above 0, from which `min` follows as `-max`",
                fix="give a positive `max`, or both limits",
            )
        self.min = -self.max if min is None else _number("ClipGradByValue", "min", min)
        if self.min > self.max:
            raise InvalidArgumentError(
                f"ClipGradByValue: `min` is {self.min} and `max` is {self.max}",
                expected="`min` not above `max`",
                fix="exchange the two",
            )

    def _rule(self) -> ClipRule:
        return ClipRule("value", self.max, self.min)

    def __str__(self) -> str:
        return f"clip each gradient element to [{self.min:f}, {self.max:f}]"


class ClipGradByNorm(ClipGradBase):
    """Scales each gradient so that its own 2-norm is at most `clip_norm`.

    Formula: `grad * clip_norm / max(norm(grad), clip_norm)`.

    Args:
        clip_norm (float): largest norm, above 0.

    Raises:
        InvalidTypeError: `clip_norm` is not a number.
        InvalidArgumentError: `clip_norm` is not above 0.

    Examples:
        >>> import proa
        >>> clip = proa.nn.ClipGradByNorm(clip_norm=1.0)
        >>> clip.clip_norm
        1.0
    """

    def __init__(self, clip_norm: float) -> None:
        self.clip_norm = _positive("ClipGradByNorm", clip_norm)

    def _rule(self) -> ClipRule:
        return ClipRule("norm", self.clip_norm)

    def __str__(self) -> str:
        return f"clip each gradient to norm {self.clip_norm:f}"


class ClipGradByGlobalNorm(ClipGradBase):
    """Scales all gradients by one factor so that their common 2-norm is at most `clip_norm`.

    Formula: `grad * clip_norm / max(global_norm, clip_norm)` with
    `global_norm = sqrt(sum over all gradients of norm(grad)**2)`, computed in float32 at
    least. In an optimizer each parameter group has a norm of its own. When a norm is
    not finite, the optimizer leaves parameters and state as they are and counts the step
    in `skipped_steps`.

    Args:
        clip_norm (float): largest norm, above 0.
        group_name (str): kept for Paddle's signature.
        auto_skip_clip (bool): kept for Paddle's signature.

    Raises:
        InvalidTypeError: `clip_norm` is not a number.
        InvalidArgumentError: `clip_norm` is not above 0.

    Examples:
        >>> import proa
        >>> linear = proa.nn.Linear(2, 2)
        >>> clip = proa.nn.ClipGradByGlobalNorm(clip_norm=1.0)
        >>> sgd = proa.optimizer.SGD(0.1, parameters=linear.parameters(), grad_clip=clip)

    References:
        Pascanu et al., On the difficulty of training recurrent neural networks, 2013.

    Differs:
        With an infinite gradient Paddle 3.3.1 and torch 2.13 make NaN parameters.
    """

    def __init__(
        self, clip_norm: float, group_name: str = "default_group", auto_skip_clip: bool = False
    ) -> None:
        self.clip_norm = _positive("ClipGradByGlobalNorm", clip_norm)
        self.group_name = group_name
        self.auto_skip_clip = auto_skip_clip

    def _rule(self) -> ClipRule:
        return ClipRule("global_norm", self.clip_norm)

    def __str__(self) -> str:
        return f"clip all gradients to a global norm of {self.clip_norm:f}"


def _number(owner: str, name: str, value: Any) -> float:
    if isinstance(value, bool) or not (isinstance(value, int | float) or hasattr(value, "item")):
        raise InvalidTypeError(
            f"{owner}: `{name}` is a {type(value).__name__}, {value!r}",
            expected="a number",
            fix=f"give `{name}` as a float",
        )
    return float(value)


def _positive(owner: str, value: Any) -> float:
    number = _number(owner, "clip_norm", value)
    if not number > 0:
        raise InvalidArgumentError(
            f"{owner}: `clip_norm` is {number}",
            expected="a number above 0",
            fix="give the largest norm to allow, for example 1.0",
        )
    return number
