"""Functions whose inner values are not kept for the gradient, but computed again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from proa.autograd import PyLayer, PyLayerContext, backward
from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    alias,
    context,
    default_generator,
    enable_grad,
    get_rng_state,
    is_grad_enabled,
    no_grad,
    set_rng_state,
    write_inplace,
)


def _random_state() -> Any:
    """The position of the random stream; in a recording the Value that stands for it."""
    recorded = context.recorder is not None
    return alias(default_generator().state) if recorded else get_rng_state()


def _set_random_state(state: Any) -> None:
    if isinstance(state, Tensor):
        with no_grad():
            write_inplace(default_generator().state, state)
    elif state is not None:
        set_rng_state(state)


class _Again(PyLayer):
    """Runs a function off the tape; for the gradient it runs again, on the tape."""

    @staticmethod
    def forward(ctx: PyLayerContext, *inputs: Any, run: Any, keeps_random: bool) -> Any:
        ctx.run = run  # type: ignore[attr-defined]
        ctx.state = _random_state() if keeps_random else None  # type: ignore[attr-defined]
        ctx.inputs = inputs  # type: ignore[attr-defined]
        return run(*inputs)

    @staticmethod
    def backward(ctx: PyLayerContext, *gradients: Any) -> Any:
        given = ctx.inputs  # type: ignore[attr-defined]
        fresh = []
        for value in given:
            copied: Any = alias(value) if isinstance(value, Tensor) else value
            if isinstance(value, Tensor):
                copied.stop_gradient = value.stop_gradient
            fresh.append(copied)
        state = ctx.state  # type: ignore[attr-defined]
        now = None if state is None else _random_state()
        with enable_grad():
            _set_random_state(state)
            outputs = ctx.run(*fresh)  # type: ignore[attr-defined]
            _set_random_state(now)
            listed = outputs if isinstance(outputs, tuple | list) else [outputs]
            pairs = [
                (y, g)
                for y, g in zip(listed, gradients, strict=True)
                if isinstance(y, Tensor) and not y.stop_gradient
            ]
            # Gradients of parameters are summed up where they belong; those of inputs go on.
            backward([y for y, _ in pairs], [g for _, g in pairs])
        inputs: list[Any] = [x for x in fresh if isinstance(x, Tensor)]
        return tuple(x.grad for x in inputs)


def _recompute(run: Callable[..., Any], args: tuple[Any, ...], keeps_random: bool) -> Any:
    """Runs a function of Tensors so that only its inputs are kept for the gradient.

    A function of constants alone may still read parameters, so one input has to be watched
    for the tape to come by: then nothing is saved, and the function just runs.
    """
    watched = any(isinstance(a, Tensor) and not a.stop_gradient for a in args)
    if not is_grad_enabled() or not watched:
        return run(*args)
    return _Again.apply(*args, run=run, keeps_random=keeps_random)


def recompute_sequential(ctx: Mapping[str, Any], functions: Any, *args: Any, **kwargs: Any) -> Any:
    """Runs functions one after the other in segments, of which only the inputs are kept.

    Args:
        ctx: `"segments"`, the number of segments (1 by default), and `"preserve_rng_state"`,
            whether random numbers are the same when a segment runs again (True by default).
        functions: a Sequential, or a list of functions.
        args: arguments of the first function.
        kwargs: keyword arguments of the first function.

    Returns:
        What the last function returns. The last segment runs as usual, since its inner values
        are needed first. In a function that is compiled whole XLA may find that it need not
        compute again what it still has.

    Raises:
        InvalidTypeError: `ctx` is no dict.
        InvalidArgumentError: fewer functions than segments.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([2.0], stop_gradient=False)
        >>> layers = [lambda x: x * x, lambda x: x * x, lambda x: x + 1]
        >>> run = proa.incubate.distributed.fleet.recompute_sequential
        >>> y = run({"segments": 3}, layers, x)
        >>> y.backward()
        >>> y.item(), x.grad.item()
        (17.0, 32.0)

    References:
        Chen et al., "Training deep nets with sublinear memory cost", 2016.
    """
    _check_settings(ctx)
    chain = list(functions)
    segments = int(ctx.get("segments", 1))
    if not 1 <= segments <= len(chain):
        raise InvalidArgumentError(
            f"{segments} segments of {len(chain)} functions",
            expected="at least one function per segment",
            fix="correct ctx['segments']",
        )
    keeps_random = bool(ctx.get("preserve_rng_state", True))
    size = len(chain) // segments
    values: Any = args
    for number in range(segments):
        is_last = number == segments - 1
        part = chain[number * size : None if is_last else (number + 1) * size]
        run = _chained(part, kwargs if number == 0 else {})
        made = run(*values) if is_last else _recompute(run, values, keeps_random)
        values = made if isinstance(made, tuple) else (made,)
    return values if len(values) > 1 else values[0]


def _check_settings(ctx: Any) -> None:
    if not isinstance(ctx, Mapping):
        raise InvalidTypeError(
            f"the settings of a recomputation are a {type(ctx).__name__}",
            expected="a dict, such as {'segments': 2}",
            fix="pass the settings first, then the function and its arguments",
        )


def _chained(
    functions: Sequence[Callable[..., Any]], kwargs: Mapping[str, Any]
) -> Callable[..., Any]:
    def run(*values: Any) -> Any:
        made: Any = functions[0](*values, **kwargs)
        for function in functions[1:]:
            made = function(*made) if isinstance(made, tuple) else function(made)
        return made

    return run


def recompute_hybrid(
    ctx: Mapping[str, Any], function: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """Runs a function so that only its inputs are kept for the gradient.

    Args:
        ctx: `"preserve_rng_state"` as for `recompute_sequential`; `"mp_group"`, `"offload"` and
            `"partition"` say in Paddle where the inputs are kept: here they lie where they are.
        function: function of Tensors.
        args: its arguments.
        kwargs: its keyword arguments.

    Returns:
        What the function returns.
    """
    _check_settings(ctx)

    def run(*values: Any) -> Any:
        return function(*values, **kwargs)

    return _recompute(run, args, bool(ctx.get("preserve_rng_state", True)))
