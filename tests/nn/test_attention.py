"""Multi-head attention; values are in test_layer_catalogue.py."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError

X = np.sin(np.arange(24)).reshape(2, 3, 4).astype(np.float32)


def make(**settings):
    return nn.MultiHeadAttention(4, 2, **settings).eval()


def test_boolean_integer_and_additive_masks_agree():
    layer, x = make(), proa.to_tensor(X)
    allowed = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]])
    expected = layer(x, attn_mask=proa.to_tensor(np.where(allowed, 0.0, -1e9), "float32")).numpy()
    for mask in (allowed.astype(bool), allowed):
        np.testing.assert_allclose(
            layer(x, attn_mask=proa.to_tensor(mask)).numpy(), expected, rtol=1e-5, atol=1e-6
        )
        layer.need_weights = True
        found, weights = layer(x, attn_mask=proa.to_tensor(mask))
        layer.need_weights = False
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)
        assert (weights.numpy()[:, :, allowed == 0] < 1e-6).all()


# PT#103963: NaN in paddle 3.3.1.
def test_a_query_that_may_see_nothing_gives_the_bias_alone():
    layer, x = make(), proa.to_tensor(X)
    mask = np.ones([3, 3], bool)
    mask[1] = False
    out = layer(x, attn_mask=proa.to_tensor(mask)).numpy()
    np.testing.assert_allclose(out[:, 1], np.zeros([2, 4]), atol=1e-6)
    assert np.isfinite(out).all()


def test_step_by_step_with_a_cache_equals_the_whole():
    layer, x = make(), proa.to_tensor(X)
    causal = proa.to_tensor(np.tril(np.ones([3, 3], bool)))
    whole = layer(x, attn_mask=causal).numpy()
    cache = layer.gen_cache(x)
    assert cache.k.shape == [2, 2, 0, 2]
    for step in range(3):
        out, cache = layer(x[:, step : step + 1], cache=cache)
        np.testing.assert_allclose(out.numpy()[:, 0], whole[:, step], rtol=1e-5, atol=1e-6)
    assert cache.k.shape == [2, 2, 3, 2]


def test_a_static_cache_holds_mapped_keys_and_values():
    layer, x = make(), proa.to_tensor(X)
    memory = proa.to_tensor(X[:, :2] * 2)
    cache = layer.gen_cache(memory, memory, nn.MultiHeadAttention.StaticCache)
    assert isinstance(cache, nn.MultiHeadAttention.StaticCache)
    out, same = layer(x, memory, memory, cache=cache)
    assert same is cache
    np.testing.assert_allclose(out.numpy(), layer(x, memory, memory).numpy(), rtol=1e-5, atol=1e-6)
    started = layer.gen_cache(cache.k, cache.v, nn.MultiHeadAttention.Cache)
    assert started.k is cache.k


def test_outputs_in_order():
    layer = make(need_weights=True)
    x = proa.to_tensor(X)
    out, weights, cache = layer(x, cache=layer.gen_cache(x))
    assert (out.shape, weights.shape, cache.k.shape) == ([2, 3, 4], [2, 2, 3, 3], [2, 2, 3, 2])


def test_weights_are_dropped_in_training_only():
    layer, x = make(dropout=0.5), proa.to_tensor(X)
    np.testing.assert_array_equal(layer(x).numpy(), layer(x).numpy())
    layer.train()
    assert (layer(x).numpy() != layer(x).numpy()).any()


@pytest.mark.parametrize(("width", "heads"), [(5, 2), (0, 1), (4, 0)])
def test_sizes_that_do_not_fit(width, heads):
    with pytest.raises(InvalidArgumentError, match=f"`embed_dim` is {width}, `num_heads` {heads}"):
        nn.MultiHeadAttention(width, heads)
