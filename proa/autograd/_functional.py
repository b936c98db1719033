"""Jacobians, Hessians and products with them, over the tape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    enable_grad,
    grad,
    is_grad_enabled,
)
from proa.ops import stack, sum, unbind, zeros_like


def _is_many(value: Any) -> bool:
    return isinstance(value, tuple | list)


def _gradient(y: Tensor, x: Tensor, seed: Any = None) -> Tensor:
    """Gradient of one output in one input, zeros where they are not connected."""
    if y.stop_gradient:
        return zeros_like(x)
    (found,) = grad([y], [x], seed, retain_graph=True, create_graph=True, allow_unused=True)
    return zeros_like(x) if found is None else found


def _check_axes(t: Tensor, name: str, batched: bool) -> None:
    if t.ndim > (2 if batched else 1) or (batched and not t.ndim):
        kind = "one or two axes, the first one the batch" if batched else "at most one axis"
        raise InvalidArgumentError(
            f"`{name}` has shape {t.shape}",
            expected=kind,
            fix="flatten it: x.flatten()" if not batched else "flatten it: x.flatten(1)",
        )


def _jacobian(y: Tensor, x: Tensor, batched: bool) -> Tensor:
    _check_axes(y, "ys", batched)
    _check_axes(x, "xs", batched)
    if batched:
        entries = unbind(y, 1) if y.ndim == 2 else [y]
        return stack([_gradient(sum(e), x) for e in entries], axis=1)
    if not y.ndim:
        return _gradient(y, x)
    return stack([_gradient(e, x) for e in unbind(y, 0)], axis=0)


def _check_batch(batch_axis: Any) -> bool:
    if batch_axis not in (None, 0):
        raise InvalidArgumentError(
            f"`batch_axis` is {batch_axis}", expected="None or 0", fix="move the batch to axis 0"
        )
    return batch_axis is not None


def jacobian(ys: Any, xs: Any, batch_axis: int | None = None) -> Any:
    """Derivatives of all elements of outputs with respect to all elements of inputs.

    Args:
        ys: a Tensor computed from `xs`, or a sequence; numbers or vectors (with a batch axis
            before, if `batch_axis` is 0).
        xs: a Tensor with stop_gradient=False, or a sequence; numbers or vectors likewise.
        batch_axis: 0 when rows of outputs depend on the same rows of inputs only.

    Returns:
        A Tensor of shape [outputs, inputs] (axes of numbers are left out; with a batch
        [batch, outputs, inputs]), or tuples of these for sequences. It is on the tape, so it
        can be differentiated again.

    Raises:
        InvalidArgumentError: more axes than that.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> proa.autograd.jacobian(x * x, x).tolist()
        [[2.0, 0.0], [0.0, 4.0]]
    """
    batched = _check_batch(batch_axis)
    if _is_many(ys):
        return tuple(jacobian(y, xs, batch_axis) for y in ys)
    if _is_many(xs):
        return tuple(_jacobian(ys, x, batched) for x in xs)
    return _jacobian(ys, xs, batched)


def hessian(ys: Tensor, xs: Any, batch_axis: int | None = None) -> Any:
    """Second derivatives of a number with respect to all pairs of elements of inputs.

    Args:
        ys: a Tensor with one element (with a batch: one per row).
        xs: a Tensor with stop_gradient=False, or a sequence; numbers or vectors (with a
            batch axis before, if `batch_axis` is 0).
        batch_axis: 0 when rows of `ys` depend on the same rows of inputs only.

    Returns:
        A Tensor of shape [inputs, inputs] (with a batch [batch, inputs, inputs]), or a tuple
        of tuples for a sequence.

    Raises:
        InvalidArgumentError: `ys` has several elements.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> proa.autograd.hessian((x * x * x).sum(), x).tolist()
        [[6.0, 0.0], [0.0, 12.0]]
    """
    batched = _check_batch(batch_axis)
    rows = ys.size // ys.shape[0] if batched and ys.ndim else ys.size
    if rows != 1:
        raise InvalidArgumentError(
            f"hessian of `ys` of shape {ys.shape}",
            expected="one element" + (" per row of the batch" if batched else ""),
            fix="sum it up first, or take the jacobian of the gradient",
        )
    total = sum(ys)
    inputs = list(xs) if _is_many(xs) else [xs]
    made = tuple(
        tuple(_jacobian(_gradient(total, x), other, batched) for other in inputs) for x in inputs
    )
    return made if _is_many(xs) else made[0][0]


def _check_tensor(x: Any) -> None:
    if not isinstance(x, Tensor):
        raise InvalidTypeError(
            f"`xs` holds {x!r} ({type(x).__name__})"[:200],
            expected="a Tensor, or a sequence of Tensors",
            fix="convert it: proa.to_tensor(x)",
        )


def _watched(xs: Any) -> list[Tensor]:
    """Inputs that gradients are wanted for, on the tape if the given ones are."""
    watched = []
    for x in xs if _is_many(xs) else [xs]:
        _check_tensor(x)
        fresh = x.detach() if x.stop_gradient or not is_grad_enabled() else x.clone()
        fresh.stop_gradient = False
        watched.append(fresh)
    return watched


def _pull(outputs: Sequence[Any], inputs: list[Tensor], seeds: Sequence[Any]) -> list[Any]:
    """Taped gradients of inputs; outputs that are constant (or absent) have no part in them."""
    kept = [
        (y, seed)
        for y, seed in zip(outputs, seeds, strict=True)
        if y is not None and not y.stop_gradient
    ]
    if not kept:
        return [None] * len(inputs)
    roots, given = [y for y, _ in kept], [seed for _, seed in kept]
    return grad(roots, inputs, given, create_graph=True, allow_unused=True)


def _listed(value: Any, outputs: Sequence[Tensor]) -> list[Any]:
    if value is None:
        return [None] * len(outputs)
    listed = list(value) if _is_many(value) else [value]
    if len(listed) != len(outputs):
        raise InvalidArgumentError(
            f"`v` holds {len(listed)} Tensors for {len(outputs)}",
            expected="one Tensor each",
            fix="leave it None for ones",
        )
    return listed


def _check_callable(func: Any) -> None:
    if not callable(func):
        raise InvalidTypeError(
            f"`func` is {func!r} ({type(func).__name__})"[:200],
            expected="a function of Tensors",
            fix="pass the function itself, not what it returned",
        )


def vjp(func: Callable[..., Any], xs: Any, v: Any = None) -> tuple[Any, Any]:
    """Outputs of a function, and the product of a vector with its Jacobian.

    Args:
        func: function of Tensors that returns a Tensor or several.
        xs: a Tensor or a sequence: where the derivative is taken.
        v: one Tensor per output; ones by default.

    Returns:
        Outputs, and one Tensor per input.

    Examples:
        >>> import proa
        >>> outputs, product = proa.autograd.vjp(lambda x: x * x, proa.to_tensor([3.0]))
        >>> product.tolist()
        [6.0]
    """
    _check_callable(func)
    inputs = _watched(xs)
    with enable_grad():
        outputs = func(*inputs)
        listed = list(outputs) if _is_many(outputs) else [outputs]
        found = _pull(listed, inputs, _listed(v, listed))
    made = [zeros_like(x) if g is None else g for x, g in zip(inputs, found, strict=True)]
    return outputs, tuple(made) if _is_many(xs) else made[0]


def jvp(func: Callable[..., Any], xs: Any, v: Any = None) -> tuple[Any, Any]:
    """Outputs of a function, and the product of its Jacobian with a vector.

    Computed as the derivative of `vjp` with respect to its vector.

    Args:
        func: function of Tensors that returns a Tensor or several.
        xs: a Tensor or a sequence: where the derivative is taken.
        v: one Tensor per input; ones by default.

    Returns:
        Outputs, and one Tensor per output.

    Examples:
        >>> import proa
        >>> outputs, product = proa.autograd.jvp(lambda x: x * x, proa.to_tensor([3.0]))
        >>> product.tolist()
        [6.0]
    """
    _check_callable(func)
    inputs = _watched(xs)
    with enable_grad():
        outputs = func(*inputs)
        listed = list(outputs) if _is_many(outputs) else [outputs]
        helpers = _watched([zeros_like(y) for y in listed])
        first = _pull(listed, inputs, helpers)
        found = _pull(first, helpers, _listed(v, inputs))
    made = [zeros_like(y) if g is None else g for y, g in zip(listed, found, strict=True)]
    return outputs, tuple(made) if _is_many(outputs) else made[0]
