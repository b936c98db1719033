"""Averages of parameters over the last steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, PreconditionError, Tensor, no_grad
from proa.optimizer import Optimizer, Rule, Slot

#: A running sum is put aside after that many steps, so that what is added to it stays visible.
_STEPS_PER_SUM = 16384


@dataclass(frozen=True)
class AverageRule(Rule):
    """Adds the parameter to a sum; the window starts anew when it is long enough.

    A window is closed once it has `shortest` steps and `min(longest, floor(rate * steps))`;
    the average is that of the last closed window and the open one.
    """

    window_rate: float
    shortest: int
    longest: int

    def slots(self) -> tuple[Slot, ...]:
        """Returns three sums and three counts."""
        counts = ("num_accumulates", "old_num_accumulates", "num_updates")
        return (
            *(Slot(name) for name in ("sum_1", "sum_2", "sum_3")),
            *(Slot(name, 0, 0, is_counter=True) for name in counts),
        )

    def update(self, rate: Any, param: Any, grad: Any, *state: Any) -> tuple[Any, ...]:
        """Returns the parameter as it is, sums and counts."""
        recent, put_aside, closed, count, closed_count, steps = state
        steps, count = steps + 1, count + 1
        recent = recent + param
        is_full = (steps % _STEPS_PER_SUM == 0).reshape(())
        put_aside = jnp.where(is_full, put_aside + recent, put_aside)
        recent = jnp.where(is_full, 0, recent)
        wanted = jnp.minimum(self.longest, (steps * self.window_rate).astype(steps.dtype))
        is_long = (count >= self.shortest) & (count >= wanted)
        ends = is_long.reshape(())
        closed = jnp.where(ends, recent + put_aside, closed)
        recent, put_aside = jnp.where(ends, 0, recent), jnp.where(ends, 0, put_aside)
        closed_count = jnp.where(is_long, count, closed_count)
        count = jnp.where(is_long, 0, count)
        return param, recent, put_aside, closed, count, closed_count, steps


class ModelAverage(Optimizer):
    """Keeps averages of parameters over the last steps of another optimizer.

    Call `step` after the other optimizer's, and `apply` to evaluate with the averages.

    Args:
        average_window_rate (float): length of the window relative to the number of steps.
        parameters (list[Tensor]): what to average.
        min_average_window (int): shortest window, in steps.
        max_average_window (int): longest window, in steps.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `parameters` is None, or a number is out of range.

    Examples:
        >>> import proa
        >>> weight = proa.to_tensor([1.0], stop_gradient=False)
        >>> sgd = proa.optimizer.SGD(0.5, parameters=[weight])
        >>> average = proa.incubate.ModelAverage(1.0, [weight], 1, 10)
        >>> for _ in range(2):
        ...     (weight * 1.0).sum().backward()
        ...     sgd.step()
        ...     average.step()
        ...     sgd.clear_grad()
        >>> with average.apply():
        ...     weight.tolist()
        [0.25]
        >>> weight.tolist()
        [0.0]
    """

    def __init__(
        self,
        average_window_rate: float,
        parameters: Any = None,
        min_average_window: int = 10000,
        max_average_window: int = 10000,
        name: str | None = None,
    ) -> None:
        if not 0 <= average_window_rate or not 0 < min_average_window <= max_average_window:
            raise InvalidArgumentError(
                f"ModelAverage with a window of {min_average_window} to {max_average_window} steps "
                f"and rate {average_window_rate}",
                expected="a positive shortest window, no longer than the longest, and a rate >= 0",
                fix="correct min_average_window, max_average_window or average_window_rate",
            )
        self.average_window = average_window_rate
        self.min_average_window = min_average_window
        self.max_average_window = max_average_window
        self._kept: list[tuple[Tensor, Tensor]] = []
        super().__init__(0.0, parameters, name=name)

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        return AverageRule(
            float(self.average_window), self.min_average_window, self.max_average_window
        )

    def minimize(  # type: ignore[override]
        self,
        loss: Tensor,
        startup_program: Any = None,
        parameters: Sequence[Tensor] | None = None,
        no_grad_set: Any = None,
    ) -> None:
        """Takes up the parameters that have a gradient, as `step` does.

        Args:
            loss (Tensor): not used.
            startup_program (Any): kept for Paddle's signature.
            parameters (list[Tensor], optional): only these parameters.
            no_grad_set (set, optional): without these parameters.
        """
        super().minimize(loss, startup_program, parameters, no_grad_set)

    @contextmanager
    def apply(self, executor: Any = None, need_restore: bool = True) -> Iterator[None]:
        """Gives the parameters their averages, inside a `with` block.

        Args:
            executor (Any): kept for Paddle's signature.
            need_restore (bool): give them their own values back at the end of the block;
                otherwise `restore` does.

        Raises:
            PreconditionError: no step was made yet.
        """
        started = [entry for entry in self._entries if entry.state is not None]
        if not started:
            raise PreconditionError(
                "ModelAverage.apply before any step",
                expected="averages over some steps",
                fix="call step() after each step of the optimizer",
            )
        with no_grad():
            self._kept = [(entry.param, entry.param.clone()) for entry in started]  # type: ignore[attr-defined]
            for entry in started:
                sums, counts = (entry.state or [])[:3], (entry.state or [])[3:5]
                total: Any = sums[0] + sums[1] + sums[2]  # type: ignore[operator]
                count = (counts[0] + counts[1]).astype(total.dtype)  # type: ignore[operator]
                mean = (total / count).astype(entry.param.dtype)
                entry.param.copy_(mean)  # type: ignore[attr-defined]
        try:
            yield
        finally:
            if need_restore:
                self.restore()

    def restore(self, executor: Any = None) -> None:
        """Gives the parameters the values back that they had before `apply`.

        Args:
            executor (Any): kept for Paddle's signature.
        """
        with no_grad():
            for param, value in self._kept:
                param.copy_(value)  # type: ignore[attr-defined]
        self._kept = []
