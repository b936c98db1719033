"""Functions with a gradient of the user's own, inside a Program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proa.autograd import PyLayer
from proa.core import GradMode, InvalidTypeError, Tensor


class _FunctionLayer(PyLayer):
    """Two functions as forward and backward."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any, **settings: Any) -> Any:
        """Calls the first function."""
        ctx.backward_fn = settings["backward_fn"]
        return settings["forward_fn"](*inputs)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Calls the second one."""
        return ctx.backward_fn(*gradients)


class _Function:
    """A function that is no tree of tensors."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any) -> Any:
        return self._function(*args)


def static_pylayer(
    forward_fn: Callable[..., Any],
    inputs: Any,
    backward_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """Calls a function of tensors whose gradient another function gives.

    Args:
        forward_fn (Callable): takes the inputs, returns a Tensor or a list of them.
        inputs (list | tuple): Tensors.
        backward_fn (Callable, optional): takes the outputs' gradients, returns a gradient (or
            `None`) per input. Without it no gradient flows.
        name (str, optional): kept for Paddle's signature.

    Returns:
        What `forward_fn` returns.

    Raises:
        InvalidTypeError: something that cannot be called, or inputs that are no Tensors.

    Examples:
        >>> import proa
        >>> main = proa.static.Program()
        >>> with proa.static.program_guard(main):
        ...     x = proa.static.data("x", [2])
        ...     x.stop_gradient = False
        ...     (y,) = proa.static.nn.static_pylayer(lambda x: [x * 3], [x], lambda g: g * 5)
        ...     (slope,) = proa.static.gradients(y, x)
        >>> found = proa.static.Executor().run(main, {"x": [1.0, 2.0]}, [y, slope])
        >>> [each.tolist() for each in found]
        [[3.0, 6.0], [5.0, 5.0]]
    """
    for label, function in (("forward_fn", forward_fn), ("backward_fn", backward_fn)):
        if not callable(function) and (label == "forward_fn" or function is not None):
            raise InvalidTypeError(
                f"static_pylayer: `{label}` is a {type(function).__name__}",
                expected="a function",
                fix=f"pass {label}=lambda ...: ...",
            )
    if not isinstance(inputs, list | tuple) or not all(isinstance(t, Tensor) for t in inputs):
        kinds = [type(t).__name__ for t in inputs] if isinstance(inputs, list | tuple) else inputs
        raise InvalidTypeError(
            f"static_pylayer: `inputs` is {kinds!r}"[:200],
            expected="a list of Tensors",
            fix="pass [x] for a single one",
        )
    if backward_fn is None:
        with GradMode(False):
            return forward_fn(*inputs)
    return _FunctionLayer.apply(
        *inputs, forward_fn=_Function(forward_fn), backward_fn=_Function(backward_fn)
    )
