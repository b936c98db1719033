"""A peer of `bench/inference.py`, in its own environment: runs a model when told to.

Usage: python bench/_inference_peer.py torch|paddle THREADS [OCR_FOLDER]

It prints one JSON line with its version and the names of its models; then it reads lines
name and count with a tab between, runs the model so often, and prints the seconds per run.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

# The same as in bench/_inference_models.py, which a peer's environment cannot import.
_OCR = {
    "PP-OCR det": ("ch_PP-OCRv4_det_infer", (1, 3, 320, 480)),
    "PP-OCR rec": ("ch_PP-OCRv4_rec_infer", (1, 3, 48, 320)),
    "PP-OCR cls": ("ch_ppocr_mobile_v2_cls_infer", (1, 3, 48, 192)),
}
_RANDOM = np.random.default_rng(0)
_IMAGE = _RANDOM.normal(size=(1, 3, 224, 224)).astype(np.float32)
_TOKENS = _RANDOM.integers(0, 10000, (1, 32))
_HIDDEN = _RANDOM.normal(size=(1, 128, 768)).astype(np.float32)


def torch_resnet50() -> Any:
    """ResNet-50 (He et al., 2016) with the stride in the 3x3 convolutions."""
    import torch
    from torch import nn

    def normed(source: int, target: int, kernel: int, stride: int = 1) -> list[Any]:
        padding = kernel // 2
        conv = nn.Conv2d(source, target, kernel, stride, padding, bias=False)
        return [conv, nn.BatchNorm2d(target)]

    class Bottleneck(nn.Module):
        def __init__(self, source: int, width: int, stride: int) -> None:
            super().__init__()
            self.body = nn.Sequential(
                *normed(source, width, 1),
                nn.ReLU(),
                *normed(width, width, 3, stride),
                nn.ReLU(),
                *normed(width, 4 * width, 1),
            )
            same = source == 4 * width and stride == 1
            self.skip = nn.Sequential(*([] if same else normed(source, 4 * width, 1, stride)))

        def forward(self, x: Any) -> Any:
            return torch.relu(self.body(x) + self.skip(x))

    parts, source = [*normed(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for width, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for number in range(count):
            parts.append(Bottleneck(source, width, 2 if number == 0 and width > 64 else 1))
            source = 4 * width
    parts += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(source, 1000)]
    return nn.Sequential(*parts)


def torch_models(threads: int) -> dict[str, Callable[[], Any]]:
    """Models of torch in eager inference mode."""
    import torch
    from torch import nn

    torch.set_num_threads(threads)

    class Tagger(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(10000, 128)
            self.lstm = nn.LSTM(128, 256, num_layers=4, batch_first=True)
            self.tags = nn.Linear(256, 10)

        def forward(self, ids: Any) -> Any:
            return self.tags(self.lstm(self.embedding(ids))[0])

    layer = nn.TransformerEncoderLayer(768, 12, 3072, activation="gelu", batch_first=True)
    given = {
        "ResNet-50": (torch_resnet50(), _IMAGE),
        "encoder 12x768": (nn.TransformerEncoder(layer, 12), _HIDDEN),
        "LSTM tagger": (Tagger(), _TOKENS),
    }

    def runner(module: Any, array: np.ndarray) -> Callable[[], Any]:
        module.eval()
        x = torch.from_numpy(array)

        def run() -> Any:
            with torch.inference_mode():
                return module(x)

        return run

    return {name: runner(*pair) for name, pair in given.items()}


def _paddle_layers() -> dict[str, tuple[Any, np.ndarray]]:
    import paddle
    from paddle import nn

    class Tagger(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(10000, 128)
            self.lstm = nn.LSTM(128, 256, num_layers=4)
            self.tags = nn.Linear(256, 10)

        def forward(self, ids: Any) -> Any:
            return self.tags(self.lstm(self.embedding(ids))[0])

    layer = nn.TransformerEncoderLayer(768, 12, 3072, activation="gelu")
    models = paddle.vision.models
    return {
        "ResNet-50": (models.resnet50(), _IMAGE),
        "MobileNetV3": (models.mobilenet_v3_large(), _IMAGE),
        "encoder 12x768": (nn.TransformerEncoder(layer, 12), _HIDDEN),
        "LSTM tagger": (Tagger(), _TOKENS),
    }


def paddle_models(threads: int, ocr: str | None) -> dict[str, Callable[[], Any]]:
    """Models in Paddle Inference with oneDNN."""
    import paddle
    from paddle import inference

    def runner(files: tuple[str, str], array: np.ndarray) -> Callable[[], Any]:
        config = inference.Config(*files)
        config.disable_gpu()
        config.disable_glog_info()
        config.enable_mkldnn()
        config.set_cpu_math_library_num_threads(threads)
        predictor = inference.create_predictor(config)
        source = predictor.get_input_handle(predictor.get_input_names()[0])
        names = predictor.get_output_names()

        def run() -> Any:
            source.copy_from_cpu(array)
            predictor.run()
            return [predictor.get_output_handle(name).copy_to_cpu() for name in names]

        return run

    found = {}
    folder = Path(tempfile.mkdtemp())
    for name, (layer, array) in _paddle_layers().items():
        layer.eval()
        stem = str(folder / name.replace(" ", "_"))
        spec = [paddle.static.InputSpec(list(array.shape), array.dtype.name)]
        try:
            paddle.jit.save(layer, stem, spec)
            suffix = "json" if Path(stem + ".json").exists() else "pdmodel"
            found[name] = runner((f"{stem}.{suffix}", f"{stem}.pdiparams"), array)
            found[name]()
        except Exception as error:
            found.pop(name, None)
            print(f"{name} does not run in Paddle: {error}"[:300], file=sys.stderr)
    for name, (base, shape) in _OCR.items() if ocr else ():
        stem = f"{ocr}/{base}/inference"
        array = _RANDOM.normal(size=shape).astype(np.float32)
        found[name] = runner((f"{stem}.pdmodel", f"{stem}.pdiparams"), array)
    return found


def main() -> None:
    """Says what there is, then answers requests until its input ends."""
    name, threads = sys.argv[1], int(sys.argv[2])
    ocr = sys.argv[3] if len(sys.argv) > 3 else None
    module: Any = __import__(name)
    models = torch_models(threads) if name == "torch" else paddle_models(threads, ocr)
    print(json.dumps({"version": module.__version__, "models": list(models)}), flush=True)
    for line in sys.stdin:
        wanted, count = line.rstrip("\n").split("\t")
        run = models[wanted]
        start = time.perf_counter()
        for _ in range(int(count)):
            run()
        print((time.perf_counter() - start) / int(count), flush=True)


if __name__ == "__main__":
    main()
