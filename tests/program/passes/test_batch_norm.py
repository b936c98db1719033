from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.program import record_cond, verify
from proa.program.passes import apply_passes, bind, conv_batch_norm_folding
from tests.program.passes.programs import bound, normal, ops, record, same

PASSES = ["conv_batch_norm_folding", "constant_folding"]


def with_norm(first, norm):
    """A layer and its batch norm, in evaluation, with statistics of their own."""
    net = proa.nn.Sequential(first, norm)
    net.eval()
    width = norm.weight.shape[0]
    for seed, t in enumerate((norm.weight, norm.bias, norm._mean, norm._variance)):
        t.set_value(np.abs(normal(width, seed=seed)) + 0.5)
    return net


@pytest.mark.parametrize(
    ("net", "shape"),
    [
        (lambda: (proa.nn.Conv2D(3, 4, 3), proa.nn.BatchNorm2D(4)), (2, 3, 5, 5)),
        (
            lambda: (proa.nn.Conv2D(4, 4, 3, groups=4, bias_attr=False), proa.nn.BatchNorm2D(4)),
            (2, 4, 5, 5),
        ),
        (
            lambda: (
                proa.nn.Conv2D(3, 4, 1, data_format="NHWC"),
                proa.nn.BatchNorm2D(4, data_format="NHWC"),
            ),
            (2, 5, 5, 3),
        ),
        (lambda: (proa.nn.Conv1D(3, 4, 3), proa.nn.BatchNorm1D(4)), (2, 3, 5)),
        (
            lambda: (proa.nn.Conv2DTranspose(4, 6, 3, groups=2), proa.nn.BatchNorm2D(6)),
            (2, 4, 3, 3),
        ),
        (
            lambda: (proa.nn.Conv2DTranspose(3, 4, 2, bias_attr=False), proa.nn.BatchNorm2D(4)),
            (2, 3, 3, 3),
        ),
        (lambda: (proa.nn.Linear(3, 4), proa.nn.BatchNorm1D(4)), (5, 3)),
        (
            lambda: (
                proa.nn.Linear(3, 4, bias_attr=False),
                proa.nn.BatchNorm1D(4, data_format="NLC"),
            ),
            (2, 5, 3),
        ),
    ],
)
def test_batch_norm_goes_into_the_weights(net, shape):
    first, norm = net()
    made = with_norm(first, norm)
    program, arrays = record(made, ("batch", *shape[1:]))
    before = bind(program, arrays)
    after, report = apply_passes(before, PASSES)
    assert len(ops(after)) == 1
    assert report.steps[0].notes == {"batch norms folded": 1}
    same(before, after, normal(*shape))
    assert all(not s.notes for s in apply_passes(after, PASSES)[1].steps)


def test_a_norm_over_another_axis_stays():
    norm = proa.nn.BatchNorm1D(5)
    program, arrays = record(with_norm(proa.nn.Linear(3, 4), norm), (2, 5, 3))
    assert ops(conv_batch_norm_folding(bind(program, arrays))[0]) == ["linear", "batch_norm_infer"]


def test_a_convolution_that_others_read_stays():
    conv, norm = proa.nn.Conv2D(3, 4, 1), proa.nn.BatchNorm2D(4)
    norm.eval()

    def fn(x):
        y = conv(x)
        return norm(y), y

    program, arrays = record(fn, (1, 3, 2, 2))
    before = bind(program, arrays)
    assert conv_batch_norm_folding(before) == (before, {})


def test_weights_that_are_not_bound_become_arithmetic():
    program, arrays = record(
        with_norm(proa.nn.Conv2D(3, 4, 1), proa.nn.BatchNorm2D(4)), (2, 3, 4, 4)
    )
    after = verify(conv_batch_norm_folding(program)[0])
    assert ops(after)[-1] == "conv2d"
    assert "batch_norm_infer" not in ops(after)
    same(program, after, normal(2, 3, 4, 4), *arrays)


def test_what_is_no_weight_is_not_folded():
    program, _ = record(
        lambda x, w: proa.nn.functional.conv2d(x, w) * 2.0, (1, 3, 2, 2), (4, 3, 1, 1)
    )
    assert conv_batch_norm_folding(program) == (program, {})


@pytest.mark.parametrize(
    ("fn", "left"),
    [
        (lambda conv, x: conv(x) * 0.5 + 2.0, ["conv2d"]),
        (
            lambda conv, x: conv(x) * proa.full([4, 1, 1], 3.0) + proa.full([1, 4, 1, 1], 1.0),
            ["conv2d"],
        ),
        (lambda conv, x: conv(x) + proa.full([4, 1, 5], 1.0), ["conv2d", "add"]),
        (lambda conv, x: conv(x) + x, ["conv2d", "add"]),
    ],
)
def test_scales_and_biases_per_channel_are_folded(fn, left):
    conv = proa.nn.Conv2D(4, 4, 1)
    program, arrays = record(lambda x: fn(conv, x), (2, 4, 3, 5))
    before, _ = apply_passes(bind(program, arrays), "constant_folding")
    after, _ = apply_passes(before, PASSES)
    assert ops(after) == left
    same(before, after, normal(2, 4, 3, 5))


def test_a_product_with_a_bias_becomes_linear():
    net = proa.nn.Linear(3, 4)
    before = bound(lambda x: proa.matmul(x, net.weight) + net.bias, ("batch", 2, 3))
    after, report = apply_passes(before, PASSES)
    assert ops(after) == ["linear"]
    assert report.steps[0].notes == {"biases moved into a linear map": 1}
    same(before, after, normal(3, 2, 3))


def test_half_precision_weights_keep_their_dtype():
    made = with_norm(proa.nn.Conv2D(3, 4, 1), proa.nn.BatchNorm2D(4))
    made[0].to(dtype="bfloat16")

    def fn(x):
        return made(x.astype("bfloat16")).astype("float32")

    program, arrays = record(fn, (2, 3, 4, 4))
    before = bind(program, arrays)
    after, _ = apply_passes(before, PASSES)
    assert ops(after) == ["cast", "conv2d", "cast"]
    same(before, after, normal(2, 3, 4, 4), rtol=0.05, atol=0.05)


def test_convolutions_in_branches_are_folded():
    made = with_norm(proa.nn.Conv2D(3, 4, 1), proa.nn.BatchNorm2D(4))
    made[1](proa.ones([1, 4, 1, 1]))

    def fn(x):
        return record_cond(x.sum() > 0, lambda: [made(x)], lambda: [made[0](x)])[0]

    program, arrays = record(fn, (1, 3, 2, 2))
    before = bind(program, arrays)
    after, _ = apply_passes(before, PASSES)
    same(before, after, np.abs(normal(1, 3, 2, 2)))
