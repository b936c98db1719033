"""Schedules made of waves and ramps."""

from __future__ import annotations

import math
from collections.abc import Callable

from ._checks import require, require_count, require_function, require_number, require_type
from ._scheduler import LRScheduler, cosine_between, line_between


class CosineAnnealingDecay(LRScheduler):
    r"""A cosine wave between `learning_rate` and `eta_min`, half a wave in `T_max` steps.

    Formula: `eta_min + (learning_rate - eta_min) * (1 + cos(pi * last_epoch / T_max)) / 2`.

    Args:
        learning_rate (float): the rate at the top.
        T_max (int): number of steps from top to bottom.
        eta_min (float): the rate at the bottom.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidTypeError: `T_max` is not an int, or `eta_min` is not a number.
        InvalidArgumentError: `T_max` is not positive.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.CosineAnnealingDecay(0.5, T_max=4)
        >>> schedule.step(2)
        >>> schedule()
        0.25

    References:
        Loshchilov and Hutter, SGDR, 2017.

    Differs:
        Paddle 3.3.1 computes a rate from the one before, so that with `last_epoch` given
        it leaves the wave (1.68 instead of 0.08 in one case); here the formula always holds.
    """

    def __init__(
        self,
        learning_rate: float,
        T_max: int,
        eta_min: float = 0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        require_count("CosineAnnealingDecay", "T_max", T_max)
        require_number("CosineAnnealingDecay", "eta_min", eta_min)
        self.T_max = T_max
        self.eta_min = float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`."""
        return cosine_between(self.base_lr, self.eta_min, self.last_epoch / self.T_max)


class CosineAnnealingWarmRestarts(LRScheduler):
    r"""Half a cosine wave down, again and again, each `T_mult` times as long as the last.

    Formula, `t` steps into a wave of length `T`:
    `eta_min + (learning_rate - eta_min) * (1 + cos(pi * t / T)) / 2`.

    Args:
        learning_rate (float): the rate at each restart.
        T_0 (int): number of steps in the first wave.
        T_mult (int): growth of a wave's length over the one before.
        eta_min (float): the rate at the end of each wave.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidTypeError: `T_0` or `T_mult` is not an int.
        InvalidArgumentError: `T_0` or `T_mult` is not positive, or a negative epoch is given.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.CosineAnnealingWarmRestarts(0.5, T_0=2, T_mult=2)
        >>> schedule.step(1)
        >>> schedule()
        0.25
        >>> schedule.step(2)
        >>> schedule()
        0.5

    References:
        Loshchilov and Hutter, SGDR, 2017. Behaviour as Paddle 3.3.1.
    """

    def __init__(
        self,
        learning_rate: float,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        require_count("CosineAnnealingWarmRestarts", "T_0", T_0)
        require_count("CosineAnnealingWarmRestarts", "T_mult", T_mult)
        require_number("CosineAnnealingWarmRestarts", "eta_min", eta_min)
        self.T_0 = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_i, self.T_cur = T_0, 0.0
        super().__init__(learning_rate, last_epoch, verbose)

    def _move(self, epoch: float | None) -> None:
        """Takes a fraction of an epoch too; `last_epoch` is its whole part."""
        place: float = self.last_epoch + 1 if epoch is None else epoch
        require(place >= 0, type(self).__name__, "epoch", place, "an epoch that is not negative")
        self.last_epoch = math.floor(place)
        length = self.T_0
        if self.T_mult == 1:
            place %= length
        while place >= length:
            place -= length
            length *= self.T_mult
        self.T_i, self.T_cur = length, place

    def get_lr(self) -> float:
        """Returns the rate for the place in the current wave."""
        return cosine_between(self.base_lr, self.eta_min, self.T_cur / self.T_i)


class LinearLR(LRScheduler):
    """A straight line between two factors on `learning_rate`, then constant.

    Formula: `learning_rate * (start_factor + (end_factor - start_factor) * share)`, with
    `share = min(last_epoch, total_steps) / total_steps`.

    Args:
        learning_rate (float): the rate that both factors apply to.
        total_steps (int): number of steps to reach `end_factor`.
        start_factor (float): factor at the start, above 0 and at most 1.
        end_factor (float): factor at the end, from 0 to 1.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidArgumentError: `total_steps` is not positive, or a factor is out of range.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.LinearLR(0.5, total_steps=4, start_factor=0.5)
        >>> schedule.step(2)
        >>> schedule()
        0.375

    Differs:
        Paddle 3.3.1 computes a rate from the one before, so that `step(epoch)` and
        `last_epoch` leave the line; here the formula always holds.
    """

    def __init__(
        self,
        learning_rate: float,
        total_steps: int,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        require_count("LinearLR", "total_steps", total_steps)
        for name, value, fits in (
            ("start_factor", start_factor, 0 < start_factor <= 1),
            ("end_factor", end_factor, 0 <= end_factor <= 1),
        ):
            require_number("LinearLR", name, value)
            require(fits, "LinearLR", name, value, "a factor from 0 (only at the end) to 1")
        self.total_steps = total_steps
        self.start_factor = start_factor
        self.end_factor = end_factor
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`."""
        share = min(self.last_epoch, self.total_steps) / self.total_steps
        return self.base_lr * line_between(self.start_factor, self.end_factor, share)


class OneCycleLR(LRScheduler):
    """One rise to `max_learning_rate` and one fall far below the start.

    The rate goes from `max_learning_rate / divide_factor` up within the first
    `phase_pct` of the steps, and down to `end_learning_rate` until the last step; with
    `three_phase` it first comes down to where it started, as fast as it rose.

    Args:
        max_learning_rate (float): the rate at the top.
        total_steps (int): number of steps in the cycle.
        divide_factor (float): the top over the start.
        end_learning_rate (float): the rate at the last step.
        phase_pct (float): share of the steps in which the rate rises.
        anneal_strategy (str): `"cos"` or `"linear"`.
        three_phase (bool): whether the fall has two phases.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: an argument is out of range, or the cycle is over.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.OneCycleLR(1.0, total_steps=11, phase_pct=0.3)
        >>> round(schedule(), 6)
        0.04
        >>> schedule.step(10)
        >>> round(schedule(), 6)
        0.0001

    References:
        Smith and Topin, Super-Convergence, 2018.

    Differs:
        In the one step that Paddle 3.3.1 allows past the end, it continues the last curve
        (even below zero); here the rate stays at `end_learning_rate`.
    """

    def __init__(
        self,
        max_learning_rate: float,
        total_steps: int,
        divide_factor: float = 25.0,
        end_learning_rate: float = 0.0001,
        phase_pct: float = 0.3,
        anneal_strategy: str = "cos",
        three_phase: bool = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        owner = "OneCycleLR"
        for name, value in (
            ("max_learning_rate", max_learning_rate),
            ("end_learning_rate", end_learning_rate),
        ):
            require_number(owner, name, value)
            require(value >= 0, owner, name, value, "a rate that is not negative")
        require_count(owner, "total_steps", total_steps)
        require_number(owner, "divide_factor", divide_factor)
        require(divide_factor > 0, owner, "divide_factor", divide_factor, "a number above 0")
        require_number(owner, "phase_pct", phase_pct)
        limit = 0.5 if three_phase else 1
        fits = 0 <= phase_pct < limit or phase_pct == 1 == limit
        require(fits, owner, "phase_pct", phase_pct, f"a share between 0 and {limit}")
        strategies = {"cos": cosine_between, "linear": line_between}
        require(
            anneal_strategy in strategies,
            owner,
            "anneal_strategy",
            anneal_strategy,
            "cos or linear",
        )
        self.total_steps = total_steps
        self.anneal_func: Callable[[float, float, float], float] = strategies[anneal_strategy]
        start = max_learning_rate / divide_factor
        top, last = phase_pct * total_steps - 1, total_steps - 1
        self._corners = [(0.0, start), (top, float(max_learning_rate))]
        if three_phase:
            self._corners.append((2 * top, start))
        self._corners.append((float(last), float(end_learning_rate)))
        super().__init__(start, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`."""
        epoch = self.last_epoch
        require(
            epoch <= self.total_steps,
            "OneCycleLR",
            "last_epoch",
            epoch,
            f"at most `total_steps`, {self.total_steps}",
        )
        corners = self._corners
        for (begin, start), (end, stop) in zip(corners, corners[1:], strict=False):
            if epoch <= end:
                return self.anneal_func(start, stop, (epoch - begin) / (end - begin))
        return corners[-1][1]


class CyclicLR(LRScheduler):
    """A rate that goes up and down between two bounds along straight lines.

    Args:
        base_learning_rate (float): the lower bound.
        max_learning_rate (float): the upper bound of the first cycle.
        step_size_up (int): number of steps in which the rate rises.
        step_size_down (int, optional): number of steps in which it falls; as many as it
            rises by default.
        mode (str): how the height of the cycles develops: `"triangular"` keeps it,
            `"triangular2"` halves it each cycle, `"exp_range"` multiplies it by
            `exp_gamma` each step.
        exp_gamma (float): base of `"exp_range"`.
        scale_fn (Callable[[float], float], optional): factor on the height, instead of
            `mode`.
        scale_mode (str): what `scale_fn` is given: `"cycle"`, counted from 1, or
            `"iterations"`.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: an argument is out of range.

    Examples:
        >>> import proa
        >>> schedule = proa.optimizer.lr.CyclicLR(0.1, 0.5, step_size_up=2)
        >>> schedule.step(2)
        >>> schedule()
        0.5

    References:
        Smith, Cyclical Learning Rates, 2017. Behaviour as Paddle 3.3.1.
    """

    def __init__(
        self,
        base_learning_rate: float,
        max_learning_rate: float,
        step_size_up: int,
        step_size_down: int | None = None,
        mode: str = "triangular",
        exp_gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        owner = "CyclicLR"
        require_number(owner, "base_learning_rate", base_learning_rate)
        require_number(owner, "max_learning_rate", max_learning_rate)
        bound_fits = max_learning_rate >= 0
        require(bound_fits, owner, "max_learning_rate", max_learning_rate, "not negative")
        step_size_down = step_size_up if step_size_down is None else step_size_down
        require_count(owner, "step_size_up", step_size_up)
        require_count(owner, "step_size_down", step_size_down)
        require_type(owner, "scale_mode", scale_mode, (str,))
        scale_fits = scale_mode in ("cycle", "iterations")
        require(scale_fits, owner, "scale_mode", scale_mode, "cycle or iterations")
        self.cycle_size = float(step_size_up + step_size_down)
        self.step_up_pct = step_size_up / self.cycle_size
        self.max_lr = float(max_learning_rate)
        self.amplitude = self.max_lr - base_learning_rate
        self.mode, self.gamma = mode, exp_gamma
        if scale_fn is not None:
            require_function(owner, "scale_fn", scale_fn)
            self.scale_fn, self.scale_mode = scale_fn, scale_mode
        else:
            modes = ("triangular", "triangular2", "exp_range")
            require(mode in modes, owner, "mode", mode, ", ".join(modes) + ", or a `scale_fn`")
            self.scale_fn = self._scale_by_mode
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        super().__init__(base_learning_rate, last_epoch, verbose)

    def _scale_by_mode(self, x: float) -> float:
        if self.mode == "triangular2":
            return 0.5 ** (x - 1)
        return self.gamma**x if self.mode == "exp_range" else 1.0

    def get_lr(self) -> float:
        """Returns the rate for `last_epoch`."""
        cycles, place = divmod(self.last_epoch, self.cycle_size)
        share = place / self.cycle_size
        if share <= self.step_up_pct:
            height = share / self.step_up_pct
        else:
            height = (1 - share) / (1 - self.step_up_pct)
        scale = self.scale_fn(1 + cycles if self.scale_mode == "cycle" else self.last_epoch)
        return self.base_lr + self.amplitude * height * scale
