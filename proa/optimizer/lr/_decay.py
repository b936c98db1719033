"""Schedules that fall: each is a closed formula of the counter."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence

from ._checks import (
    require,
    require_count,
    require_function,
    require_number,
    require_type,
)
from ._scheduler import LRScheduler


class NoamDecay(LRScheduler):
    r"""The rise and fall that the Transformer was first trained with.

    Formula, with `n = last_epoch`:
    `learning_rate * d_model**-0.5 * min(n**-0.5, n * warmup_steps**-1.5)`, and 0 at `n = 0`.

    Args:
        d_model (int): width of the model.
        warmup_steps (int): number of steps over which the rate rises.
        learning_rate (float): factor on the whole.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidArgumentError: `d_model` or `warmup_steps` is not positive.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.NoamDecay(d_model=64, warmup_steps=4)
        >>> schedule.step(4)
        >>> schedule()
        0.0625

    References:
        Vaswani et al., Attention Is All You Need, 2017. Behaviour as Paddle 3.3.1.
    """

    def __init__(
        self,
        d_model: int,
        warmup_steps: int,
        learning_rate: float = 1.0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        for name, value in (("d_model", d_model), ("warmup_steps", warmup_steps)):
            require_number("NoamDecay", name, value)
            require(value > 0, "NoamDecay", name, value, "a number above 0")
        self.d_model = d_model
        self.warmup_steps = warmup_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`."""
        falling = 1.0 if self.last_epoch == 0 else self.last_epoch**-0.5
        rising = self.warmup_steps**-1.5 * self.last_epoch
        return self.base_lr * self.d_model**-0.5 * min(falling, rising)


