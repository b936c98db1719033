from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, UnsupportedError
from proa.incubate.nn import functional as F

RNG = np.random.default_rng(0)
E, H, D, INNER, LAYERS = 4, 2, 2, 6, 2
SHAPES = {
    "ln_scales": [E],
    "ln_biases": [E],
    "qkv_weights": [3, H, D, E],
    "qkv_biases": [3, H, D],
    "linear_weights": [E, E],
    "linear_biases": [E],
    "ffn_ln_scales": [E],
    "ffn_ln_biases": [E],
    "ffn1_weights": [E, INNER],
    "ffn1_biases": [INNER],
    "ffn2_weights": [INNER, E],
    "ffn2_biases": [E],
}
T = proa.to_tensor
P = {name: [T(RNG.standard_normal(shape)) for _ in range(LAYERS)] for name, shape in SHAPES.items()}
X = RNG.standard_normal([2, 3, E])
CAUSAL = T(np.where(np.tril(np.ones([1, 1, 3, 3])), 0, -np.inf))


def run(x=X, **settings):
    return F.fused_multi_transformer(T(x), *P.values(), **settings)


def halves(x, i, before):
    """One layer of the two functions for its halves."""
    attention = F.fused_multi_head_attention(
        *(x, P["qkv_weights"][i], P["linear_weights"][i], before),
        *(P["ln_scales"][i], P["ln_biases"][i], P["ln_scales"][i], P["ln_biases"][i]),
        qkv_bias=P["qkv_biases"][i],
        linear_bias=P["linear_biases"][i],
        attn_mask=CAUSAL,
        training=False,
    )
    norm = (P["ffn_ln_scales"][i], P["ffn_ln_biases"][i])
    return F.fused_feedforward(
        *(attention, P["ffn1_weights"][i], P["ffn2_weights"][i]),
        *(P["ffn1_biases"][i], P["ffn2_biases"][i], *norm, *norm),
        activation="gelu",
        pre_layer_norm=before,
        training=False,
    )


def close(found, expected):
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("before", [True, False])
def test_is_a_stack_of_its_halves(before):
    expected = halves(halves(T(X), 0, before), 1, before)
    close(run(pre_layer_norm=before, attn_mask=CAUSAL), expected)


def test_generation_from_a_cache_equals_the_whole():
    tables = T(RNG.standard_normal([2, 2, 1, 3, D]))
    settings = {"rotary_emb_dims": 1, "norm_type": "rmsnorm"}
    whole = run(attn_mask=CAUSAL, rotary_embs=tables, **settings)
    caches = [proa.zeros([2, 2, H, 5, D], "float64") for _ in range(LAYERS)]
    begin, same = run(
        X[:, :2],
        attn_mask=CAUSAL[..., :2, :2],
        cache_kvs=caches,
        rotary_embs=tables[:, :, :, :2],
        **settings,
    )
    assert same is caches
    close(begin, whole[:, :2])
    last, _ = run(
        X[:, 2:],
        cache_kvs=caches,
        time_step=T([2], "int32"),
        rotary_embs=tables[:, :, :, 2:],
        **settings,
    )
    close(last, whole[:, 2:])
    assert (caches[0].numpy()[..., :3, :] != 0).all()
    assert (caches[0].numpy()[..., 3:, :] == 0).all()


def test_lengths_hide_the_padding():
    lengths = T(np.array([[3], [2]], "int32"))
    changed = X.copy()
    changed[1, 2] += 5
    found = run(changed, seq_lens=lengths)
    close(found[1, :2], run(X, seq_lens=lengths)[1, :2])
    close(found[0], run(X)[0])


def test_keys_before_all_others():
    prefix = [T(RNG.standard_normal([2, 2, H, 1, D])) for _ in range(LAYERS)]
    with_prefix = run(pre_caches=prefix)
    assert (with_prefix.numpy() != run().numpy()).all()
    hidden = T(np.where(np.arange(4) == 0, -np.inf, 0.0).reshape(1, 1, 1, 4))
    close(run(pre_caches=prefix, attn_mask=hidden), run())


def test_grouped_heads_with_equal_keys():
    grouped = dict(P)
    grouped["qkv_weights"] = [proa.concat([w[0], w[1, :1], w[2, :1]]) for w in P["qkv_weights"]]
    grouped["qkv_biases"] = [proa.concat([b[0], b[1, :1], b[2, :1]]) for b in P["qkv_biases"]]
    equal = dict(P)
    equal["qkv_weights"] = [
        proa.stack([w[0], w[1, :1].tile([2, 1, 1]), w[2, :1].tile([2, 1, 1])])
        for w in P["qkv_weights"]
    ]
    equal["qkv_biases"] = [
        proa.stack([b[0], b[1, :1].tile([2, 1]), b[2, :1].tile([2, 1])]) for b in P["qkv_biases"]
    ]
    found = F.fused_multi_transformer(T(X), *grouped.values(), gqa_group_size=1)
    close(found, F.fused_multi_transformer(T(X), *equal.values()))


ERRORS = [
    ({"beam_offset": T([0])}, UnsupportedError, "the beams' caches are not shared"),
    ({"time_step": T([0])}, InvalidArgumentError, "a cache per layer"),
    ({"norm_type": "batch"}, InvalidArgumentError, "'layernorm' or 'rmsnorm'"),
]


@pytest.mark.parametrize(("settings", "kind", "match"), ERRORS)
def test_errors(settings, kind, match):
    with pytest.raises(kind, match=match):
        run(**settings)
