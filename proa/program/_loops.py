"""Loops of arrays with derivatives of any order, whatever decides how long they run.

How many turns a loop has may follow from shapes; then it is a scan, which JAX derives. Else
three forms of the same loop take turns:

- forward, `lax.while_loop`;
- its gradient, a loop that keeps a fixed number of states and computes the others again (Stumm
  and Walther, New algorithms for optimal online checkpointing, 2010, as `equinox` implements
  it), which has no derivative in turn;
- derivatives of that gradient, two nested scans of a bounded number of turns, which end early.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from proa.core import (
    InvalidArgumentError,
    MissingModuleError,
    define_flag,
    get_flags,
    on_host,
)

#: States that the gradient of a loop keeps; those between are computed again.
_CHECKPOINTS = 64
#: Turns up to which a scan keeps what its gradient needs of each.
_SHORT = 256

define_flag("FLAGS_max_loop_turns", 2**14)


def is_inexact(array: Any) -> bool:
    """Whether an array holds floating-point or complex numbers."""
    return jax.numpy.issubdtype(array.dtype, jax.numpy.inexact)


class Loop:
    """One loop as a function of its first state and of what it reads.

    Args:
        test: `(state, rest) -> bool`.
        body: `(state, rest) -> state`.
        turns: how many there are at most, or `None`.
        is_exact: whether there are exactly as many.
    """

    def __init__(
        self,
        test: Callable[..., Any],
        body: Callable[..., Any],
        turns: int | None,
        is_exact: bool,
    ) -> None:
        self.test, self.body, self.turns, self.is_exact = test, body, turns, is_exact

    def __call__(self, state: tuple[Any, ...], rest: tuple[Any, ...]) -> tuple[Any, ...]:
        """Returns the state after the last turn."""
        if self.is_exact and isinstance(self.turns, int) and self.turns <= _SHORT:
            if self.turns <= 0:
                return state
            return jax.lax.scan(
                lambda now, _: (self.body(now, rest), None), state, length=self.turns
            )[0]
        count = len(state)
        return _differentiable(
            lambda *arrays: self._forward(arrays[:count], arrays[count:]),
            lambda *arrays: self._kept(arrays[:count], arrays[count:]),
            lambda *arrays: self._bounded(arrays[:count], arrays[count:]),
        )(*state, *rest)

    def _forward(self, state: Any, rest: Any) -> Any:
        return jax.lax.while_loop(
            lambda now: self.test(now, rest), lambda now: self.body(now, rest), tuple(state)
        )

    def _kept(self, state: Any, rest: Any) -> Any:
        if isinstance(self.turns, int) and self.turns <= _SHORT:
            return self._bounded(state, rest)
        return _while_loop()(
            lambda now: self.test(now, rest),
            lambda now: self.body(now, rest),
            tuple(state),
            kind="checkpointed",
            checkpoints=_CHECKPOINTS,
        )

    def _bounded(self, state: Any, rest: Any) -> Any:
        limit = int(get_flags("FLAGS_max_loop_turns")["FLAGS_max_loop_turns"])
        if isinstance(self.turns, int) and self.turns <= limit:
            limit = max(self.turns, 1)
        # Two scans, one in the other: what is kept grows as the root of the bound.
        inner = math.isqrt(limit - 1) + 1
        outer = -(-limit // inner)

        def turn(now: Any, _: Any) -> Any:
            goes_on = self.test(now, rest)
            return jax.lax.cond(goes_on, lambda s: self.body(s, rest), tuple, now), None

        @jax.checkpoint
        def turns(now: Any) -> Any:
            return jax.lax.scan(turn, now, length=inner)[0]

        def some(now: Any, _: Any) -> Any:
            return jax.lax.cond(self.test(now, rest), turns, tuple, now), None

        end = jax.lax.scan(some, tuple(state), length=outer)[0]
        if not isinstance(self.turns, int) or self.turns > inner * outer:
            jax.debug.callback(_refuse_unfinished(inner * outer), self.test(end, rest))
        return end


def _refuse_unfinished(limit: int) -> Callable[[Any], None]:
    def check(goes_on: Any) -> None:
        if np.any(goes_on):
            raise InvalidArgumentError(
                f"the second derivative of a loop of more than {limit} turns",
                expected="at most FLAGS_max_loop_turns",
                fix=f"raise it: proa.set_flags({{'FLAGS_max_loop_turns': {limit * 16}}})",
            )

    return on_host(check)


def _while_loop() -> Callable[..., Any]:
    try:
        from equinox.internal import while_loop
    except ImportError as error:
        raise MissingModuleError(
            "the gradient of a loop whose length depends on tensors",
            expected="the package equinox",
            fix="pip install equinox",
        ) from error
    return while_loop


def _differentiable(forward: Any, kept: Any, bounded: Any) -> Callable[..., Any]:
    """One function in three forms: for its value, its gradient, and derivatives of that."""

    @jax.custom_vjp
    def run(*arrays: Any) -> tuple[Any, ...]:
        return forward(*arrays)

    @jax.custom_vjp
    def gradient(arrays: Any, cotangents: Any) -> tuple[Any, ...]:
        return _pulled(kept, arrays, cotangents)

    def gradient_backward(saved: Any, second: Any) -> Any:
        arrays, cotangents = saved
        _, pull = jax.vjp(lambda a, c: _pulled(bounded, a, c), arrays, cotangents)
        return pull(second)

    gradient.defvjp(lambda a, c: (gradient(a, c), (a, c)), gradient_backward)

    def backward(arrays: Any, cotangents: Any) -> tuple[Any, ...]:
        smooth = tuple([c for c in cotangents if c.dtype != jax.dtypes.float0])
        found = iter(gradient(arrays, smooth))
        return tuple(
            [next(found) if is_inexact(a) else np.zeros(a.shape, jax.dtypes.float0) for a in arrays]
        )

    run.defvjp(lambda *arrays: (run(*arrays), arrays), backward)
    return run


def _pulled(loop: Any, arrays: Sequence[Any], cotangents: Any) -> tuple[Any, ...]:
    """The gradient of a loop's inexact inputs, from that of its inexact results."""
    chosen = [i for i, a in enumerate(arrays) if is_inexact(a)]

    def smooth(*given: Any) -> tuple[Any, ...]:
        full = list(arrays)
        for i, array in zip(chosen, given, strict=True):
            full[i] = array
        return tuple(filter(is_inexact, loop(*full)))

    _, pull = jax.vjp(smooth, *[arrays[i] for i in chosen])
    return pull(cotangents)
