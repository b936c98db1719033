"""Optimizers around another one: slow weights that follow the fast ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, InvalidTypeError, Tensor
from proa.optimizer import Optimizer, Rule, Slot

Pairs = list[tuple[Any, Any]]
_OWN_KEYS = ("_slow_0", "_slow_steps_0")


@dataclass(frozen=True)
class LookAheadRule(Rule):
    """Every `k` steps: `slow += alpha * (fast - slow)`, and the fast weights start from there."""

    alpha: float
    k: int

    def slots(self) -> tuple[Slot, ...]:
        """Returns the slow weights and the number of steps."""
        return Slot("slow"), Slot("slow_steps", 0, 0, is_counter=True)

    def update(self, rate: Any, param: Any, grad: Any, *state: Any) -> tuple[Any, ...]:
        """Returns the new parameter, slow weights and number of steps."""
        slow, steps = state[0], state[1] + 1
        step = steps.reshape(())
        # As in Paddle 3.3.1, the slow weights start as the weights after the first step.
        slow = jnp.where(step == 1, param, slow)
        mixed = self.alpha * param + (1 - self.alpha) * slow
        is_time = step % self.k == 0
        slow = jnp.where(is_time, mixed, slow)
        return jnp.where(is_time, slow, param), slow, steps


class LookAhead(Optimizer):
    """Lets an optimizer run ahead, and every `k` steps goes part of the way to where it came.

    `slow = alpha * fast + (1 - alpha) * slow`; the fast weights go on from the slow ones.

    Args:
        inner_optimizer (Optimizer): makes the fast steps.
        alpha (float): part of the way, from 0 to 1.
        k (int): number of fast steps per slow one.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidTypeError: `inner_optimizer` is no optimizer.
        InvalidArgumentError: `alpha` or `k` is out of range.

    Examples:
        >>> import proa
        >>> weight = proa.to_tensor([1.0], stop_gradient=False)
        >>> inner = proa.optimizer.SGD(0.5, parameters=[weight])
        >>> optimizer = proa.incubate.LookAhead(inner, alpha=0.5, k=2)
        >>> for _ in range(2):
        ...     (weight * 1.0).sum().backward()
        ...     optimizer.step()
        ...     optimizer.clear_grad()
        >>> weight.tolist()
        [0.25]

    References:
        Zhang et al., "Lookahead optimizer: k steps forward, 1 step back", 2019. As in Paddle
        3.3.1 the slow weights start as the weights after the first step.

    Differs:
        The state dict holds the inner optimizer's state as well, and `get_lr` and `set_lr` are
        about the inner optimizer's rate (Paddle's saves the slow weights only, and gives
        `alpha`).
    """

    def __init__(
        self, inner_optimizer: Any, alpha: float = 0.5, k: int = 5, name: str | None = None
    ) -> None:
        if not isinstance(inner_optimizer, Optimizer):
            raise InvalidTypeError(
                f"`inner_optimizer` is a {type(inner_optimizer).__name__}",
                expected="an optimizer",
                fix="for example proa.optimizer.SGD(0.1, parameters=model.parameters())",
            )
        is_number = isinstance(alpha, int | float) and not isinstance(alpha, bool)
        if not is_number or not 0 <= alpha <= 1 or not isinstance(k, int) or k < 1:
            raise InvalidArgumentError(
                f"LookAhead with `alpha` {alpha!r} and `k` {k!r}",
                expected="`alpha` from 0 to 1, and a positive integer `k`",
                fix="the paper uses alpha=0.5, k=5",
            )
        self.inner_optimizer, self.alpha, self.k = inner_optimizer, float(alpha), k
        super().__init__(0.0, list(inner_optimizer._parameter_list), name=name)

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        return LookAheadRule(self.alpha, self.k)

    def step(self) -> None:
        """Makes a fast step, and a slow one when it is time."""
        self.inner_optimizer.step()
        super().step()

    def minimize(
        self,
        loss: Tensor,
        startup_program: Any = None,
        parameters: Sequence[Tensor] | None = None,
        no_grad_set: Any = None,
    ) -> tuple[Pairs, Pairs]:
        """Applies the gradients that `loss.backward()` left behind; call that before.

        Args:
            loss (Tensor): the loss.
            startup_program (Any): kept for Paddle's signature.
            parameters (list[Tensor], optional): only these parameters.
            no_grad_set (set, optional): without these parameters.

        Returns:
            tuple[list, list]: twice the parameters with their gradients.
        """
        made = self.inner_optimizer.minimize(loss, startup_program, parameters, no_grad_set)
        self.apply_gradients(made[1])
        return made

    def get_lr(self) -> float:
        """Returns the inner optimizer's learning rate."""
        return self.inner_optimizer.get_lr()

    def set_lr(self, value: float) -> None:
        """Sets the inner optimizer's learning rate.

        Args:
            value (float): the learning rate.
        """
        self.inner_optimizer.set_lr(value)

    def set_lr_scheduler(self, scheduler: Any) -> None:
        """Lets a schedule set the inner optimizer's learning rate.

        Args:
            scheduler (LRScheduler): the schedule.
        """
        self.inner_optimizer.set_lr_scheduler(scheduler)

    def _set_auxiliary_var(self, key: str, value: Any) -> None:
        super()._set_auxiliary_var(key, value)
        self.inner_optimizer._set_auxiliary_var(key, value)

    def state_dict(self) -> dict[str, Any]:
        """Returns the inner optimizer's state and the slow weights."""
        return {**self.inner_optimizer.state_dict(), **super().state_dict()}

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes up a state that `state_dict` returned.

        Args:
            state_dict (dict): Tensors or arrays by the keys of `state_dict`.

        Raises:
            ArtifactError: entries are missing, unexpected or of another shape.
        """
        own = {k: v for k, v in state_dict.items() if k.endswith(_OWN_KEYS)}
        self.inner_optimizer.set_state_dict({k: v for k, v in state_dict.items() if k not in own})
        super().set_state_dict(own)
