from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, ProgramError, UnknownNameError
from proa.program.passes import (
    PIPELINES,
    Pass,
    all_passes,
    apply_passes,
    dead_code,
    get_pass,
    register_pass,
)
from proa.program.passes._pass import largest, short_number
from tests.program.passes.programs import bound, normal, ops, record, run


def program():
    return bound(lambda x: proa.assign(proa.exp(x)) + proa.exp(x), (2, 3))


def test_a_list_of_passes_is_applied_in_order_and_reported():
    before = program()
    after, report = apply_passes(before, ["identity_and_dropout_removal", "common_subexpressions"])
    assert ops(before) == ["exp", "assign", "exp", "add"]
    assert ops(after) == ["exp", "add"]
    assert [(s.name, s.before.ops, s.after.ops) for s in report.steps] == [
        ("identity_and_dropout_removal", 4, 3),
        ("common_subexpressions", 3, 2),
    ]
    assert report.changed
    assert report.steps[1].notes == {"calls merged": 1}
    text = report.table()
    assert text.splitlines()[0].split()[:4] == ["pass", "ops", "FLOPs", "bytes"]
    assert "4 -> 3" in text
    assert "calls merged x1" in text
    assert str(report) == text


def test_passes_may_be_named_by_pipeline_by_pass_or_with_options():
    before = program()
    for passes in ("clean", "identity_and_dropout_removal", [get_pass("dead_code")]):
        apply_passes(before, passes)
    assert get_pass("dead_code")(before) is before
    _, report = apply_passes(before, ["clean", "layout_nhwc"])
    assert [s.name for s in report.steps] == [*PIPELINES["clean"], "layout_nhwc"]
    _, report = apply_passes(before, [("constant_folding", {"largest": 0})])
    assert [s.notes for s in report.steps] == [{}]
    for names in PIPELINES.values():
        assert {n if isinstance(n, str) else n[0] for n in names} <= {*all_passes()}


def test_samples_give_the_largest_difference():
    _, report = apply_passes(program(), "clean", samples=[[normal(2, 3)]])
    assert [s.difference for s in report.steps] == [0.0] * len(PIPELINES["clean"])
    assert "difference" in report.table()

    def spoil(p):
        return replace(p, outputs=[p.calls[0].outputs[0]]), {"spoilt": 1}

    _, report = apply_passes(program(), [Pass("spoil", spoil, "")], samples=[[normal(2, 3)]])
    assert report.steps[0].difference == pytest.approx(0.5)
    nan, one = np.array([np.nan, 1.0]), np.array([np.nan, 2.0])
    assert largest([[nan]], [[one]]) == 0.5
    assert largest([[one[1:]]], [[nan[:1]]]) == np.inf


def test_costs_are_stated_for_sizes_of_unknown_dimensions():
    before, _ = record(lambda x: x + 1.0, ("batch", "length"))
    _, report = apply_passes(before, "dead_code")
    assert report.sizes == {"batch": 1, "length": 64}
    _, report = apply_passes(before, "dead_code", sizes={"batch": 8, "length": 2})
    assert report.steps[0].after.flops == 16
    assert "batch = 8, length = 2" in report.table()


def drop_call(p):
    return replace(p, calls=p.calls[1:]), {}


def other_shape(p):
    return replace(p, outputs=[*p.outputs, p.outputs[0]]), {}


def other_input(p):
    return replace(p, inputs=[*p.inputs, *record(lambda x: x, (1,))[0].inputs]), {}


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (drop_call, "is used before it is defined"),
        (other_shape, "its outputs are"),
        (other_input, "its inputs are"),
    ],
)
def test_a_pass_that_breaks_a_program_is_named(function, what):
    with pytest.raises(ProgramError, match=f"pass 'breaker' broke the Program: .*{what}"):
        apply_passes(program(), [dead_code_pass(), Pass("breaker", function, "")])


def dead_code_pass():
    return Pass("mine", dead_code, "")


def test_names_are_unique_and_known():
    with pytest.raises(InvalidArgumentError, match="'dead_code' is registered twice"):
        register_pass("dead_code")
    with pytest.raises(InvalidArgumentError, match="'clean' is registered twice"):
        register_pass("clean")
    with pytest.raises(UnknownNameError, match="no pass 'conv_bn'.*\n.*conv_batch_norm_folding"):
        apply_passes(program(), ["conv_bn"])
    assert get_pass("dead_code").summary.startswith("Drops calls")


def test_the_program_that_was_given_stays():
    before = program()
    calls, constants = list(before.calls), dict(before.constants)
    apply_passes(before, "inference")
    assert before.calls == calls
    assert before.constants == constants
    np.testing.assert_allclose(run(before, normal(2, 3))[0], 2 * np.exp(normal(2, 3)), rtol=1e-6)


def test_numbers_are_short():
    assert [short_number(n) for n in (0, 999, 1500, 2.5e9, 3e15)] == [
        *("0", "999", "1.5 k", "2.5 G", "3 P")
    ]
