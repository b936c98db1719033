"""Gradients of outputs, by list and by tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proa.core import Tensor, grad


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def calc_gradient(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Any = None,
    no_grad_set: Any = None,
) -> list[Tensor | None]:
    """Returns the gradients of the sum of `outputs` with respect to `inputs`.

    Args:
        outputs: tensors.
        inputs: tensors.
        grad_outputs: factors of the outputs; ones by default.
        no_grad_set: tensors that count as constant.

    Returns:
        A gradient for each input, `None` where an output does not depend on it.
    """
    constant = None if no_grad_set is None else list(no_grad_set)
    factors = None if grad_outputs is None else _listed(grad_outputs)
    return grad(
        _listed(outputs), _listed(inputs), factors, allow_unused=True, no_grad_vars=constant
    )


def calc_gradient_helper(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Any = None,
    no_grad_set: Any = None,
) -> dict[Tensor, Tensor | None]:
    """Returns the gradients by input; see `calc_gradient`.

    Args:
        outputs: tensors.
        inputs: tensors.
        grad_outputs: factors of the outputs; ones by default.
        no_grad_set: tensors that count as constant.
    """
    found = calc_gradient(outputs, inputs, grad_outputs, no_grad_set)
    return dict(zip(_listed(inputs), found, strict=True))
