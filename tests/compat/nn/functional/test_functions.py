from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.compat.nn import functional as F
from proa.core import InvalidArgumentError

image = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)


def test_linear_takes_rows_of_outputs():
    x, w = np.ones((2, 3), np.float32), np.arange(12, dtype=np.float32).reshape(4, 3)
    got = F.linear(*map(proa.to_tensor, (x, w, np.ones(4, np.float32))))
    np.testing.assert_allclose(got.numpy(), x @ w.T + 1)


@pytest.mark.parametrize(
    ("widths", "mode", "value", "numpy_widths", "numpy_mode"),
    [
        ((1, 2, 0, 1), "constant", 9.0, ((0, 0), (0, 0), (0, 1), (1, 2)), "constant"),
        ((0, 1, 0, 0, 1, 0, 0, 1), "constant", 0.0, ((0, 1), (1, 0), (0, 0), (0, 1)), "constant"),
        ((1, 2), "circular", 0.0, ((0, 0), (0, 0), (0, 0), (1, 2)), "wrap"),
        ((1, 2, 1, 0), "replicate", 0.0, ((0, 0), (0, 0), (1, 0), (1, 2)), "edge"),
        ((2, 1), "reflect", 0.0, ((0, 0), (0, 0), (0, 0), (2, 1)), "reflect"),
    ],
)
def test_pad_counts_from_the_last_axis(widths, mode, value, numpy_widths, numpy_mode):
    options = {"constant_values": value} if numpy_mode == "constant" else {}
    expected = np.pad(image, numpy_widths, numpy_mode, **options)
    np.testing.assert_array_equal(
        F.pad(proa.to_tensor(image), widths, mode, value).numpy(), expected
    )


def test_pad_takes_a_sample_without_batch():
    got = F.pad(proa.to_tensor(image[0]), (1, 0), "replicate")
    np.testing.assert_array_equal(got.numpy(), np.pad(image[0], ((0, 0), (0, 0), (1, 0)), "edge"))


def test_pad_refuses_widths_that_fit_no_axes():
    with pytest.raises(InvalidArgumentError, match="has 3 widths"):
        F.pad(proa.to_tensor(image), (1, 1, 1))
    with pytest.raises(InvalidArgumentError, match="mode 'reflect' with 2 pairs"):
        F.pad(proa.ones([2, 2]), (1, 1, 1, 1), "reflect")


@pytest.mark.parametrize(
    ("shape", "axis"), [([2], 0), ([2, 3], 1), ([2, 3, 2], 0), ([1, 2, 3, 2], 1)]
)
def test_softmax_finds_its_axis(shape, axis):
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    e = np.exp(x)
    np.testing.assert_allclose(
        F.softmax(proa.to_tensor(x)).numpy(), e / e.sum(axis, keepdims=True), rtol=1e-5
    )


def test_softmax_takes_dtype_and_out():
    out = proa.zeros([2, 2])
    assert F.softmax(proa.ones([2, 2]), 0, out=out) is out
    assert out.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert F.softmax(proa.ones([2]), 0, "float64").dtype == "float64"


def test_unfold_takes_dilation_before_padding_and_stride():
    got = F.unfold(proa.to_tensor(image), 2, 1, 0, 2)[0]
    assert got.tolist() == [[0, 2, 8, 10], [1, 3, 9, 11], [4, 6, 12, 14], [5, 7, 13, 15]]


def reference(q, k, v, mask=None, scale=None):
    s = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    s = s if mask is None else s + mask
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v


@pytest.fixture
def heads():
    rng = np.random.default_rng(1)
    return [rng.normal(size=(1, 2, 3, 4)) for _ in range(3)]


CAUSAL = np.where(np.tril(np.ones((3, 3), bool)), 0.0, -np.inf)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {}),
        ({"scale": 0.3}, {"scale": 0.3}),
        ({"is_causal": True}, {"mask": CAUSAL}),
        ({"attn_mask": CAUSAL}, {"mask": CAUSAL}),
        ({"attn_mask": CAUSAL == 0}, {"mask": CAUSAL}),
    ],
)
def test_attention_has_heads_before_positions(heads, options, expected):
    given = {
        name: proa.to_tensor(value) if isinstance(value, np.ndarray) else value
        for name, value in options.items()
    }
    got = F.scaled_dot_product_attention(*map(proa.to_tensor, heads), **given)
    np.testing.assert_allclose(got.numpy(), reference(*heads, **expected), rtol=1e-6)


def test_attention_shares_keys_between_heads(heads):
    q, k, v = heads
    four = np.concatenate([q, q + 1], 1)
    got = F.scaled_dot_product_attention(*map(proa.to_tensor, (four, k, v)), enable_gqa=True)
    wide = reference(four, np.repeat(k, 2, 1), np.repeat(v, 2, 1))
    np.testing.assert_allclose(got.numpy(), wide, rtol=1e-6)


def test_a_row_without_keys_is_zero_also_its_gradient(heads):
    q, k, v = (proa.to_tensor(each, stop_gradient=False) for each in heads)
    mask = proa.to_tensor([[True] * 3, [False] * 3, [True] * 3])
    got = F.scaled_dot_product_attention(q, k, v, mask)
    got.sum().backward()
    assert got[0, 0, 1].tolist() == [0.0] * 4
    assert np.isfinite(q.grad.numpy()).all()
    assert q.grad[0, 0, 1].tolist() == [0.0] * 4


def test_attention_takes_one_mask(heads):
    q, k, v = map(proa.to_tensor, heads)
    with pytest.raises(InvalidArgumentError, match="`is_causal` and `attn_mask` are both given"):
        F.scaled_dot_product_attention(q, k, v, proa.ones([3, 3]), is_causal=True)
