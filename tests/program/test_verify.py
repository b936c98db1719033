from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import proa
from proa.core import ProgramError
from proa.program import Program, Value, recording, verify


@pytest.fixture
def program():
    with recording() as recorder:
        x = recorder.add_input((2, 2), np.float32, "x")
        made, _ = recorder.finish([proa.exp(proa.matmul(x, x)) + 1.0])
    return made


def test_a_recorded_program_keeps_the_grammar(program):
    assert verify(program) is program


def broken(program: Program, **changes) -> Program:
    fields = ("inputs", "captures", "constants", "calls", "outputs")
    return Program(**{**{f: getattr(program, f) for f in fields}, **changes})


def test_calls_in_the_wrong_order_are_found(program):
    with pytest.raises(ProgramError, match="used before it is defined"):
        verify(broken(program, calls=program.calls[::-1]))


def test_a_value_defined_twice_is_found(program):
    with pytest.raises(ProgramError, match="defined twice"):
        verify(broken(program, calls=[*program.calls, program.calls[-1]]))


def test_an_undefined_output_is_found(program):
    with pytest.raises(ProgramError, match="never defined"):
        verify(broken(program, outputs=[Value((2,), np.float32)]))


def test_wrong_shapes_and_dtypes_are_found(program):
    call = program.calls[0]
    wrong = replace(call, outputs=(Value((3, 3), np.float32),))
    with pytest.raises(ProgramError, match="as the op infers"):
        verify(broken(program, calls=[wrong]))


def test_wrong_attributes_and_inputs_are_found(program):
    call = program.calls[0]
    with pytest.raises(ProgramError, match="attributes"):
        verify(broken(program, calls=[replace(call, key=(None, (1, 2, 3, 4)))]))
    with pytest.raises(ProgramError, match="3 inputs"):
        verify(broken(program, calls=[replace(call, inputs=call.inputs + call.inputs[:1])]))


def test_a_constant_that_is_not_as_declared_is_found(program):
    ((value, _),) = program.constants.items()
    with pytest.raises(ProgramError, match="constant"):
        verify(broken(program, constants={value: np.zeros((5,), np.float32)}))
