from __future__ import annotations

import jax
import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa.core import InvalidArgumentError
from proa.program import Cost, call_cost, cost, default_sizes, record_cond, recording
from tests.program.passes.programs import bound, record


@pytest.mark.parametrize(
    ("fn", "shapes", "flops"),
    [
        (lambda x, w: F.conv2d(x, w, padding=1), [(2, 3, 8, 8), (4, 3, 3, 3)], 2 * 512 * 27),
        (lambda x, w: F.conv2d(x, w, groups=4), [(1, 4, 3, 3), (4, 1, 3, 3)], 2 * 4 * 9),
        (lambda x, w: F.conv2d_transpose(x, w), [(1, 3, 4, 4), (3, 5, 2, 2)], 2 * 48 * 20),
        (lambda x, w: F.linear(x, w), [(2, 5, 3), (3, 4)], 2 * 40 * 3),
        (lambda x, y: proa.matmul(x, y, transpose_x=True), [(3, 2), (3, 4)], 2 * 8 * 3),
        (lambda x, y: proa.einsum("bij,bjk->bik", x, y), [(2, 3, 4), (2, 4, 5)], 2 * 120),
        (lambda x, y: proa.einsum("...ij,...jk", x, y), [(2, 3, 4), (2, 4, 5)], 2 * 120),
        (lambda x, y: proa.addmm(x, y, y), [(3, 3), (3, 3)], 9 * (2 * 3 + 2)),
        (
            lambda q, v: F.scaled_dot_product_attention(q, v, v),
            [(1, 5, 2, 4), (1, 6, 2, 4)],
            60 * 21,
        ),
        (lambda x: F.max_pool2d(x, 2), [(1, 3, 4, 4)], 12 * 4),
        (lambda x: F.adaptive_avg_pool2d(x, 1), [(1, 3, 4, 4)], 48),
        (lambda x: F.softmax(x), [(2, 3)], 30),
        (lambda x: proa.sum(x, axis=0), [(2, 3)], 6),
        (lambda x: x + 1.0, [(2, 3)], 6),
        (lambda x: proa.sort(x), [(4, 4)], 64),
        (lambda x: proa.transpose(x, [1, 0]).reshape([3, 2]), [(2, 3)], 0),
    ],
)
def test_flops_by_family(fn, shapes, flops):
    assert cost(bound(fn, *shapes)).flops == flops


def test_bytes_are_what_calls_read_and_write():
    program = bound(lambda x: proa.exp(x).reshape([-1]).astype("float64"), (2, 3))
    exp, reshape, cast = [call_cost(call, {}).bytes for call in program.calls]
    assert (exp, reshape, cast) == (48, 0, 24 + 48)
    program = bound(lambda x: x * x, (2, 3))
    assert cost(program) == Cost(ops=1, flops=6, bytes=48, weights=0)


def test_recurrent_layers_count_every_step():
    net = proa.nn.LSTM(3, 4)
    program, _ = record(lambda x: net(x)[0], ("batch", "length", 3))
    steps, products = 2 * 5, 16 * 3 + 16 * 4
    made = cost(program, {"batch": 2, "length": 5})
    (call,) = [c for c in program.calls if c.op.name == "recurrent"]
    assert call_cost(call, {"batch": 2, "length": 5}).flops == steps * (2 * products + 3 * 16)
    assert made.weights == sum(4 * t.size for t in net.parameters()) + 8


def test_a_branch_costs_its_dearer_side():
    def fn(x):
        return record_cond(x.sum() > 0, lambda: [x + 1.0], lambda: [proa.matmul(x, x)])[0]

    program, _ = record(fn, (4, 4))
    (call,) = [c for c in program.calls if c.op.name == "if_else"]
    made = call_cost(call, {})
    assert (made.ops, made.flops) == (3, 128)


def test_gradients_cost_their_function_per_input():
    def fn(x, w):
        x.stop_gradient = w.stop_gradient = False
        return tuple(proa.grad(proa.matmul(x, w).sum(), [x, w]))

    with recording() as recorder:
        x, w = [recorder.add_input(s, np.float32, n) for s, n in (((2, 3), "x"), ((3, 4), "w"))]
        program, _ = recorder.finish(list(fn(x, w)))
    (call,) = [c for c in program.calls if c.op.name == "matmul_grad"]
    assert call_cost(call, {}).flops == 2 * 48


def test_unknown_sizes_are_assumed_or_given():
    program = bound(lambda x: x + 1.0, ("batch", 3, "width"))
    assert default_sizes(program) == {"batch": 1, "width": 64}
    assert cost(program).flops == 192
    assert cost(program, {"width": 2}).flops == 6
    for wrong in (0, -1, 2.5, "8"):
        with pytest.raises(InvalidArgumentError, match=f"dimension 'batch' is {wrong!r}"):
            cost(program, {"batch": wrong})


def test_the_whole_is_near_what_xla_counts():
    # XLA counts nothing for a kernel of ours.
    proa.set_flags({"FLAGS_native_kernels": False})
    try:
        _compare_with_xla()
    finally:
        proa.set_flags({"FLAGS_native_kernels": True})


def _compare_with_xla():
    net = proa.nn.Sequential(
        proa.nn.Conv2D(3, 8, 3), proa.nn.ReLU(), proa.nn.Flatten(), proa.nn.Linear(288, 10)
    )
    program, _ = record(net, (2, 3, 8, 8))
    given = [*program.inputs, *program.captures]
    structs = [jax.ShapeDtypeStruct(v.shape, v.dtype) for v in given]
    counted = jax.jit(program.function()).lower(*structs).compile().cost_analysis()["flops"]
    assert cost(program).flops == pytest.approx(counted, rel=0.05)