class PiecewiseDecay(LRScheduler):
    """A constant rate in each interval between boundaries.

    Args:
        boundaries (list[int]): counter values at which the next rate begins, rising.
        values (list[float]): the rates, one more than there are boundaries.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidArgumentError: no boundaries, or too few values.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.PiecewiseDecay([3, 6], [0.1, 0.05, 0.01])
        >>> schedule.step(3)
        >>> schedule()
        0.05
    """

    def __init__(
        self,
        boundaries: Sequence[int],
        values: Sequence[float],
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        require(
            len(boundaries) > 0, "PiecewiseDecay", "boundaries", boundaries, "at least one boundary"
        )
        require(
            len(values) > len(boundaries),
            "PiecewiseDecay",
            "values",
            values,
            f"{len(boundaries) + 1} rates, one more than the {len(boundaries)} boundaries",
        )
        self.boundaries = list(boundaries)
        self.values = [float(value) for value in values]
        super().__init__(last_epoch=last_epoch, verbose=verbose)

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`."""
        for boundary, value in zip(self.boundaries, self.values, strict=False):
            if self.last_epoch < boundary:
                return value
        return self.values[len(self.boundaries)]


class NaturalExpDecay(LRScheduler):
    """Exponential decay: `learning_rate * exp(-gamma * last_epoch)`.

    Args:
        learning_rate (float): the rate that the schedule starts from.
        gamma (float): decay per step.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.NaturalExpDecay(0.5, gamma=0.1)
        >>> schedule.step()
        >>> round(schedule(), 6)
        0.452419
    """

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        require_number("NaturalExpDecay", "gamma", gamma)
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`."""
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """Hyperbolic decay: `learning_rate / (1 + gamma * last_epoch)`.

    Args:
        learning_rate (float): the rate that the schedule starts from.
        gamma (float): decay per step.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.InverseTimeDecay(0.5, gamma=1.0)
        >>> schedule.step()
        >>> schedule()
        0.25
    """

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        require_number("InverseTimeDecay", "gamma", gamma)
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`."""
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class PolynomialDecay(LRScheduler):
    """A power curve from `learning_rate` down to `end_lr`.

    Formula: `(learning_rate - end_lr) * (1 - n / decay_steps)**power + end_lr`, with
    `n = min(last_epoch, decay_steps)`; with `cycle`, `n = last_epoch` and `decay_steps`
    grows to its next multiple instead.

    Args:
        learning_rate (float): the rate that the schedule starts from.
        decay_steps (int): number of steps to reach `end_lr`.
        end_lr (float): the rate at the end.
        power (float): exponent; 1 is a straight line.
        cycle (bool): rises again after each `decay_steps`.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidArgumentError: `decay_steps` or `power` is not positive.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.PolynomialDecay(0.5, decay_steps=4, end_lr=0.1)
        >>> schedule.step(2)
        >>> round(schedule(), 6)
        0.3
    """

    def __init__(
        self,
        learning_rate: float,
        decay_steps: int,
        end_lr: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        require_count("PolynomialDecay", "decay_steps", decay_steps)
        require_number("PolynomialDecay", "power", power)
        require(power > 0, "PolynomialDecay", "power", power, "an exponent above 0")
        self.decay_steps = decay_steps
        self.end_lr = end_lr
        self.power = power
        self.cycle = cycle
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`."""
        steps, epoch = self.decay_steps, self.last_epoch
        if self.cycle:
            steps *= max(1, math.ceil(epoch / steps))
        else:
            epoch = min(epoch, steps)
        return (self.base_lr - self.end_lr) * (1 - epoch / steps) ** self.power + self.end_lr


class ExponentialDecay(LRScheduler):
    """Geometric decay: `learning_rate * gamma**last_epoch`.

    Args:
        learning_rate (float): the rate that the schedule starts from.
        gamma (float): factor per step, between 0 and 1.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidArgumentError: `gamma` is not between 0 and 1.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.ExponentialDecay(0.5, gamma=0.5)
        >>> schedule.step()
        >>> schedule()
        0.25
    """

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        require_number("ExponentialDecay", "gamma", gamma)
        require(0 < gamma < 1, "ExponentialDecay", "gamma", gamma, "a factor between 0 and 1")
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`."""
        return self.base_lr * self.gamma**self.last_epoch


class MultiStepDecay(LRScheduler):
    """The rate is multiplied by `gamma` at each milestone.

    Args:
        learning_rate (float): the rate that the schedule starts from.
        milestones (list[int] | tuple[int]): counter values, strictly rising.
        gamma (float): factor at each milestone, below 1.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidTypeError: `milestones` is not a list or tuple.
        InvalidArgumentError: `milestones` do not rise, or `gamma` is not below 1.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.MultiStepDecay(0.5, milestones=[2, 5], gamma=0.5)
        >>> schedule.step(5)
        >>> schedule()
        0.125
    """

    def __init__(
        self,
        learning_rate: float,
        milestones: Sequence[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        require_type("MultiStepDecay", "milestones", milestones, (list, tuple))
        rising = all(a < b for a, b in zip(milestones, milestones[1:], strict=False))
        require(rising, "MultiStepDecay", "milestones", milestones, "strictly rising counts")
        require_number("MultiStepDecay", "gamma", gamma)
        require(gamma < 1, "MultiStepDecay", "gamma", gamma, "a factor below 1")
        self.milestones = milestones
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`."""
        return self.base_lr * self.gamma ** bisect_right(self.milestones, self.last_epoch)


class StepDecay(LRScheduler):
    """The rate is multiplied by `gamma` every `step_size` steps.

    Formula: `learning_rate * gamma**(last_epoch // step_size)`.

    Args:
        learning_rate (float): the rate that the schedule starts from.
        step_size (int): number of steps with the same rate.
        gamma (float): factor, below 1.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidTypeError: `step_size` is not an int.
        InvalidArgumentError: `step_size` is not positive, or `gamma` is not below 1.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.StepDecay(0.5, step_size=3, gamma=0.5)
        >>> schedule.step(3)
        >>> schedule()
        0.25
    """

    def __init__(
        self,
        learning_rate: float,
        step_size: int,
        gamma: float = 0.1,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        require_count("StepDecay", "step_size", step_size)
        require_number("StepDecay", "gamma", gamma)
        require(gamma < 1, "StepDecay", "gamma", gamma, "a factor below 1")
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`."""
        return self.base_lr * self.gamma ** (self.last_epoch // self.step_size)


class LambdaDecay(LRScheduler):
    """The starting rate times a factor that a function of yours computes.

    Args:
        learning_rate (float): the rate that the schedule starts from.
        lr_lambda (Callable[[int], float]): factor on `learning_rate` for a counter value.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidTypeError: `lr_lambda` is not a function.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.LambdaDecay(0.5, lambda epoch: 0.5**epoch)
        >>> schedule.step(2)
        >>> schedule()
        0.125
    """

    def __init__(
        self,
        learning_rate: float,
        lr_lambda: Callable[[int], float],
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        require_function("LambdaDecay", "lr_lambda", lr_lambda)
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`."""
        return self.base_lr * self.lr_lambda(self.last_epoch)


class MultiplicativeDecay(LRScheduler):
    """Each step multiplies the rate by a factor that a function of yours computes.

    Formula: `learning_rate * lr_lambda(1) * ... * lr_lambda(last_epoch)`.

    Args:
        learning_rate (float): the rate that the schedule starts from.
        lr_lambda (Callable[[int], float]): factor on the previous rate for a counter value.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidTypeError: `lr_lambda` is not a function.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.MultiplicativeDecay(0.5, lambda epoch: 0.5)
        >>> schedule.step(2)
        >>> schedule()
        0.125
    """

    def __init__(
        self,
        learning_rate: float,
        lr_lambda: Callable[[int], float],
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        require_function("MultiplicativeDecay", "lr_lambda", lr_lambda)
        self.lr_lambda = lr_lambda
        # Where the running product stands, so that n steps take n calls, not n * n.
        self._product_epoch, self._product = 0, 1.0
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`."""
        if self.last_epoch < self._product_epoch:
            self._product_epoch, self._product = 0, 1.0
        for epoch in range(self._product_epoch + 1, self.last_epoch + 1):
            self._product *= self.lr_lambda(epoch)
        self._product_epoch = self.last_epoch
        return self.base_lr * self._product
