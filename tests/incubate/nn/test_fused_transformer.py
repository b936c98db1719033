from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.incubate import nn

X = proa.to_tensor(np.random.default_rng(0).standard_normal([2, 3, 8]), "float32")
MASK = proa.to_tensor(np.tril(np.ones([3, 3], bool)))


def plain_of(layer, before):
    """`nn.TransformerEncoderLayer` with the same numbers."""
    plain = proa.nn.TransformerEncoderLayer(8, 2, 16, 0.0, normalize_before=before)
    attention, ffn = layer.fused_attn, layer.ffn
    weights = attention.qkv_weight.reshape([3, 8, 8])
    norms = (
        (attention.pre_ln_scale, ffn._ln1_scale) if before else (attention.ln_scale, ffn._ln2_scale)
    )
    for i, part in enumerate(
        (plain.self_attn.q_proj, plain.self_attn.k_proj, plain.self_attn.v_proj)
    ):
        part.weight.set_value(weights[i].t())
        part.bias.set_value(attention.qkv_bias.reshape([3, 8])[i])
    pairs = {
        plain.self_attn.out_proj.weight: attention.linear_weight,
        plain.linear1.weight: ffn._linear1_weight,
        plain.linear2.weight: ffn._linear2_weight,
        plain.norm1.weight: norms[0],
        plain.norm2.weight: norms[1],
    }
    for target, value in pairs.items():
        target.set_value(value)
    return plain


@pytest.mark.parametrize("before", [False, True])
def test_is_the_layer_of_nn(before):
    layer = nn.FusedTransformerEncoderLayer(8, 2, 16, 0.0, normalize_before=before)
    layer.fused_attn.qkv_bias.set_value(np.sin(np.arange(24.0)).reshape(3, 2, 4).astype("float32"))
    expected = plain_of(layer, before)(X, MASK).numpy()
    np.testing.assert_allclose(layer(X, MASK), expected, rtol=1e-4, atol=1e-5)


# paddle 3.3.1
def test_parameters_are_named_as_in_paddle():
    names = list(nn.FusedTransformerEncoderLayer(8, 2, 16).state_dict())
    attention = ("qkv_weight", "qkv_bias", "linear_weight", "linear_bias", "ln_scale", "ln_bias")
    assert names[:6] == [f"fused_attn.{name}" for name in attention]
    assert names[6:] == [
        f"ffn._{name}"
        for name in ("linear1_weight", "linear1_bias", "linear2_weight", "linear2_bias")
    ] + ["ffn._ln2_scale", "ffn._ln2_bias"]
    layer = nn.FusedMultiHeadAttention(8, 2, transpose_qkv_wb=True, qkv_bias_attr=False)
    assert layer.qkv_weight.shape == [8, 24]
    assert layer.qkv_bias is None
    assert repr(layer) == (
        "FusedMultiHeadAttention(embed_dim=8, num_heads=2, dropout_rate=0.5, "
        "attn_dropout_rate=0.5, epsilon=1e-05, kdim=None, vdim=None, normalize_before=False, "
        "need_weights=False, dtype=float32)"
    )
    assert "act_dropout_rate=0.1, normalize_before=True" in repr(
        nn.FusedFeedForward(8, 16, normalize_before=True)
    )


def test_a_cache_grows():
    layer = nn.FusedTransformerEncoderLayer(8, 2, 16).eval()
    out, cache = layer(X, cache=proa.zeros([2, 2, 2, 1, 4]))
    assert out.shape == [2, 3, 8]
    assert cache.shape == [2, 2, 2, 4, 4]


def test_training_reaches_every_parameter():
    layer = nn.FusedTransformerEncoderLayer(8, 2, 16, 0.0)
    (layer(X) * X).sum().backward()
    assert all(p.grad is not None for p in layer.parameters())


ERRORS = [
    (lambda: nn.FusedMultiHeadAttention(8, 3), "divisible by num_heads"),
    (lambda: nn.FusedMultiHeadAttention(8, 2, need_weights=True), "keeps no weights"),
    (lambda: nn.FusedFeedForward(0, 2), "positive integers"),
]


@pytest.mark.parametrize(("make", "match"), ERRORS)
def test_errors(make, match):
    with pytest.raises(InvalidArgumentError, match=match):
        make()
