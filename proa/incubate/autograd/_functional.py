"""Whole Jacobians and Hessians, worked out row by row as they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from proa.autograd._functional import _gradient, _is_many, _watched
from proa.core import InvalidArgumentError, Tensor, composite, enable_grad
from proa.core import grad as tape_grad
from proa.ops import concat, reshape, stack, sum, zeros, zeros_like

_ALL = slice(None)


def _as_list(value: Any) -> list[Any]:
    return list(value) if _is_many(value) else [value]


def _flat(tensors: Sequence[Tensor], batched: bool) -> Tensor:
    """All elements side by side: [elements], or [batch, elements]."""
    parts = [reshape(t, [t.shape[0], -1] if batched else [-1]) for t in tensors]
    return parts[0] if len(parts) == 1 else concat(parts, axis=-1)


class Jacobian:
    """Derivatives of all outputs of a function with respect to all its inputs, as a matrix.

    Rows are worked out when an index first asks for them, and kept.

    Args:
        func: function of Tensors that returns a Tensor or several.
        xs: a Tensor or a sequence: where the derivative is taken.
        is_batched: the first axis of all inputs and outputs is a batch, whose rows do not
            depend on each other.

    Raises:
        InvalidArgumentError: with a batch, an input or output without one.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([1.0, 2.0])
        >>> jacobian = proa.incubate.autograd.Jacobian(lambda x: x * x, x)
        >>> jacobian[:].tolist()
        [[2.0, 0.0], [0.0, 4.0]]
        >>> jacobian.shape
        (2, 2)
    """

    def __init__(self, func: Callable[..., Any], xs: Any, is_batched: bool = False) -> None:
        self._inputs = _watched(xs)
        self._batched = is_batched
        with enable_grad():
            outputs = _as_list(func(*self._inputs))
            for t in (*self._inputs, *outputs):
                if is_batched and not t.ndim:
                    raise InvalidArgumentError(
                        "a batched Jacobian of a tensor without axes",
                        expected="the batch as the first axis of all inputs and outputs",
                        fix="pass is_batched=False, or add the axis",
                    )
            self._output = _flat(outputs, is_batched)
        self._rows: dict[int, Tensor] = {}

    @property
    def shape(self) -> tuple[int, ...]:
        """`(outputs, inputs)`, or `(batch, outputs, inputs)`."""
        batch = (self._output.shape[0],) if self._batched else ()
        sizes = (t.size // (t.shape[0] or 1) if self._batched else t.size for t in self._inputs)
        total = 0
        for size in sizes:
            total += size
        return (*batch, self._output.shape[-1], total)

    def __getitem__(self, indexes: Any) -> Tensor:
        given = list(indexes) if isinstance(indexes, tuple) else [indexes]
        if Ellipsis in given:
            at = given.index(Ellipsis)
            given[at : at + 1] = [_ALL] * (len(self.shape) - len(given) + 1)
        given += [_ALL] * (len(self.shape) - len(given))
        axis = 1 if self._batched else 0
        if len(given) != len(self.shape):
            raise InvalidArgumentError(
                f"{len(given)} indices into a matrix of shape {self.shape}",
                expected=f"at most {len(self.shape)}",
                fix="drop some",
            )
        chosen = range(self.shape[axis])[given[axis]]
        if isinstance(chosen, int):
            picked, rest = self._row(chosen), given[:axis] + given[axis + 1 :]
        else:
            rows = [self._row(i) for i in chosen]
            sizes = [*self.shape[:axis], 0, self.shape[-1]]
            picked = stack(rows, axis=axis) if rows else zeros(sizes, self._output.dtype)
            rest = [*given[:axis], _ALL, *given[axis + 1 :]]
        return picked[tuple(rest)]  # type: ignore[index]

    def _row(self, number: int) -> Tensor:
        found = self._rows.get(number)
        if found is None:
            with enable_grad():
                entry = self._output[..., number]  # type: ignore[index]
                total = sum(entry) if self._batched else entry
                parts = [_gradient(total, x) for x in self._inputs]
                found = self._rows[number] = _flat(parts, self._batched)
        return found


class Hessian(Jacobian):
    """Second derivatives of a function with one output with respect to all pairs of inputs.

    Args:
        func: function of Tensors that returns one element (with a batch: one per row).
        xs: a Tensor or a sequence: where the derivatives are taken.
        is_batched: the first axis of all inputs and of the output is a batch.

    Raises:
        InvalidArgumentError: the function returns more than that.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([1.0, 2.0])
        >>> proa.incubate.autograd.Hessian(lambda x: (x * x * x).sum(), x)[:].tolist()
        [[6.0, 0.0], [0.0, 12.0]]
    """

    def __init__(self, func: Callable[..., Any], xs: Any, is_batched: bool = False) -> None:
        def first(*inputs: Tensor) -> tuple[Tensor, ...]:
            made = func(*inputs)
            outputs = _as_list(made)
            rows = outputs[0].shape[0] if is_batched and outputs[0].ndim else 1
            if len(outputs) != 1 or outputs[0].size != rows:
                raise InvalidArgumentError(
                    f"the function of a Hessian returned shapes {[t.shape for t in outputs]}",
                    expected="one element" + (" per row of the batch" if is_batched else ""),
                    fix="sum it up, or take the Jacobian of the gradient",
                )
            total = sum(outputs[0])
            return tuple(_gradient(total, x) for x in inputs)

        super().__init__(first, xs, is_batched)


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None) -> Any:
    """Gradients of outputs with respect to inputs, on the tape.

    Args:
        outputs: a Tensor or a sequence, computed from `inputs`.
        inputs: a Tensor or a sequence.
        grad_outputs: one Tensor per output that its gradient is multiplied with; ones by default.

    Returns:
        A Tensor, or a list for a sequence; zeros where nothing is connected.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([3.0], stop_gradient=False)
        >>> proa.incubate.autograd.grad(x * x, x).tolist()
        [6.0]
    """
    seeds = None if grad_outputs is None else _as_list(grad_outputs)
    made = tape_grad(
        _as_list(outputs),
        _as_list(inputs),
        seeds,
        retain_graph=True,
        create_graph=True,
        allow_unused=True,
    )
    made = [zeros_like(x) if g is None else g for x, g in zip(_as_list(inputs), made, strict=True)]
    return made if _is_many(inputs) else made[0]


@composite
def forward_grad(outputs: Any, inputs: Any, grad_inputs: Any = None) -> Any:
    """Derivatives of outputs along a direction of the inputs, on the tape.

    The product of the Jacobian with a vector, as the derivative of the product of a vector with
    it. (Paddle has this in static graphs only.)

    Args:
        outputs: a Tensor or a sequence, computed from `inputs`.
        inputs: a Tensor or a sequence.
        grad_inputs: one Tensor per input, the direction; ones by default.

    Returns:
        A Tensor, or a list for a sequence.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([3.0], stop_gradient=False)
        >>> proa.incubate.autograd.forward_grad(x * x, x).tolist()
        [6.0]
    """
    listed, given = _as_list(outputs), _as_list(inputs)
    with enable_grad():
        helpers = _watched([zeros_like(y) for y in listed])
        pulled = grad(listed, given, helpers)
        directions = None if grad_inputs is None else _as_list(grad_inputs)
        kept = [i for i, g in enumerate(pulled) if not g.stop_gradient]
        if not kept:
            made = [zeros_like(y) for y in listed]
        else:
            seeds = None if directions is None else [directions[i] for i in kept]
            made = grad([pulled[i] for i in kept], helpers, seeds)
    return made if _is_many(outputs) else made[0]
