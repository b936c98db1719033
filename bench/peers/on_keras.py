"""Keras 3 on JAX: a functional model, `train_on_batch`, channels last as Keras has it."""

from __future__ import annotations

import os

os.environ["KERAS_BACKEND"] = "jax"

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from keras import layers, ops

from bench._workload import Workload

Part = Callable[[Any], Any]


def _axes(array: np.ndarray, *order: int) -> np.ndarray:
    return np.ascontiguousarray(array.transpose(*order))


@keras.saving.register_keras_serializable()
class _Positions(layers.Layer):
    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        self.table = self.add_weight(shape=(length, width), initializer="zeros")

    def call(self, x: Any) -> Any:
        return x + self.table


class Words:
    """Parts by the names that workloads use; `weights` fills as the model is built."""

    def __init__(self, given: list[np.ndarray]) -> None:
        self.given = iter(given)

    def _loaded(self, layer: Any, convert: Callable[..., list[np.ndarray]], count: int) -> Part:
        def call(x: Any) -> Any:
            out = layer(x)
            values = convert(*(next(self.given) for _ in range(count)))
            for variable, value in zip(layer.trainable_variables, values, strict=True):
                variable.assign(value)
            return out

        return call

    def relu(self) -> Part:
        return layers.Activation("relu")

    def gelu(self) -> Part:
        return layers.Activation(lambda x: ops.gelu(x, approximate=False))

    def hardswish(self) -> Part:
        return layers.Activation("hard_silu")

    def hardsigmoid(self) -> Part:
        return layers.Activation("hard_sigmoid")

    def mean(self) -> Part:
        return layers.GlobalAveragePooling2D(keepdims=True)

    def flatten(self) -> Part:
        def call(x: Any) -> Any:
            return layers.Flatten()(layers.Permute((3, 1, 2))(x) if len(x.shape) == 4 else x)

        return call

    def conv(
        self, source: int, target: int, kernel: int, stride: int = 1, groups: int = 1,
        bias: bool = False,
    ) -> Part:  # fmt: skip
        pad = layers.ZeroPadding2D(kernel // 2) if stride > 1 and kernel > 1 else None
        options: dict[str, Any] = {
            "strides": stride, "use_bias": bias, "padding": "valid" if pad else "same",
        }  # fmt: skip
        if groups == source == target and not bias:
            layer: Any = layers.DepthwiseConv2D(kernel, **options)
            part = self._loaded(layer, lambda w: [_axes(w, 2, 3, 0, 1)], 1)
        else:
            layer = layers.Conv2D(target, kernel, groups=groups, **options)
            convert = lambda w, *rest: [_axes(w, 2, 3, 1, 0), *rest]  # noqa: E731
            part = self._loaded(layer, convert, 1 + bias)
        return (lambda x: part(pad(x))) if pad else part

    def linear(self, source: int, target: int) -> Part:
        return self._loaded(layers.Dense(target), lambda w, b: [w, b], 2)

    def batch_norm(self, channels: int) -> Part:
        layer = layers.BatchNormalization(momentum=0.9, epsilon=1e-5)
        return self._loaded(layer, lambda w, b: [w, b], 2)

    def layer_norm(self, width: int) -> Part:
        return self._loaded(layers.LayerNormalization(epsilon=1e-5), lambda w, b: [w, b], 2)

    def max_pool(self, kernel: int, stride: int, padding: int = 0) -> Part:
        pool = layers.MaxPooling2D(kernel, stride)
        # What is pooled here is never negative, so zeros pad as well as -inf does.
        return (lambda x: pool(layers.ZeroPadding2D(padding)(x))) if padding else pool

    def upsample(self, factor: int) -> Part:
        return layers.UpSampling2D(factor)

    def embedding(self, words: int, width: int) -> Part:
        return self._loaded(layers.Embedding(words, width), lambda w: [w], 1)

    def positions(self, length: int, width: int) -> Part:
        return self._loaded(_Positions(length, width), lambda w: [w], 1)

    def attention(self, width: int, heads: int, causal: bool) -> Part:
        layer = layers.MultiHeadAttention(heads, width // heads)
        split = (heads, width // heads)

        def convert(*given: np.ndarray) -> list[np.ndarray]:
            wq, bq, wk, bk, wv, bv, wo, bo = given
            pairs = ((wq, bq), (wk, bk), (wv, bv))
            inner = [a.reshape(-1, *split) if a.ndim == 2 else a.reshape(split)
                     for pair in pairs for a in pair]  # fmt: skip
            return [*inner, wo.reshape(*split, width), bo]

        part = self._loaded(lambda x: layer(x, x, use_causal_mask=causal), convert, 8)
        return part

    def lstm(self, source: int, hidden: int, layers_: int) -> Part:
        def convert(wi: Any, wh: Any, bi: Any, bh: Any) -> list[np.ndarray]:
            return [wi.T.copy(), wh.T.copy(), bi + bh]

        made = [layers.LSTM(hidden, return_sequences=True) for _ in range(layers_)]
        return self.seq(*(self._loaded(layer, convert, 4) for layer in made))

    def seq(self, *parts: Part) -> Part:
        def call(x: Any) -> Any:
            for part in parts:
                x = part(x)
            return x

        return call

    def residual(self, body: Part, skip: Part | None = None) -> Part:
        def call(x: Any) -> Any:
            first = body(x)
            return layers.Add()([first, skip(x) if skip else x])

        return call

    def gate(self, body: Part) -> Part:
        return lambda x: layers.Multiply()([x, body(x)])


def version() -> str:
    """Returns the version."""
    return keras.__version__


def make(workload: Workload, mode: str, weights: list[np.ndarray]) -> Callable[[], float]:
    """One training step."""
    x, y = workload.data()
    if x.ndim == 4:
        x = _axes(x, 0, 2, 3, 1)
    words = Words(weights)
    source = keras.Input(x.shape[1:], batch_size=x.shape[0], dtype=str(x.dtype))
    out = workload.model(words)(source)
    if next(words.given, None) is not None:
        raise ValueError("the model takes fewer weights than there are")
    name, rate = workload.optimizer
    if name == "sgd":
        optimizer: Any = keras.optimizers.SGD(rate, momentum=0.9)
    elif name == "adam":
        optimizer = keras.optimizers.Adam(rate, epsilon=1e-8)
    else:
        optimizer = keras.optimizers.AdamW(rate, weight_decay=0.01, epsilon=1e-8)
    if workload.loss == "mask":
        loss: Any = keras.losses.BinaryCrossentropy(from_logits=True)
        y = _axes(y, 0, 2, 3, 1)
    else:
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model = keras.Model(source, out)
    model.compile(optimizer, loss)
    return lambda: float(model.train_on_batch(x, y))
