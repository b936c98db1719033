"""Penalties on a parameter's size, added to its gradient."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from proa.core._dispatch import dispatch
from proa.core._errors import InvalidTypeError
from proa.core._registry import BaseOp


def penalty_gradient(kind: str, coeff: float, param: Any) -> Any:
    """Returns what a penalty adds to the gradient, for arrays.

    Args:
        kind: `"l1"` or `"l2"`.
        coeff: strength.
        param: the parameter's array.
    """
    return coeff * (jnp.sign(param) if kind == "l1" else param)


class PenaltyOp(BaseOp):
    """`penalty_gradient` as an op, for users who call a regularizer themselves."""

    name = "regularizer_penalty"

    def array_fn(self, key: Any) -> Any:
        """Returns the function of the parameter for `key = (kind, coeff)`."""
        kind, coeff = key
        return lambda param: penalty_gradient(kind, coeff, param)


_penalty_op = PenaltyOp()


class WeightDecayRegularizer:
    """Base of the regularizers.

    A regularizer of your own defines `__call__(param, grad, block)` and returns the Tensor
    that is added to the gradient.

    Examples:
        >>> import proa
        >>> class Towards(proa.regularizer.WeightDecayRegularizer):
        ...     def __call__(self, param, grad, block=None):
        ...         return (param - 1.0) * 0.1
    """

    #: `(kind, coeff)` of the penalties that are compiled into the update.
    _penalty: tuple[str, float] | None = None

    def __call__(self, param: Any, grad: Any = None, block: Any = None) -> Any:
        """Returns the penalty's gradient as a Tensor.

        Args:
            param (Tensor): the parameter.
            grad (Tensor): its gradient.
            block (Any): kept for Paddle's signature.
        """
        return dispatch(_penalty_op, (param,), self._penalty)

    def __str__(self) -> str:
        name = type(self).__name__
        return name if self._penalty is None else f"{name}, coeff={self._penalty[1]:f}"


class L1Decay(WeightDecayRegularizer):
    """Pulls parameters to zero by a constant force: adds `coeff * sign(param)` to the gradient.

    It is the gradient of the penalty `coeff * sum(abs(param))`.

    Args:
        coeff (float): strength.

    Raises:
        InvalidTypeError: `coeff` is not a number.

    Examples:
        >>> import proa
        >>> print(proa.regularizer.L1Decay(0.01))
        L1Decay, coeff=0.010000
    """

    def __init__(self, coeff: float = 0.0) -> None:
        self._coeff = _strength("L1Decay", coeff)
        self._penalty = ("l1", self._coeff)


class L2Decay(WeightDecayRegularizer):
    """Pulls parameters to zero by their own size: adds `coeff * param` to the gradient.

    It is the gradient of the penalty `coeff / 2 * sum(param**2)`. A float as an optimizer's
    `weight_decay` means the same (but not for `AdamW` and `Lamb`).

    Args:
        coeff (float): strength.

    Raises:
        InvalidTypeError: `coeff` is not a number.

    Examples:
        >>> import proa
        >>> print(proa.regularizer.L2Decay(0.01))
        L2Decay, coeff=0.010000
    """

    def __init__(self, coeff: float = 0.0) -> None:
        self._coeff = _strength("L2Decay", coeff)
        self._penalty = ("l2", self._coeff)


def _strength(owner: str, coeff: Any) -> float:
    if isinstance(coeff, bool) or not isinstance(coeff, int | float):
        raise InvalidTypeError(
            f"{owner}: `coeff` is a {type(coeff).__name__}, {coeff!r}",
            expected="a number",
            fix="give the strength as a float, for example 1e-4",
        )
    return float(coeff)
