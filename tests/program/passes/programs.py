from __future__ import annotations

import jax
import numpy as np

import proa
from proa.program import make_dimension, recording
from proa.program.passes import bind, lift_constants


def record(fn, *specs):
    """Records a function of tensors: specs are shapes, or pairs of a shape and a dtype."""
    with proa.no_grad(), recording() as recorder:
        inputs = []
        for i, spec in enumerate(specs):
            shape, dtype = spec if isinstance(spec[0], tuple) else (spec, "float32")
            shape = [make_dimension(e) if isinstance(e, str) else e for e in shape]
            inputs.append(recorder.add_input(shape, np.dtype(dtype), f"x{i}"))
        out = fn(*inputs)
        program, state = recorder.finish(list(out) if isinstance(out, tuple) else [out])
    return program, [t.numpy() for t in state.captures]


def bound(fn, *specs):
    program, arrays = record(fn, *specs)
    return bind(program, arrays)


def ops(program):
    return [call.op.name for call in program.calls]


def run(program, *arrays):
    """Runs a Program; constants are arguments, since XLA takes its time over those it embeds."""
    lifted, constants = lift_constants(program, larger_than=0)
    return [np.asarray(o) for o in jax.jit(lifted.function())(*arrays, *constants.values())]


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def same(before, after, *arrays, rtol=1e-5, atol=1e-6):
    for a, b in zip(run(before, *arrays), run(after, *arrays), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)
