"""MultiheadAttention against NumPy, head by head."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.compat.nn import MultiheadAttention
from proa.core import InvalidArgumentError

rng = np.random.default_rng(0)
x = rng.normal(size=(3, 2, 4))
other_keys, other_values = rng.normal(size=(5, 2, 6)), rng.normal(size=(5, 2, 3))
HIDDEN = np.triu(np.ones((3, 3), bool), 1)


def filled(layer):
    draw = np.random.default_rng(1)
    for parameter in layer.parameters():
        parameter.set_value(draw.normal(size=parameter.shape))
    return layer.eval()


def reference(layer, q, k, v, hidden=None, batch=0):
    """Result and mean weights of one sample."""
    parameters = {name: p.numpy() for name, p in layer.named_parameters()}
    size = layer.embed_dim
    if "in_proj_weight" in parameters:
        weights = np.split(parameters["in_proj_weight"], 3)
        biases = np.split(parameters.get("in_proj_bias", np.zeros(3 * size)), 3)
    else:
        weights = [parameters[f"{n}_proj_weight"] for n in "qkv"]
        biases = [parameters[f"{n}_proj_bias"] for n in "qkv"]
    q, k, v = (a[:, batch] @ w.T + b for a, w, b in zip((q, k, v), weights, biases, strict=True))
    if "bias_k" in parameters:
        k, v = np.vstack([k, parameters["bias_k"][0]]), np.vstack([v, parameters["bias_v"][0]])
    if layer.add_zero_attn:
        k, v = np.vstack([k, np.zeros(size)]), np.vstack([v, np.zeros(size)])
    outs, maps = [], []
    for head in np.split(np.arange(size), layer.num_heads):
        scores = q[:, head] @ k[:, head].T / np.sqrt(len(head))
        if hidden is not None:
            scores = np.where(np.pad(hidden, ((0, 0), (0, len(k) - 3))), -np.inf, scores)
        e = np.exp(scores)
        maps.append(e / e.sum(-1, keepdims=True))
        outs.append(maps[-1] @ v[:, head])
    bias = parameters.get("out_proj.bias", 0)
    return np.hstack(outs) @ parameters["out_proj.weight"].T + bias, np.mean(maps, 0)


@pytest.mark.parametrize(
    ("settings", "given", "hidden"),
    [
        ({}, (x, x, x), None),
        ({"bias": False}, (x, x, x), None),
        ({"add_bias_kv": True, "add_zero_attn": True}, (x, x, x), HIDDEN),
        ({"kdim": 6, "vdim": 3}, (x, other_keys, other_values), None),
    ],
    ids=["plain", "no bias", "longer keys", "other sizes"],
)
def test_each_head_attends(settings, given, hidden):
    layer = filled(MultiheadAttention(4, 2, dtype="float64", **settings))
    mask = None if hidden is None else proa.to_tensor(hidden)
    got, weights = layer(*map(proa.to_tensor, given), attn_mask=mask)
    for batch in range(2):
        expected, shares = reference(layer, *given, hidden, batch)
        np.testing.assert_allclose(got.numpy()[:, batch], expected, rtol=1e-9)
        np.testing.assert_allclose(weights.numpy()[batch], shares, rtol=1e-9, atol=1e-15)


@pytest.fixture(scope="module")
def layer():
    return filled(MultiheadAttention(4, 2, dtype="float64"))


@pytest.mark.parametrize(
    "masks",
    [
        {"attn_mask": proa.to_tensor(HIDDEN)},
        {"attn_mask": proa.to_tensor(np.where(HIDDEN, -np.inf, 0.0))},
        {"attn_mask": proa.to_tensor(np.broadcast_to(HIDDEN, (4, 3, 3)).copy())},
        {"is_causal": True},
    ],
    ids=["bool", "numbers", "per head", "causal"],
)
def test_masks_hide_keys(layer, masks):
    t = proa.to_tensor(x)
    expected, _ = reference(layer, x, x, x, HIDDEN)
    np.testing.assert_allclose(layer(t, t, t, **masks)[0].numpy()[:, 0], expected, rtol=1e-9)


def test_padding_is_hidden_by_sample(layer):
    t = proa.to_tensor(x)
    padding = np.array([[False, False, True], [False, True, True]])
    got, _ = layer(t, t, t, key_padding_mask=proa.to_tensor(padding))
    for batch in range(2):
        hidden = np.broadcast_to(padding[batch], (3, 3))
        expected, _ = reference(layer, x, x, x, hidden, batch)
        np.testing.assert_allclose(got.numpy()[:, batch], expected, rtol=1e-9)


def test_layouts_and_weights(layer):
    t = proa.to_tensor(x)
    whole, weights = layer(t, t, t)
    one, none = layer(t[:, 0], t[:, 0], t[:, 0], need_weights=False)
    assert none is None
    np.testing.assert_allclose(one.numpy(), whole.numpy()[:, 0])
    assert layer(t, t, t, average_attn_weights=False)[1].shape == [2, 2, 3, 3]
    assert weights.shape == [2, 3, 3]
    first = MultiheadAttention(4, 2, batch_first=True, dtype="float64")
    first.set_state_dict(layer.state_dict())
    turned = proa.transpose(t, [1, 0, 2])
    got, _ = first.eval()(turned, turned, turned)
    np.testing.assert_allclose(got.numpy(), whole.numpy().swapaxes(0, 1), rtol=1e-9)


def test_heads_divide_the_features():
    with pytest.raises(InvalidArgumentError, match="`embed_dim` is 5 and `num_heads` 2"):
        MultiheadAttention(5, 2)
