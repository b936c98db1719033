from __future__ import annotations

import json

import numpy as np
import pytest

import proa
from proa.core import ArtifactError
from proa.program import (
    Value,
    make_dimension,
    program_from_dict,
    program_to_dict,
    record_cond,
    recording,
    verify,
)


def make(fn, *shapes):
    with recording() as recorder:
        inputs = [recorder.add_input(s, np.float32, f"x{i}") for i, s in enumerate(shapes)]
        return recorder.finish([fn(*inputs)])[0]


FUNCTIONS = [
    lambda x: proa.nn.functional.softmax(proa.reshape(x, [-1, 2]) * 0.5, axis=-1),
    lambda x: x[:, 1:3].astype("bfloat16").astype("float64"),
    lambda x: proa.concat([x, x + 1], axis=0).mean(axis=[0, 1]),
    lambda x: proa.to_tensor([1.0, 2.0, 3.0, 4.0]) * x,
]


@pytest.mark.parametrize("fn", FUNCTIONS)
def test_a_program_survives_as_json(fn):
    program = make(fn, (make_dimension("batch"), 4))
    data, arrays = program_to_dict(program)
    again = verify(program_from_dict(json.loads(json.dumps(data)), arrays))
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(again.function()(x)[0], program.function()(x)[0])
    assert again.outputs[0].shape == program.outputs[0].shape


def test_a_training_program_survives_too():
    def slope(x):
        x.stop_gradient = False
        return proa.grad(proa.tanh(x).sum(), x)[0]

    program = make(slope, (3,))
    again = program_from_dict(*program_to_dict(program))
    x = np.float32([0.0, 0.5, 1.0])
    np.testing.assert_allclose(again.function()(x)[0], 1 - np.tanh(x) ** 2, rtol=1e-5)


def test_unknown_ops_are_all_named():
    data, arrays = program_to_dict(make(lambda x: proa.exp(x) + 1, (2,)))
    data["calls"][0]["op"], data["calls"][1]["op"] = "futurise", "modernise"
    with pytest.raises(ArtifactError, match=r"futurise \(first in call 0\), modernise"):
        program_from_dict(data, arrays)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"schema": 99}, "schema 99"),
        ({"outputs": [1000]}, "cannot be read"),
        ({"inputs": None}, "cannot be read"),
    ],
)
def test_malformed_programs_are_refused(change, match):
    data, arrays = program_to_dict(make(lambda x: proa.exp(x), (2,)))
    with pytest.raises(ArtifactError, match=match):
        program_from_dict({**data, **change}, arrays)


def test_attributes_that_no_file_can_hold_are_refused():
    program = make(lambda x: proa.exp(x), (2,))
    object.__setattr__(program.calls[0], "key", (None, (object(),)))
    with pytest.raises(ArtifactError, match="cannot be written to a file"):
        program_to_dict(program)


def test_constants_inside_a_branch_are_kept():
    def fn(x):
        return record_cond(x.sum() > 0, lambda: [x + 1.0], lambda: [x - 1.0])[0]

    program = make(fn, (3,))
    inner = program.calls[-1].key[0].program
    inner.constants[Value((), np.dtype("float32"))] = np.array(2.5, np.float32)
    narrow = np.array([1.5, -2.0], "bfloat16")
    inner.constants[Value((2,), narrow.dtype)] = narrow
    data, arrays = program_to_dict(program)
    again = verify(program_from_dict(json.loads(json.dumps(data)), arrays))
    held = list(again.calls[-1].key[0].program.constants.values())
    assert [a.tolist() for a in held] == [2.5, [1.5, -2.0]]
    assert str(held[1].dtype) == "bfloat16"
