"""Against dense convolutions, which store every place."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError

F = proa.sparse.nn.functional
random = np.random.default_rng(7)


def some(*shape, share=0.4):
    """Values of which only a share is not zero, per place."""
    values = random.standard_normal(shape)
    return values * (random.random(shape[:-1]) < share)[..., None]


def tensors(*arrays):
    return [proa.to_tensor(a, stop_gradient=False) for a in arrays]


def convolved(x, weight, stride, pads, dilation=1, groups=1):
    """The dense convolution in NumPy, and the gradients of half its squared sum."""
    rank = x.ndim - 2
    padded = np.pad(x, [(0, 0), *pads, (0, 0)])
    reach = [dilation * (k - 1) + 1 for k in weight.shape[:rank]]
    sizes = [(n - r) // s + 1 for n, r, s in zip(padded.shape[1:], reach, stride, strict=False)]
    parts = weight.reshape(*weight.shape[:rank], -1, groups, weight.shape[-1] // groups)
    cuts = {}
    for offset in np.ndindex(*weight.shape[:rank]):
        starts = [o * dilation for o in offset]
        cut = [
            slice(b, b + s * (n - 1) + 1, s) for b, s, n in zip(starts, stride, sizes, strict=True)
        ]
        cuts[offset] = (slice(None), *cut)
    grouped = (*padded.shape[:-1], groups, -1)
    source = padded.reshape(grouped)
    made = sum(np.einsum("...gc,cgo->...go", source[c], parts[o]) for o, c in cuts.items())
    pulled, weights = np.zeros_like(source), np.zeros_like(parts)
    for offset, cut in cuts.items():
        pulled[cut] += np.einsum("...go,cgo->...gc", made, parts[offset])
        axes = "nhwdgc"[: rank + 1] + "gc"
        weights[offset] = np.einsum(f"{axes},{axes[:-1]}o->cgo", source[cut], made)
    inner = tuple(slice(b, n - a) for (b, a), n in zip(pads, padded.shape[1:], strict=False))
    pulled = pulled.reshape(padded.shape)[(slice(None), *inner)]
    return made.reshape(*made.shape[:-2], -1), pulled, weights.reshape(weight.shape)


TABLE = [
    # shape, kernel, settings, the same in pairs
    ((2, 5, 6, 4), (3, 2, 2, 4), {"stride": [2, 1], "padding": [1, 0], "groups": 2},
     ([2, 1], [(1, 1), (0, 0)], 1, 2)),
    ((1, 5, 6, 2), (3, 2, 2, 1), {"dilation": 2, "padding": [0, 1, 2, 0]},
     ([1, 1], [(0, 1), (2, 0)], 2)),
    ((1, 3, 4, 4, 2), (2, 3, 2, 2, 3), {"padding": "SAME"},
     ([1, 1, 1], [(0, 1), (1, 1), (0, 1)])),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "kernel", "settings", "pairs"), TABLE)
def test_values_and_gradients_are_those_of_dense_ones(shape, kernel, settings, pairs):
    given, kernel = some(*shape), random.standard_normal(kernel)
    expected = convolved(given, kernel, *pairs)
    x, weight = tensors(given, kernel)
    function = F.conv2d if len(shape) == 4 else F.conv3d
    made = function(x.to_sparse_coo(len(shape) - 1), weight, **settings)
    made.values().backward(made.values().detach())
    stored = (given != 0).any(-1, keepdims=True)
    np.testing.assert_allclose(made.to_dense().numpy(), expected[0], 1e-9, 1e-9)
    np.testing.assert_allclose(x.grad.numpy(), expected[1] * stored, 1e-9, 1e-9)
    np.testing.assert_allclose(weight.grad.numpy(), expected[2], 1e-9, 1e-9)


@pytest.mark.parametrize(
    ("shape", "kernel", "dilation"),
    [((2, 5, 6, 3), (3, 3, 3, 4), 1), ((1, 3, 4, 4, 2), (3, 3, 3, 2, 3), 2)],
)
def test_kept_places(shape, kernel, dilation):
    rank = len(shape) - 2
    given, bias = some(*shape), random.standard_normal(kernel[-1])
    kernel = random.standard_normal(kernel)
    x, weight, shift = tensors(given, kernel, bias)
    function = F.subm_conv2d if rank == 2 else F.subm_conv3d
    sparse = x.to_sparse_coo(rank + 1)
    made = function(sparse, weight, shift, dilation=dilation, stride=5, padding=9, key="a")
    assert made.indices().tolist() == sparse.indices().tolist()
    whole, *_ = convolved(given, kernel, [1] * rank, [(dilation, dilation)] * rank, dilation)
    stored = (given != 0).any(-1, keepdims=True)
    np.testing.assert_allclose(made.to_dense().numpy(), (whole + bias) * stored, 1e-9, 1e-9)
    made.values().sum().backward()
    assert shift.grad.tolist() == [float(stored.sum())] * kernel.shape[-1]


def test_second_derivatives():
    given, kernel = some(1, 3, 1, 1, share=1), random.standard_normal((2, 1, 1, 1))
    (weight,) = tensors(kernel)
    made = F.conv2d(proa.to_tensor(given).to_sparse_coo(3), weight).values()
    (first,) = proa.grad([(made * made * made).sum()], [weight], create_graph=True)
    (second,) = proa.grad([first.sum()], [weight])
    met = np.stack([given[0, :2, 0, 0], given[0, 1:, 0, 0]], axis=1)
    expected = met.T @ (6 * (met @ kernel.reshape(-1)) * met.sum(1))
    np.testing.assert_allclose(second.numpy().reshape(-1), expected, 1e-9)


def test_low_precision_adds_up_in_float32():
    x = proa.ones([1, 64, 64, 1], "float16").to_sparse_coo(3)
    made = F.conv2d(x, proa.ones([64, 64, 1, 1], "float16") * 0.5)
    assert made.dtype == proa.float16
    assert made.values().tolist() == [[2048.0]]


def test_other_names():
    assert F.subm_conv2d_igemm is F.subm_conv2d
    assert F.subm_conv3d_igemm is F.subm_conv3d


@pytest.mark.parametrize(
    ("shape", "groups"), [((3, 3, 2, 4), 1), ((3, 3, 1), 1), ((3, 3, 1, 3), 2)]
)
def test_bad_weights(shape, groups):
    x = proa.ones([1, 3, 3, 1]).to_sparse_coo(3)
    with pytest.raises(InvalidArgumentError, match=r"`weight` of `sparse.nn.functional.conv2d`"):
        F.conv2d(x, proa.ones(list(shape)), groups=groups)
