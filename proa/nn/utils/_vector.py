"""All parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from proa.core import InvalidArgumentError, InvalidTypeError, Tensor
from proa.ops import concat, reshape


def _tensors(parameters: Any, owner: str) -> list[Tensor]:
    given = list(parameters) if isinstance(parameters, Iterable) else [parameters]
    if not given or not all(isinstance(p, Tensor) for p in given):
        raise InvalidTypeError(
            f"`parameters` of `{owner}` is {type(parameters).__name__} with {len(given)} entries",
            expected="parameters, at least one",
            fix="pass layer.parameters()",
        )
    return given


def parameters_to_vector(parameters: Any, name: str | None = None) -> Tensor:
    """Joins parameters into one vector; gradients flow back through it.

    Args:
        parameters: tensors of one dtype.
        name: kept for Paddle's signature.

    Returns:
        Tensor [total number of elements].

    Raises:
        InvalidTypeError: no tensors.

    Examples:
        >>> import proa
        >>> layer = proa.nn.Linear(2, 3)
        >>> proa.nn.utils.parameters_to_vector(layer.parameters()).shape
        [9]
    """
    flat = [reshape(p, [-1]) for p in _tensors(parameters, "parameters_to_vector")]
    return concat(flat, axis=0)


def vector_to_parameters(vec: Tensor, parameters: Any, name: str | None = None) -> None:
    """Overwrites parameters with the parts of a vector, in order.

    Args:
        vec: [total number of elements].
        parameters: the tensors to overwrite.
        name: kept for Paddle's signature.

    Raises:
        InvalidTypeError: no tensors.
        InvalidArgumentError: `vec` has another number of elements.

    Differs: Paddle 3.3.1 takes a longer vector too, and leaves its end out.
    """
    targets = _tensors(parameters, "vector_to_parameters")
    total = sum(p.size for p in targets)
    if list(vec.shape) != [total]:
        raise InvalidArgumentError(
            f"`vec` of `vector_to_parameters` has shape {vec.shape}",
            expected=f"[{total}], the number of elements of the parameters",
            fix="make the vector with parameters_to_vector of the same parameters",
        )
    start = 0
    flat = vec.detach()  # type: ignore[attr-defined]
    for p in targets:
        p.set_value(reshape(flat[start : start + p.size], p.shape))  # type: ignore[attr-defined]
        start += p.size
