"""Ops that are run for what they do: printing and checking while a Program runs."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from proa.core import (
    BaseOp,
    FailedAssertionError,
    OutOfRangeError,
    ProgramError,
    Tensor,
    context,
    dispatch,
    new_tensor,
    on_host,
    user_location,
)

from ._control_flow import SubProgram
from ._program import Program, prune


class Effect(ABC):
    """What is done with the values of some tensors."""

    #: Whether results would be wrong without it, so that no file may leave it out.
    is_needed_in_files = False

    @abstractmethod
    def __call__(self, *arrays: np.ndarray) -> None:
        """Does it."""


class Printing(Effect):
    """Prints values, tensors in the places that are `None`."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = list(values)

    def __call__(self, *arrays: np.ndarray) -> None:
        remaining = iter(arrays)
        shown = [Tensor(next(remaining)) if value is None else value for value in self.values]
        print(*shown)


class Assertion(Effect):
    """Raises unless a condition holds."""

    def __init__(self, message: Any) -> None:
        self.message, self.where = message, user_location()

    def __call__(self, *arrays: np.ndarray) -> None:
        if not np.all(arrays[0]):
            raise FailedAssertionError(
                f"{self.message} (at {self.where})",
                expected="an assertion that holds",
                fix="look at the values that the function was given",
            )


class RoomCheck(Effect):
    """Raises when a list of a loop has grown beyond its room."""

    is_needed_in_files = True

    def __init__(self, room: int) -> None:
        self.room, self.where = room, user_location()

    def __call__(self, *arrays: np.ndarray) -> None:
        if int(arrays[0]) > self.room:
            raise OutOfRangeError(
                f"a list that grows in a loop on a tensor got {int(arrays[0])} entries "
                f"(at {self.where})",
                expected=f"at most {self.room} (FLAGS_max_list_length)",
                fix="raise FLAGS_max_list_length before the function is compiled",
            )


class EffectOp(BaseOp):
    """Calls Python with the values of its inputs; gives nothing that somebody reads."""

    name = "effect"
    differentiable = False
    has_effect = True

    def array_fn(self, key: Any) -> Callable[..., Any]:
        """Returns the function of the values."""

        def run(*arrays: Any) -> Any:
            jax.debug.callback(on_host(key), *arrays, ordered=False)
            return jax.numpy.zeros([], bool)

        return run

    def infer(self, key: Any, inputs: tuple[Any, ...]) -> None:
        """Nothing is known without tracing."""


_EFFECT = EffectOp()


def without_effects(program: Program) -> Program:
    """Returns the Program that only computes its outputs, in branches and loops too.

    Raises:
        ProgramError: a call checks what the outputs rely on.
    """
    calls = []
    for call in program.calls:
        if call.op.has_programs:
            key = tuple([_quiet(attribute) for attribute in call.key])
            call = dataclasses.replace(call, key=key)
        if not call.op.has_effect:
            calls.append(call)
        elif getattr(call.key, "is_needed_in_files", False):
            raise ProgramError(
                f"the list that grows at {call.key.where} in a loop whose number of turns "
                "depends on tensors",
                expected="in a file, lists whose length follows from shapes",
                fix="loop over range(n) of a known n, and mask the turns that do not count",
            )
    inputs, captures = program.inputs, program.captures
    return prune(Program(inputs, captures, program.constants, calls, program.outputs))


def _quiet(attribute: Any) -> Any:
    if not isinstance(attribute, SubProgram):
        return attribute
    return SubProgram(without_effects(attribute.program), attribute.sizes)


def record_effect(effect: Effect, tensors: Sequence[Tensor]) -> None:
    """Records that a Program does something with values, in a branch too.

    Args:
        effect: called with NumPy arrays.
        tensors: whose values it gets.
    """
    values = [t if context.recorder is not None else new_tensor(t._data) for t in tensors]
    dispatch(_EFFECT, tuple(values), effect)
