"""Input pipeline: 128 JPEGs of 320x256 decoded, cropped, flipped, normalised, in batches of 16."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench._workload import Target, Workload

_MEAN, _STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
_COUNT = 128


def folder() -> Path:
    """A folder with smooth random pictures, made once and kept."""
    from PIL import Image

    found = Path(__file__).resolve().parents[2] / ".bench" / "pictures"
    random = np.random.default_rng(0)
    if found.exists():
        return found
    found.parent.mkdir(exist_ok=True)
    part = Path(tempfile.mkdtemp(dir=found.parent))
    for number in range(_COUNT):
        small = Image.fromarray(random.integers(0, 256, (32, 40, 3), dtype=np.uint8))
        small.resize((320, 256), Image.Resampling.BICUBIC).save(part / f"{number}.jpg", quality=90)
    return part.rename(found)


def make(peer: str, mode: str, workers: int) -> Callable[[], float]:
    """One pass over the pictures; what it gives is how many came."""
    from PIL import Image

    files = sorted(folder().iterdir())
    if peer == "torch":
        import torch.utils.data as data
        from torchvision import transforms

        parts: list[Any] = [transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip()]
        parts += [transforms.ToTensor(), transforms.Normalize(_MEAN, _STD)]
    else:
        library: Any = __import__(peer)
        data, transforms = library.io, library.vision.transforms
        parts = [transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip()]
        parts += [transforms.ToTensor(), transforms.Normalize(_MEAN, _STD)]
    change = transforms.Compose(parts)

    class Pictures(data.Dataset):
        def __len__(self) -> int:
            return len(files)

        def __getitem__(self, index: int) -> Any:
            with Image.open(files[index]) as image:
                return change(image.convert("RGB")), index % 10

    options: dict[str, Any] = {"num_workers": workers, "persistent_workers": workers > 0}
    loader = data.DataLoader(Pictures(), batch_size=16, shuffle=True, **options)

    def run() -> float:
        return float(sum(x.shape[0] for x, _ in loader))

    return run


def _twin(peer: str, workers: int) -> Callable[[str], Callable[[], float]]:
    return partial(make, peer, workers=workers)


WORKLOADS = [
    Workload(
        name=f"DataLoader, {workers} workers",
        about=f"{_COUNT} JPEGs decoded, cropped, flipped and normalised",
        twins={peer: _twin(peer, workers) for peer in ("proa", "paddle", "torch")},
        targets=(Target("proa eager", ("torch eager",), 1.0),),
        left_out=("proa compiled", "paddle to_static", "torch.compile"),
    )
    for workers in (0, 1, 2)
]
