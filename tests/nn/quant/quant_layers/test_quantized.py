"""Numbers under "paddle 3.3.1" were computed with it."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.nn.quant import quant_layers as L

X = np.array(
    [[-5.0883937, 2.1905506, -5.5724497, 1.1477944], [-2.660713, 2.6349113, 0.25935757, 0.7431191]],
    "float32",
)
T = proa.to_tensor
BOTH = {
    "weight_quantize_type": "channel_wise_abs_max",
    "activation_quantize_type": "moving_average_abs_max",
}


def linear():
    layer = proa.nn.Linear(4, 3)
    layer.weight.set_value(np.arange(12).reshape(4, 3).astype("float32") / 7)
    return layer


def rounded(x, scale):
    steps = np.clip(x, -scale, scale) / scale * 127
    return np.sign(steps) * np.floor(np.abs(steps) + 0.5) * scale / 127


# paddle 3.3.1
def test_linear():
    layer = L.QuantizedLinear(linear())
    expected = [[-2.3394282, -3.468696, -4.424772], [2.3247702, 2.4262955, 2.5994859]]
    np.testing.assert_allclose(layer(T(X)), expected, rtol=1e-5)
    assert list(layer.state_dict()) == ["weight", "bias", "_fake_quant_weight._scale"]
    layer = L.QuantizedLinear(linear(), **BOTH)
    expected = [[-0.51323235, -0.99900746, -1.4563603], [2.3141615, 2.4611616, 2.6163378]]
    np.testing.assert_allclose(layer(T(X)), expected, rtol=1e-5)
    np.testing.assert_allclose(
        layer._fake_quant_weight._scale, [1.2857143, 1.4285715, 1.5714285], rtol=1e-6
    )
    for kind in (L.QuantizedColumnParallelLinear, L.QuantizedRowParallelLinear):
        found = kind(linear())(T(X))
        np.testing.assert_array_equal(found, L.QuantizedLinear(linear())(T(X)).numpy())


@pytest.mark.parametrize("kind", ["abs_max", "channel_wise_abs_max"])
@pytest.mark.parametrize("transposed", [False, True])
def test_convolution(kind, transposed):
    made = proa.nn.Conv2DTranspose if transposed else proa.nn.Conv2D
    wrapped = L.QuantizedConv2DTranspose if transposed else L.QuantizedConv2D
    plain = made(1, 2, 2, padding=1)
    image = np.sin(np.arange(9.0)).reshape(1, 1, 3, 3).astype("float32")
    weight = plain.weight.numpy()
    axes = None
    if kind == "channel_wise_abs_max":
        axes = (0, 2, 3) if transposed else (1, 2, 3)
    scale = np.abs(weight).max(axes, keepdims=True)
    found = wrapped(plain, weight_quantize_type=kind)(T(image))
    plain.weight.set_value(rounded(weight, scale))
    expected = plain(T(rounded(image, np.abs(image).max())))
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-5)


# paddle 3.3.1
def test_matmul():
    found = L.QuantizedMatmul()(T(X), T(X.T.copy()))
    np.testing.assert_allclose(found, [[63.07279, 18.782642], [18.782642, 14.720386]], rtol=1e-5)
    np.testing.assert_allclose(L.QuantizedMatmul()(T(X), T(X), transpose_y=True), found.numpy())


def test_layers_of_ones_own():
    layer = L.QuantizedLinear(
        linear(),
        weight_pre_layer=proa.nn.ReLU,
        act_pre_layer=proa.nn.ReLU,
        weight_quant_layer=proa.nn.Identity,
        act_quant_layer=proa.nn.Identity,
    )
    np.testing.assert_allclose(layer(T(X)), X.clip(0) @ layer.weight.numpy(), rtol=1e-5)


def test_training_changes_the_weights():
    layer = L.QuantizedLinear(linear(), **BOTH)
    optimizer = proa.optimizer.SGD(0.1, parameters=layer.parameters())
    before = layer.weight.numpy().copy()
    layer(T(X)).sum().backward()
    optimizer.step()
    columns = layer.eval()._fake_quant_input(T(X)).numpy().sum(0)
    step = before - layer.weight.numpy()
    np.testing.assert_allclose(step, 0.1 * np.tile(columns[:, None], 3), rtol=1e-4, atol=1e-6)
    assert layer._fake_quant_weight._scale.grad is None


def test_an_evaluated_layer_is_exported(tmp_path):
    layer = L.QuantizedLinear(linear(), **BOTH)
    layer(T(X))
    expected = layer.eval()(T(X)).numpy()
    proa.jit.save(layer, str(tmp_path / "m"), input_spec=[proa.static.InputSpec([None, 4])])
    np.testing.assert_allclose(proa.jit.load(str(tmp_path / "m"))(T(X)), expected, rtol=1e-5)


def test_an_unknown_way():
    with pytest.raises(InvalidArgumentError, match="is to quantise a weight"):
        L.QuantizedLinear(linear(), weight_quantize_type="foo")
    with pytest.raises(InvalidArgumentError, match="is to quantise an activation"):
        L.QuantizedLinear(linear(), activation_quantize_type="channel_wise_abs_max")
