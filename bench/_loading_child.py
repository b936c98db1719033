"""One contestant of `bench.loading`, in its own environment: prints a JSON line.

Usage: python bench/_loading_child.py proa|torch FOLDER WORKERS EPOCHS, or proa-step
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

_BEGAN = time.perf_counter()
_MEAN, _STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
#: Each image is read several times an epoch, so that the start of an epoch counts for little.
_REPEATS = 4


def _proa_loader(folder: str, workers: int) -> Any:
    from proa.io import DataLoader
    from proa.vision import transforms as T
    from proa.vision.datasets import DatasetFolder

    steps = [T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToTensor()]
    dataset = DatasetFolder(folder, transform=T.Compose([*steps, T.Normalize(_MEAN, _STD)]))
    dataset.samples = dataset.samples * _REPEATS
    settings = {"num_workers": workers, "persistent_workers": workers > 0}
    return DataLoader(dataset, batch_size=32, shuffle=True, drop_last=True, **settings)


def _torch_loader(folder: str, workers: int) -> Any:
    import torch

    # A torchvision built for other devices lacks these two; transforms do not need them.
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor boxes, Tensor scores, float least) -> Tensor")
    from torch.utils.data import DataLoader
    from torchvision import datasets
    from torchvision import transforms as T

    steps = [T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToTensor()]
    transform = T.Compose([*steps, T.Normalize(_MEAN, _STD)])
    dataset = datasets.ImageFolder(folder, transform=transform)
    dataset.samples = dataset.samples * _REPEATS
    settings = {"num_workers": workers, "persistent_workers": workers > 0}
    return DataLoader(dataset, batch_size=32, shuffle=True, drop_last=True, **settings)


def images(make: Any, folder: str, workers: int, epochs: int) -> dict[str, float]:
    """Images a second of the best epoch but the first, and seconds to the first batch."""
    start = time.perf_counter()
    loader, first, rates = make(folder, workers), None, []
    for _ in range(epochs):
        began, count = time.perf_counter(), 0
        for batch, _ in loader:
            first = first or time.perf_counter() - start
            count += batch.shape[0]
        rates.append(count / (time.perf_counter() - began))
    return {"rate": max(rates[1:]), "first": first or 0.0}


def first_step() -> dict[str, float]:
    """Seconds from the start of the script to the loss of ResNet-50's first step."""
    import numpy as np

    import proa

    imported = time.perf_counter()
    proa.seed(0)
    net = proa.vision.models.resnet50()
    optimizer = proa.optimizer.Momentum(0.1, 0.9, parameters=net.parameters(), weight_decay=1e-4)
    loss_fn = proa.nn.CrossEntropyLoss()

    @proa.jit.to_static
    def step(x: proa.Tensor, y: proa.Tensor) -> proa.Tensor:
        loss = loss_fn(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    x = proa.to_tensor(np.ones((8, 3, 224, 224), "float32"))
    y = proa.to_tensor(np.arange(8))
    built = time.perf_counter()
    loss = float(step(x, y))
    stepped = time.perf_counter()
    float(step(x, y))
    return {
        "import": imported - _BEGAN,
        "build": built - imported,
        "first": stepped - built,
        "later": time.perf_counter() - stepped,
        "total": stepped - _BEGAN,
        "loss": loss,
    }


if __name__ == "__main__":
    if sys.argv[1] == "proa-step":
        print(json.dumps(first_step()))
    else:
        chosen = {"proa": _proa_loader, "torch": _torch_loader}[sys.argv[1]]
        print(json.dumps(images(chosen, sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
