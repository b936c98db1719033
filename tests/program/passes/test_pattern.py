from __future__ import annotations

import numpy as np

import proa
from proa.program import recording
from proa.program.passes._pattern import either, find, leaf, node, rewrite, scalar, weight
from proa.program.passes._rewrite import Graph, attribute
from tests.program.passes.programs import bound, normal, ops, same


def found(fn, pattern, *shapes):
    program = bound(fn, *(shapes or [(3,)]))
    return find(Graph.of(program), pattern, program.calls[-1])


def test_a_name_means_the_same_value_each_time():
    square = node("multiply", x=leaf("x"), y=leaf("x"))
    assert found(lambda x: x * x, square) is not None
    assert found(lambda x, y: x * y, square, (3,), (3,)) is None


def test_commutative_inputs_fit_either_way():
    pattern = node("add", x=node("exp", name="exp", x=leaf("x")), y=scalar("number"))
    for fn in (lambda x: proa.exp(x) + 2.0, lambda x: 2.0 + proa.exp(x)):
        match = found(fn, pattern)
        assert match is not None
        assert match.found["exp"].op.name == "exp"
    minus = node("subtract", x=node("exp", x=leaf("x")), y=leaf("y"))
    assert found(lambda x: proa.exp(x) - x, minus) is not None
    assert found(lambda x: x - proa.exp(x), minus) is None


def test_alternatives_conditions_and_absent_inputs():
    pattern = node(("relu", "tanh"), x=either(node("exp", x=leaf("x")), leaf("x")))
    match = found(lambda x: proa.tanh(proa.exp(x)), pattern)
    assert [c.op.name for c in match.calls] == ["tanh", "exp"]
    first = node("softmax", when=lambda call: attribute(call, "axis") == 0, x=leaf("x"))
    assert found(lambda x: proa.nn.functional.softmax(x, 0), first) is not None
    assert found(lambda x: proa.nn.functional.softmax(x), first) is None
    bare = node("layer_norm", x=leaf("x"), absent=("weight",))
    assert found(lambda x: proa.nn.functional.layer_norm(x, 3), bare) is not None
    gamma = proa.ones([3]).detach()
    assert found(lambda x: proa.nn.functional.layer_norm(x, 3, gamma), bare) is None
    assert found(lambda x: x * gamma, node("multiply", x=leaf("x"), y=weight("w"))) is not None


def test_what_others_read_does_not_fit_unless_it_is_shared():
    def fn(x):
        y = proa.exp(x)
        return y, y + x

    inner = node("exp", x=leaf("x"))
    assert found(fn, node("add", x=inner, y=leaf("x"))) is None
    shared = node("exp", x=leaf("x"), shared=True)
    assert found(fn, node("add", x=shared, y=leaf("x"))) is not None


def test_gradients_that_end_on_the_way_do_not_fit():
    pattern = node("sin", x=node("exp", x=leaf("x")))
    for detach in (False, True):
        with recording(as_taped=True) as recorder:
            x = recorder.add_input((3,), np.float32, "x")
            x.stop_gradient = False
            y = proa.exp(x)
            program, _ = recorder.finish([proa.sin(y.detach() if detach else y)])
        assert (find(Graph.of(program), pattern, program.calls[-1]) is None) == detach


def test_matches_are_replaced_until_none_is_left():
    def fn(x):
        for _ in range(3):
            x = proa.exp(proa.log(x))
        return x

    before = bound(fn, (3,))
    pattern = node("exp", x=node("log", x=leaf("x")))
    after, done = rewrite(before, [(pattern, lambda b, m, g: b.now(m.values["x"]))])
    assert (ops(after), done) == ([], 3)
    same(before, after, np.abs(normal(3)) + 1)
    assert rewrite(after, [(pattern, lambda b, m, g: None)]) == (after, 0)


def test_a_replacement_may_decline():
    before = bound(lambda x: proa.exp(proa.log(x)), (3,))
    pattern = node("exp", x=node("log", x=leaf("x")))

    def decline(builder, match, graph):
        builder.call("sin", builder.now(match.values["x"]))

    assert rewrite(before, [(pattern, decline)]) == (before, 0)
