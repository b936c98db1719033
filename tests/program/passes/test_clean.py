from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa.program import Printing, record_cond, record_effect, recording, verify
from proa.program.passes import (
    apply_passes,
    bind,
    common_subexpressions,
    dead_code,
    identity_and_dropout_removal,
)
from tests.program.passes.programs import bound, normal, ops, record, run, same


def test_dead_code_goes_in_branches_too():
    def fn(x):
        a, b = record_cond(
            x.sum() > 0, lambda: [x + 1, proa.exp(x)], lambda: [x - 1, proa.sin(proa.cos(x))]
        )
        return a

    before, arrays = record(fn, (3,))
    before = bind(before, arrays)
    after, notes = dead_code(before)
    verify(after)
    assert notes["results of a branch or region dropped"] == 1
    inner = [e.program for e in after.calls[-1].key]
    assert [ops(p) for p in inner] == [["add"], ["subtract"]]
    for x in (normal(3) + 5, normal(3) - 5):
        same(before, after, x)
    assert dead_code(after) == (after, {})


def test_inputs_that_no_branch_reads_are_dropped():
    def fn(x, y):
        a, b = record_cond(x.sum() > 0, lambda: [x + 1, y], lambda: [x - 1, y * 2])
        return a

    before, _ = record(fn, (3,), (3,))
    after = verify(dead_code(before)[0])
    (call,) = [c for c in after.calls if c.op.name == "if_else"]
    assert before.inputs[1] not in call.inputs
    same(before, after, normal(3), normal(3))


def test_what_is_computed_twice_is_computed_once():
    before = bound(lambda x: proa.exp(x + 1) * proa.exp(x + 1) + proa.exp(x + 2), (3,))
    after, notes = common_subexpressions(before)
    assert ops(after) == ["add", "exp", "multiply", "add", "exp", "add"]
    assert notes == {"equal constants merged": 1, "calls merged": 2}
    same(before, after, normal(3))
    assert common_subexpressions(after) == (after, {})


def test_random_numbers_and_effects_are_never_merged():
    def fn(x):
        for _ in range(2):
            record_effect(Printing(["seen", None]), [x])
        kept = F.dropout(x, 0.5) + F.dropout(x, 0.5)
        return kept

    program, arrays = record(fn, (64,))
    before = bind(program, arrays)
    # The same key twice: still two draws.
    first, second = [c for c in before.calls if c.op.name == "drop"]
    calls = [
        c if c is not second else type(c)(c.op, first.inputs, c.key, c.outputs, c.is_tuple)
        for c in before.calls
    ]
    before.calls = calls
    after, _ = common_subexpressions(before)
    assert ops(after).count("drop") == 2
    assert ops(after).count("effect") == 2


@pytest.mark.parametrize(
    ("fn", "left"),
    [
        (lambda x: proa.cast(x, "float32") + 1, ["add"]),
        (lambda x: proa.cast(proa.cast(x, "float64"), "float32"), []),
        (lambda x: proa.cast(proa.cast(x, "float16"), "float32"), ["cast", "cast"]),
        (lambda x: x.reshape([2, 3, 4]) * 1.0, []),
        (lambda x: proa.reshape(proa.flatten(x), [-1, 3, 4]), []),
        (lambda x: proa.reshape(proa.flatten(x), [6, 4]), ["reshape"]),
        (lambda x: x.transpose([1, 0, 2]).transpose([1, 0, 2]), []),
        (lambda x: x.transpose([1, 0, 2]).transpose([2, 1, 0]), ["transpose"]),
        (lambda x: x.transpose([0, 1, -1]), []),
        (lambda x: proa.assign(x.clone()) / 1.0 - 0.0, []),
        (lambda x: proa.scale(x, 1.0, 0.0), []),
        (lambda x: proa.scale(x, 1.0, 0.5), ["scale"]),
        (lambda x: proa.concat([x]), []),
        (lambda x: proa.tile(x, [1, 1, 1]), []),
        (lambda x: proa.expand(x, [2, 3, 4]), []),
        (lambda x: proa.expand(x, [5, 2, 3, 4]), ["expand"]),
        (lambda x: proa.multiply(x, proa.ones([3, 1])), ["multiply"]),
        (lambda x: proa.unsqueeze(proa.squeeze(x.unsqueeze(1), 1), 0), ["reshape"]),
    ],
)
def test_what_changes_nothing_goes(fn, left):
    before = bound(fn, (2, 3, 4))
    after = verify(identity_and_dropout_removal(before)[0])
    assert [name for name in ops(after) if name not in ("ones", "full")] == left
    assert identity_and_dropout_removal(after) == (after, {})
    x = normal(2, 3, 4)
    np.testing.assert_array_equal(run(after, x)[0], run(before, x)[0])


def test_reshapes_of_unknown_sizes_are_joined():
    before = bound(lambda x: x.reshape([-1, 12]).reshape([0, 3, 4]), ("batch", 3, 4))
    after, notes = identity_and_dropout_removal(before)
    assert (ops(after), notes) == ([], {"reshapes that undo each other": 1})
    before = bound(lambda x: x.reshape([-1, 12]).reshape([0, 4, 3]), ("batch", 3, 4))
    after = verify(identity_and_dropout_removal(before)[0])
    assert ops(after) == ["reshape"]
    same(before, after, normal(5, 3, 4))


def test_dropout_goes_at_inference_only():
    def fn(x):
        y = F.dropout(x, 0.5) + F.dropout(x, 0.25, mode="downscale_in_infer")
        q = x.reshape([1, 2, 1, 4])
        z = F.scaled_dot_product_attention(q, q, q, dropout_p=0.3).reshape([8])
        return y + z + F.alpha_dropout(x, 0.5)

    program, arrays = record(fn, (8,))
    before = bind(program, arrays)
    for inference in (False, True):
        after, _ = apply_passes(
            before, [("identity_and_dropout_removal", {"inference": inference})]
        )
        drawn = {"drop", "alpha_drop", "attention_dropout"} & {*ops(after)}
        assert bool(drawn) != inference
    x = normal(8)
    q = proa.to_tensor(x).reshape([1, 2, 1, 4])
    expected = x * 2.75 + F.scaled_dot_product_attention(q, q, q).reshape([8]).numpy()
    np.testing.assert_allclose(run(after, x)[0], expected, rtol=1e-5)


def test_gradients_end_where_they_did():
    def fn(x):
        return proa.assign(x.detach()) * x

    with recording(as_taped=True) as recorder:
        x = recorder.add_input((3,), np.float32, "x")
        x.stop_gradient = False
        program, _ = recorder.finish([fn(x)])
    after = identity_and_dropout_removal(program)[0]
    assert [c.flows for c in after.calls if c.op.name == "multiply"] == [(False, True)]


def test_a_program_with_gradients_keeps_its_results():
    net = proa.nn.Linear(3, 3)

    def fn(x):
        x.stop_gradient = False
        y = proa.assign(net(x)).reshape([-1, 3]) * 1.0
        loss = (proa.exp(y) * proa.exp(y)).sum()
        (gx,) = proa.grad(loss, [x])
        return loss, gx

    with recording() as recorder:
        x = recorder.add_input((2, 3), np.float32, "x")
        program, state = recorder.finish(list(fn(x)))
    before = bind(program, [t.numpy() for t in state.captures])
    after, report = apply_passes(before, "clean")
    assert len(after.calls) < len(before.calls)
    same(before, after, normal(2, 3))
    assert all(s.notes == {} for s in apply_passes(after, "clean")[1].steps)
