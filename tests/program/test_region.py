from __future__ import annotations

import jax
import numpy as np

import proa
from proa.program import RECOMPUTED, program_from_dict, program_to_dict, verify
from proa.program.passes._fuse import make_region
from proa.program.passes._rewrite import Builder
from tests.program.passes.programs import bound, normal, run


def wrapped(kind):
    program = bound(lambda x: proa.exp(proa.sin(x)) * 2.0, ("n", 2))
    builder = Builder(program)
    made = make_region(builder, program.calls[:2], program.calls[1].outputs, kind, "wave")
    builder.renamed.update(zip(program.calls[1].outputs, made, strict=True))
    builder.keep(program.calls[2])
    return program, verify(builder.finish())


def test_a_region_computes_what_its_calls_do():
    before, after = wrapped("fused")
    assert [c.op.name for c in after.calls] == ["region", "multiply"]
    x = normal(3, 2)
    np.testing.assert_array_equal(run(after, x)[0], run(before, x)[0])
    data, arrays = program_to_dict(after)
    again = program_from_dict(data, arrays)
    np.testing.assert_array_equal(run(again, x)[0], run(before, x)[0])


def test_a_recomputed_region_keeps_only_its_inputs_for_the_gradient():
    before, after = wrapped(RECOMPUTED)
    x = normal(3, 2)

    def kept(program):
        fn = program.function()
        _, pull = jax.vjp(lambda a: fn(a)[0], x)
        (gradient,) = pull(np.ones((3, 2), np.float32))
        return gradient, len(jax.tree_util.tree_leaves(pull))

    (expected, many), (gradient, few) = kept(before), kept(after)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6)
    assert few < many
