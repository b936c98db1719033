"""Gradients inside a static Program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proa.core import InvalidArgumentError, Tensor, context, grad


def append_backward(
    loss: Tensor,
    parameter_list: Sequence[Any] | None = None,
    no_grad_set: Any = None,
    callbacks: Any = None,
    checkpoints: Any = None,
    distop_context: Any = None,
) -> list[tuple[Tensor, Tensor]]:
    """Adds the gradients of a loss to the Program that is being built.

    Args:
        loss (Tensor): the loss.
        parameter_list (list, optional): parameters or their names; all that are trainable by
            default.
        no_grad_set (set, optional): parameters (or names) to leave out.
        callbacks (list, optional): kept for Paddle's signature.
        checkpoints (list, optional): kept for Paddle's signature; XLA decides what to keep.
        distop_context (Any): kept for Paddle's signature.

    Returns:
        list[tuple[Tensor, Tensor]]: parameters with their gradients.

    Raises:
        InvalidArgumentError: no Program is being built.

    Examples:
        >>> import proa
        >>> main = proa.static.Program()
        >>> with proa.static.program_guard(main):
        ...     x = proa.static.data("x", [2, 3])
        ...     pairs = proa.static.append_backward(proa.static.nn.fc(x, 1).mean())
        >>> [list(gradient.shape) for _, gradient in pairs]
        [[3, 1], [1]]
    """
    recorder = context.recorder
    if recorder is None or not recorder.is_explicit:
        raise InvalidArgumentError(
            "append_backward outside of a static Program",
            expected="a Program that is being built",
            fix="use loss.backward() in dynamic mode, or build under program_guard",
        )
    held = recorder.persistables()
    wanted = (
        recorder.parameters()
        if parameter_list is None
        else [held.get(p, p) if isinstance(p, str) else p for p in parameter_list]
    )
    left_out = {id(held.get(p, p) if isinstance(p, str) else p) for p in no_grad_set or ()}
    wanted = [p for p in wanted if id(p) not in left_out]
    found = grad([loss], wanted, retain_graph=True, allow_unused=True)
    pairs = [(p, g) for p, g in zip(wanted, found, strict=True) if g is not None]
    for parameter, gradient in pairs:
        _name_gradient(parameter, gradient)
    return pairs


def _name_gradient(t: Tensor, gradient: Tensor) -> None:
    """Makes the first gradient of a tensor findable, by the name that Paddle gives it."""
    name, recorder = f"{t.name}@GRAD", context.recorder
    if recorder is not None and recorder.is_explicit and recorder.find(name) is None:
        gradient.name = name


def gradients(
    targets: Any, inputs: Any, target_gradients: Any = None, no_grad_set: Any = None
) -> list[Any]:
    """Adds the gradients of targets with respect to inputs to the Program.

    Args:
        targets (Tensor | list): what is differentiated; its sum where it has several elements.
        inputs (Tensor | list): what to differentiate by.
        target_gradients (Tensor | list, optional): gradients of the targets; ones by default.
        no_grad_set (set, optional): tensors that count as constants.

    Returns:
        list: a gradient per input, `None` where the targets do not depend on it.

    Examples:
        >>> import proa
        >>> main = proa.static.Program()
        >>> with proa.static.program_guard(main):
        ...     x = proa.static.data("x", [2])
        ...     x.stop_gradient = False
        ...     (slope,) = proa.static.gradients(x * x, x)
        >>> run = proa.static.Executor().run
        >>> run(main, feed={"x": [1.0, 2.0]}, fetch_list=[slope])[0].tolist()
        [2.0, 4.0]
    """
    found = grad(
        targets,
        inputs,
        target_gradients,
        retain_graph=True,
        allow_unused=True,
        create_graph=True,
        no_grad_vars=no_grad_set,
    )
    wanted = inputs if isinstance(inputs, list | tuple) else [inputs]
    for t, gradient in zip(wanted, found, strict=True):
        if gradient is not None and gradient._name is None:
            _name_gradient(t, gradient)
    return found
