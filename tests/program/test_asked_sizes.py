"""Questions about unknown sizes: answered at run time, or refused; never answered wrongly."""

from __future__ import annotations

import math

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa.core import ProgramError
from proa.program import may_be_equal
from proa.program._dims import make_dimension
from proa.static import InputSpec

SPEC = InputSpec([None, 3], "float32", "x")


def equal(x):
    one = x.shape[0] == 1
    return x * 2 if one else x * 3


def unequal(x):
    if x.shape[0] != 4:
        return x * 2
    return x * 3


def among(x):
    return x * (2.0 if x.shape[0] in (1, 4) else 3.0)


def not_among(x):
    return x * (2.0 if x.shape[0] not in [4] else 3.0)


def shapes(x):
    return x * (2.0 if x.shape == [1, 3] else 3.0)


def other_shapes(x):
    return x * 2 if tuple(x.shape) != (4, 3) else x * 3


def with_another_question(x):
    if x.sum() > -100:
        x = x + 1
    return x * 2 if x.shape[0] == 1 else x * 3


def counted(x):
    return x * (x.shape[0] / 2) + 6 / x.shape[0] + x.shape[0] ** 0.5


def as_float(x):
    return x * float(x.shape[0])


def made(x):
    return x + proa.full([x.shape[0], 1], x.shape[0]) + proa.arange(x.shape[0]).unsqueeze(-1)


def chained(x):
    return x * 2 if 1 < x.shape[0] < 4 else x * 3


FUNCTIONS = [
    *(equal, unequal, among, not_among, shapes, other_shapes, with_another_question),
    *(counted, as_float, made, chained),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_all_ways_agree_for_all_sizes(function, tmp_path):
    loaded = proa.jit.load(proa.jit.save(function, tmp_path / "f", [SPEC]))
    compiled = proa.jit.to_static(function, input_spec=[SPEC], full_graph=True)
    for rows in (1, 2, 4):
        x = proa.to_tensor(np.arange(3.0 * rows, dtype="float32").reshape(rows, 3))
        for other in (loaded, compiled):
            np.testing.assert_allclose(other(x).numpy(), function(x).numpy(), rtol=1e-6)


WIDE = InputSpec([None, None], "float32", "x")
ATTRIBUTES = {
    "sequence_mask": lambda x, n: F.sequence_mask(n, x.shape[1]).astype("float32") * x,
    "one_hot": lambda x, n: F.one_hot(n % x.shape[1], x.shape[1]) * x,
    "pad": lambda x, n: F.pad(x.unsqueeze(0), [0, x.shape[1]], data_format="NCL")[0],
    "tile": lambda x, n: proa.tile(n.unsqueeze(-1), [1, x.shape[1]]) * x,
    "expand": lambda x, n: proa.expand(n.unsqueeze(-1), [x.shape[0], x.shape[1]]) * x,
    "roll": lambda x, n: proa.roll(x, x.shape[1] // 2, 1),
    "triu": lambda x, n: proa.triu(x, x.shape[1] // 2),
    "linspace": lambda x, n: proa.linspace(0, 1, x.shape[1]) + x,
    "clip": lambda x, n: proa.clip(x, max=x.shape[1]),
    "topk": lambda x, n: proa.topk(x, x.shape[1] // 2 + 1, axis=1)[0],
    "interpolate": lambda x, n: F.interpolate(x[None, None], size=[x.shape[0] * 2, x.shape[1]]),
}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_ops_take_unknown_sizes(name, tmp_path):
    function = ATTRIBUTES[name]
    specs = [WIDE, InputSpec([None], "int64", "n")]
    loaded = proa.jit.load(proa.jit.save(function, tmp_path / "f", specs))
    for rows, columns in ((1, 1), (2, 3), (3, 5)):
        x = proa.to_tensor(np.cos(np.arange(rows * columns, dtype="float32")))
        x, n = x.reshape([rows, columns]), proa.arange(rows)
        expected = function(x, n).numpy()
        np.testing.assert_allclose(loaded(x, n).numpy(), expected, rtol=1e-6, atol=1e-6)


REFUSED = {
    "a key": lambda x: x * {1: 2.0}.get(x.shape[0], 3.0),
    "an entry": lambda x: x * {1: 2.0, 4: 3.0}[x.shape[0]],
    "a set": lambda x: x * len({x.shape[0], 1}),
    "a function of Python": lambda x: x * math.sqrt(x.shape[0]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_has_no_answer_is_refused(what, tmp_path):
    with pytest.raises(ProgramError, match="test_asked_sizes.py:"):
        proa.jit.save(REFUSED[what], tmp_path / "f", [SPEC])


def test_code_that_is_left_alone_is_not_answered_wrongly(tmp_path):
    @proa.jit.not_to_static
    def inner(x):
        return x * 2 if x.shape[0] == 1 else x * 3

    with pytest.raises(ProgramError, match=r"asks what depends on an unknown size(.|\n)*InputSpec"):
        proa.jit.save(lambda x: inner(x), tmp_path / "f", [SPEC])


QUESTIONS = {
    "==": lambda x: x.shape[0] == 1,
    "!=": lambda x: x.shape[0] != 1,
    ">": lambda x: x.shape[0] > 2,
    "in": lambda x: x.shape[0] in (1, 2),
    "whole": lambda x: x.shape == [1, 3],
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_static_programs_refuse_to_answer(name):
    program = proa.static.Program()
    with proa.static.program_guard(program):
        x = proa.static.data("x", [None, 3])
        with pytest.raises(ProgramError, match=r"test_asked_sizes.py:\d+ asks(.|\n)*cond"):
            QUESTIONS[name](x)
        assert x.shape[0] > 0
        assert x.shape[1] == 3


def test_equality_of_sizes():
    a, b = make_dimension("a"), make_dimension("b")
    assert may_be_equal(a, b) is None
    assert may_be_equal(a, 1) is None
    assert may_be_equal(a, a) is True
    assert may_be_equal(a, a + 1) is False
    assert may_be_equal(2, 2) is True
    # Outside of a recording nobody decides anything with them.
    assert (a == b, a != b, a in {a, b}) == (False, True, True)
