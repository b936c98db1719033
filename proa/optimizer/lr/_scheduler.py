"""The base of all learning-rate schedules."""

from __future__ import annotations

import math
import warnings
import weakref
from collections.abc import Mapping
from typing import Any

from proa.core._context import context
from proa.core._errors import (
    ArtifactError,
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionError,
    UnsupportedError,
)


class LRScheduler:
    r"""A learning rate that follows a schedule; subclass it and define `get_lr`.

    A schedule is a function of `last_epoch`, a counter that starts at 0 and that `step`
    moves. The optimizers a schedule is given to are told of each new value, also between
    two runs of a compiled training step, which is not compiled again for it.

    Args:
        learning_rate (float): the rate that the schedule starts from, not negative.
        last_epoch (int): the counter's value before the first one; -1 starts anew.
        verbose (bool): prints each new value.

    Raises:
        InvalidTypeError: `learning_rate` is not a number.
        InvalidArgumentError: `learning_rate` is negative.

    Examples:
        >>> import proa
        >>> class Halving(proa.optimizer.lr.LRScheduler):
        ...     def get_lr(self):
        ...         return self.base_lr * 0.5 ** self.last_epoch
        >>> schedule = Halving(0.8)
        >>> schedule.step()
        >>> schedule()
        0.4
    """

    def __init__(
        self, learning_rate: float = 0.1, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        owner = type(self).__name__
        if isinstance(learning_rate, bool) or not isinstance(learning_rate, int | float):
            raise InvalidTypeError(
                f"{owner}: `learning_rate` is a {type(learning_rate).__name__}",
                expected="an int or a float",
                fix="give the starting rate as a number, for example 0.1",
            )
        if learning_rate < 0:
            raise InvalidArgumentError(
                f"{owner}: `learning_rate` is {learning_rate}",
                expected="a number that is not negative",
                fix="give the starting rate, for example 0.1",
            )
        self.base_lr = float(learning_rate)
        self.last_epoch: Any = last_epoch
        self.verbose = verbose
        self._listeners: weakref.WeakSet[Any] = weakref.WeakSet()
        self.last_lr = self.base_lr
        self.step()

    def __call__(self) -> float:
        """Returns the current learning rate."""
        return self.last_lr

    @property
    def last_lr(self) -> float:
        """The current learning rate; writing it tells the optimizers that use it."""
        return self._last_lr

    @last_lr.setter
    def last_lr(self, value: float) -> None:
        self._last_lr = value
        for listener in list(self._listeners):
            listener._receive_learning_rate(value)

    def get_lr(self) -> float:
        """Computes the rate for `last_epoch`; a schedule of your own defines this."""
        raise UnsupportedError(
            f"{type(self).__name__} does not define `get_lr`",
            expected="a subclass that computes the rate from `base_lr` and `last_epoch`",
            fix="define `def get_lr(self) -> float`",
        )

    def step(self, epoch: int | None = None) -> None:
        """Moves the counter and computes the rate that holds from now on.

        Args:
            epoch (int, optional): the counter's new value; the next one by default.

        Raises:
            PreconditionError: called in a function that is being compiled, where it would
                run once and never again.

        Examples:
            >>> import proa
            >>> schedule = proa.optimizer.lr.StepDecay(0.5, step_size=2, gamma=0.5)
            >>> schedule.step(epoch=4)
            >>> schedule()
            0.125
        """
        recorder = context.recorder
        if recorder is not None and not recorder.is_explicit:
            raise PreconditionError(
                f"{type(self).__name__}.step() was called while a function is being compiled",
                expected="a call outside: Python state moves once per compilation, not per run",
                fix="call `scheduler.step()` after the compiled step, in the training loop",
            )
        self._move(epoch)
        self.last_lr = self.get_lr()
        self._report()

    def _move(self, epoch: int | None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch

    def _report(self) -> None:
        if self.verbose:
            # Paddle's line: scripts that watch a log look for it.
            name, rate = type(self).__name__, self.last_lr
            print(f"Epoch {self.last_epoch}: {name} set learning rate to {rate}.")

    def state_keys(self) -> None:
        """Names the attributes that `state_dict` saves, in `self.keys`."""
        self.keys = ["last_epoch", "last_lr"]

    def state_dict(self) -> dict[str, Any]:
        """Returns what a resumed run needs: numbers and nested dicts of numbers.

        Examples:
            >>> import proa
            >>> proa.optimizer.lr.StepDecay(0.5, step_size=2).state_dict()
            {'last_epoch': 0, 'last_lr': 0.5}
        """
        self.state_keys()
        return {key: _plain(getattr(self, key)) for key in self.keys if hasattr(self, key)}

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes up a state that `state_dict` returned.

        Args:
            state_dict (dict): the saved state.

        Raises:
            ArtifactError: an entry is missing.

        Examples:
            >>> import proa
            >>> schedule = proa.optimizer.lr.StepDecay(0.5, step_size=2)
            >>> schedule.set_state_dict({"last_epoch": 4, "last_lr": 0.005})
            >>> schedule.last_epoch, schedule()
            (4, 0.005)
        """
        self.state_keys()
        missing = [key for key in self.keys if key not in state_dict]
        if missing:
            raise ArtifactError(
                f"the state for {type(self).__name__} lacks {', '.join(missing)}",
                expected=f"the entries {', '.join(self.keys)}",
                fix="load a state that `state_dict()` of the same schedule returned",
            )
        unexpected = sorted(set(state_dict) - set(self.keys))
        if unexpected:
            warnings.warn(
                f"{type(self).__name__} has no use for {', '.join(unexpected)} in its state; "
                "was it saved by another schedule?",
                stacklevel=2,
            )
        for key in self.keys:
            setattr(self, key, state_dict[key])

    def set_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Does what `set_state_dict` does, under an older name."""
        self.set_state_dict(state_dict)

    def __getstate__(self) -> dict[str, Any]:
        # A copy of a schedule drives no optimizer until it is given to one.
        return {key: value for key, value in self.__dict__.items() if key != "_listeners"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._listeners = weakref.WeakSet()


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        return value.item()
    return value


def cosine_between(start: float, end: float, share: float) -> float:
    """Returns the point at `share` (0 to 1) of half a cosine wave from `start` to `end`."""
    return end + (start - end) * (1.0 + math.cos(math.pi * share)) / 2.0


def line_between(start: float, end: float, share: float) -> float:
    """Returns the point at `share` (0 to 1) of the straight line from `start` to `end`."""
    return start + (end - start) * share
