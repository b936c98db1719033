from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa.program import cost, program_from_dict, program_to_dict
from proa.program.passes import apply_passes, bind, fuse_attention, fuse_layer_norm
from tests.program.passes.programs import bound, normal, ops, record, run, same


def centred(x):
    return x - x.mean(-1, keepdim=True)


def norm_by_power(x):
    return centred(x) / proa.sqrt((centred(x) ** 2).mean(-1, keepdim=True) + 1e-5)


def norm_by_product(x):
    d = centred(x)
    return d * proa.rsqrt(1e-6 + (d * d).mean([-1], keepdim=True))


def norm_by_variance(x):
    return centred(x) / (proa.var(x, -1, unbiased=False, keepdim=True) + 1e-3) ** 0.5


def norm_over_two(x):
    d = x - x.mean([1, 2], keepdim=True)
    return d * proa.rsqrt(proa.square(d).mean([-2, -1], keepdim=True) + 1e-5)


def rms(x):
    return x * proa.rsqrt((x**2).mean(-1, keepdim=True) + 1e-5)


@pytest.mark.parametrize(
    ("fn", "op"),
    [
        (norm_by_power, "layer_norm"),
        (norm_by_product, "layer_norm"),
        (norm_by_variance, "layer_norm"),
        (norm_over_two, "layer_norm"),
        (rms, "rms_norm"),
    ],
)
def test_norms_that_are_written_out_become_one_op(fn, op):
    gamma, beta = proa.to_tensor(normal(4, seed=1)), proa.to_tensor(normal(4, seed=2))
    shaped = (3, 4) if fn is norm_over_two else (4,)

    def full(x):
        y = fn(x) * proa.expand(gamma, shaped).detach()
        return y if op == "rms_norm" else y + proa.expand(beta, shaped).detach()

    before, _ = apply_passes(bound(full, ("batch", 3, 4)), "clean")
    after, report = apply_passes(before, "fuse_layer_norm")
    assert ops(after) == [op]
    assert sum(report.steps[0].notes.values()) == (2 if op == "rms_norm" else 3)
    same(before, after, normal(2, 3, 4), rtol=1e-4, atol=1e-5)
    assert fuse_layer_norm(after) == (after, {})


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: centred(x) / proa.sqrt(proa.var(x, -1, keepdim=True) + 1e-5),
        lambda x: (x - x.mean(0, keepdim=True)) * proa.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5),
        lambda x: centred(x) / proa.sqrt((centred(x) ** 2).mean(-1, keepdim=True) + x),
    ],
    ids=["unbiased", "another axis", "epsilon is no number"],
)
def test_what_only_looks_like_a_norm_stays(fn):
    before, _ = apply_passes(bound(fn, (3, 4)), "clean")
    assert fuse_layer_norm(before) == (before, {})


def heads(x):
    return proa.transpose(x.reshape([0, 0, 2, 4]), [0, 2, 1, 3])


def attention_by_product(x, mask):
    q, k, v = heads(x), heads(proa.sin(x)), heads(proa.cos(x))
    scores = proa.matmul(q, k, transpose_y=True) * 0.5 + mask
    return proa.transpose(proa.matmul(F.softmax(scores), v), [0, 2, 1, 3]).flatten(2)


def attention_by_quotient(x, mask):
    q, k, v = heads(x), heads(proa.sin(x)), heads(proa.cos(x))
    scores = mask + proa.matmul(q, k.transpose([0, 1, 3, 2])) / 2.0
    kept = F.dropout(F.softmax(scores, axis=3), 0.1, training=False)
    return proa.matmul(kept, v).transpose([0, 2, 1, 3]).flatten(2)


def attention_of_scaled_queries(x, mask):
    q, k, v = heads(x) * 0.3, heads(proa.sin(x)), heads(x)
    weights = F.softmax(proa.matmul(q, k, transpose_y=True))
    return proa.matmul(weights, v).transpose([0, 2, 1, 3]).flatten(2) + mask.sum()


def attention_without_heads(x, mask):
    scores = proa.scale(proa.matmul(x, proa.sin(x), transpose_y=True), 0.5) + mask[:, 0]
    return proa.matmul(F.softmax(scores), x)


def attention_of_batches(x, mask):
    scores = proa.bmm(x, proa.sin(x).transpose([0, 2, 1]))
    return proa.bmm(F.softmax(scores), x) + mask.sum()


@pytest.mark.parametrize(
    "fn",
    [
        attention_by_product,
        attention_by_quotient,
        attention_of_scaled_queries,
        attention_without_heads,
        attention_of_batches,
    ],
)
def test_attention_that_is_written_out_becomes_one_op(fn):
    before, _ = apply_passes(bound(fn, ("batch", "length", 8), ("batch", 1, 1, "length")), "clean")
    after, report = apply_passes(before, ["fuse_attention", "identity_and_dropout_removal"])
    assert ops(after).count("attention") == 1
    assert not {"softmax", "matmul", "bmm"} & {*ops(after)}
    assert report.steps[0].notes == {"attentions made": 1}
    if fn in (attention_by_product, attention_by_quotient):
        assert "transpose" not in ops(after)
    for batch, length in ((2, 3), (1, 5)):
        x, mask = normal(batch, length, 8), np.zeros((batch, 1, 1, length), np.float32)
        mask[:, :, :, -1] = -1e9
        same(before, after, x, mask, rtol=1e-5, atol=1e-5)
    assert fuse_attention(after) == (after, {})


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: proa.matmul(F.softmax(proa.matmul(x, x, transpose_y=True), axis=1), x),
        lambda x: (lambda w: (proa.matmul(w, x), w))(
            F.softmax(proa.matmul(x, x, transpose_y=True))
        ),
        lambda x: proa.matmul(F.softmax(proa.matmul(x, x, transpose_x=True)), x, transpose_y=True),
    ],
    ids=["another axis", "weights are read", "transposed queries"],
)
def test_what_only_looks_like_attention_stays(fn):
    before, _ = apply_passes(bound(fn, (2, 3, 4)), "clean")
    assert fuse_attention(before) == (before, {})


def test_bias_and_activation_make_a_region():
    net = proa.nn.Linear(3, 4)

    def fn(x):
        y = F.relu(proa.matmul(x, net.weight) + net.bias)
        return F.gelu(proa.nn.functional.linear(y, net.weight.t()))

    before = bound(fn, ("batch", 3))
    after, report = apply_passes(before, "fuse_bias_activation")
    labels = [call.key[2] for call in after.calls if call.op.name == "region"]
    assert labels == ["matmul + bias + relu", "linear + gelu"]
    assert report.steps[0].after.bytes < report.steps[0].before.bytes
    assert cost(after).flops == cost(before).flops
    assert (cost(before).ops, cost(after).ops) == (6, 3)
    same(before, after, normal(5, 3))
    assert apply_passes(after, "fuse_bias_activation")[0] is after
    data, arrays = program_to_dict(after)
    again = program_from_dict(data, arrays)
    assert ops(again) == ops(after)
    np.testing.assert_array_equal(run(again, normal(5, 3))[0], run(after, normal(5, 3))[0])


def test_a_sum_that_others_read_is_no_region():
    net = proa.nn.Linear(3, 4)

    def fn(x):
        y = net(x)
        return F.relu(y), y

    program, arrays = record(fn, (2, 3))
    before = bind(program, arrays)
    assert apply_passes(before, "fuse_bias_activation")[0] is before
