from __future__ import annotations

import numpy as np

import proa
from proa.program import verify
from proa.program.passes._twins import Twins
from tests.program.passes.programs import bound, normal, ops, same


def twins(program):
    """Values and their negatives."""
    return Twins(
        program,
        lambda builder, value: builder.call("negative", value),
        lambda builder, value, twin: builder.call("negative", twin),
    )


def test_a_form_is_made_once_and_where_it_is_needed():
    program = bound(lambda x: proa.exp(x) + proa.sin(x), (3,))
    made = twins(program)
    exp, sin, add = program.calls
    assert not made.has(program.inputs[0])
    first = made.twin(program.inputs[0])
    assert made.twin(program.inputs[0]) is first
    made.keep(exp)
    # Odd: the sine of the negative is the negative of the sine.
    made.set(sin.outputs[0], made.builder.call("sin", first))
    made.keep(add)
    after = verify(made.finish())
    assert ops(after) == ["negative", "exp", "sin", "negative", "add"]
    same(program, after, normal(3))


def test_outputs_have_the_form_that_they_had():
    program = bound(proa.sin, (3,))
    made = twins(program)
    (call,) = program.calls
    made.set(call.outputs[0], made.builder.call("sin", made.twin(program.inputs[0])))
    same(program, verify(made.finish()), np.arange(3, dtype=np.float32))


def test_nothing_changed_is_the_same_program():
    program = bound(proa.sin, (3,))
    made = twins(program)
    made.keep(program.calls[0])
    assert made.finish() is program
