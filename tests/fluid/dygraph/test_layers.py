from __future__ import annotations

import numpy as np

import proa
from proa.fluid import dygraph

rng = np.random.default_rng(0)
image = proa.to_tensor(rng.normal(size=(1, 2, 4, 4)).astype(np.float32))


def test_linear_has_an_activation():
    layer = dygraph.Linear(2, 3, act="relu", bias_attr=False)
    x = proa.to_tensor([[1.0, -2.0]])
    expected = np.maximum(x.numpy() @ layer.weight.numpy(), 0)
    np.testing.assert_allclose(layer(x).numpy(), expected, rtol=1e-6)
    assert isinstance(layer, proa.nn.Linear)


def test_convolutions_have_an_activation():
    layer = dygraph.Conv2D(2, 3, 3, padding=1, act="sigmoid")
    plain = proa.nn.functional.conv2d(image, layer.weight, layer.bias, padding=1)
    np.testing.assert_allclose(
        layer(image).numpy(), proa.nn.functional.sigmoid(plain).numpy(), rtol=1e-6
    )


def test_pools():
    got = dygraph.Pool2D(2, "avg", 2)(image)
    np.testing.assert_allclose(
        got.numpy(), proa.nn.functional.avg_pool2d(image, 2, 2).numpy(), rtol=1e-6
    )
    assert dygraph.Pool2D(global_pooling=True)(image).flatten().tolist() == (
        image.numpy().max((2, 3)).flatten().tolist()
    )


def test_embedding_drops_a_last_axis():
    layer = dygraph.Embedding([4, 2])
    got = layer(proa.to_tensor([[1], [3]]))
    assert got.tolist() == layer.weight.numpy()[[1, 3]].tolist()


def test_dropout_shrinks_in_tests():
    layer = dygraph.Dropout(0.25)
    layer.eval()
    assert layer(proa.ones([2])).tolist() == [0.75, 0.75]


def test_layer_norm_without_weight():
    layer = dygraph.LayerNorm([2], scale=False, shift=False, act="relu")
    assert layer.weight is None
    np.testing.assert_allclose(
        layer(proa.to_tensor([[1.0, 3.0]])).tolist(), [[0.0, 1.0]], rtol=1e-4
    )
