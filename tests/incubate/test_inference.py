from __future__ import annotations

import pytest

import proa
from proa.incubate import inference


def test_a_layer_is_compiled_without_gradients():
    layer = proa.nn.Linear(2, 3)
    x = proa.to_tensor([[1.0, 2.0]])
    expected = layer(x)
    assert not expected.stop_gradient
    made = proa.incubate.jit.inference(layer)
    assert made is layer
    assert made(x).stop_gradient
    assert proa.allclose(made(x), expected).item()


def test_a_decorator_with_settings():
    @inference(cache_static_model=True)
    def shifted(x):
        return x + 1

    assert shifted(proa.to_tensor([1.0], stop_gradient=False)).stop_gradient
    assert shifted(proa.to_tensor([1.0])).tolist() == [2.0]


def test_a_method_is_compiled():
    class Net(proa.nn.Layer):
        def __init__(self):
            super().__init__()
            self.factor = 3.0

        @inference
        def forward(self, x):
            return x * self.factor

    assert Net()(proa.to_tensor([2.0])).tolist() == [6.0]


def test_tensorrt_is_refused():
    with pytest.raises(proa.core.UnsupportedError, match="TensorRT"):
        inference(lambda x: x, with_trt=True)
