"""The tour's model: data, network, pre-processing. What a user would write first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import proa
import proa.distributed as dist
from proa import nn
from proa.vision.datasets import FashionMNIST, fashion_mnist_files

# Mean and deviation of the pixels of Fashion-MNIST's training set, on a scale of 0..1.
MEAN, DEVIATION = 0.2860, 0.3530
BATCH_SIZE = 64
#: Positions in the network of the two linear layers that `tensor` mode splits.
WIDE, NARROW = 8, 10


@dataclass(frozen=True)
class Data:
    """The two parts of the data set, and where they came from.

    Attributes:
        train: items `(image, label)` for training; images are prepared arrays.
        test: the same for testing.
        source: where the files were found.
        files: the four files.
    """

    train: Any
    test: Any
    source: str
    files: tuple[Any, ...]


def normalise(image: Any) -> np.ndarray:
    """One image of 28×28 grey values (0..255) as float32 of shape [1, 28, 28]."""
    grey = np.asarray(image, dtype=np.float32)[None]
    return (grey / 255.0 - np.float32(MEAN)) / np.float32(DEVIATION)


def prepare(images: Any) -> Any:
    """The same on tensors: uint8 of shape [batch, 28, 28] to float32 [batch, 1, 28, 28]."""
    return ((images.astype("float32") / 255.0 - MEAN) / DEVIATION).unsqueeze(1)


def load_data(folder: str | None = None, *, raw: bool = False) -> Data:
    """Finds and opens Fashion-MNIST.

    Args:
        folder: as for `fashion_mnist_files`.
        raw: give images as they are in the files instead of prepared.
    """
    files = fashion_mnist_files(folder)
    transform = None if raw else normalise
    parts = [
        FashionMNIST(images, labels, mode=mode, transform=transform, backend="cv2")
        for mode, images, labels in (
            ("train", files.train_images, files.train_labels),
            ("test", files.test_images, files.test_labels),
        )
    ]
    paths = (files.train_images, files.train_labels, files.test_images, files.test_labels)
    return Data(parts[0], parts[1], files.source, paths)


def build_network() -> nn.Sequential:
    """A small convolutional network for ten classes: 0.2 million parameters."""
    return nn.Sequential(
        nn.Conv2D(1, 16, 3, padding=1),
        nn.Silu(),
        nn.AvgPool2D(2),
        nn.Conv2D(16, 32, 3, padding=1),
        nn.Silu(),
        nn.AvgPool2D(2),
        nn.Flatten(),
        nn.Dropout(0.25),
        nn.Linear(32 * 7 * 7, 128),
        nn.Silu(),
        nn.Linear(128, 10),
    )


def mark(network: nn.Sequential, mode: str, num_devices: int) -> Any:
    """Lays the network over `num_devices` devices; returns the mesh.

    Args:
        network: what `build_network` returns.
        mode: `"data"` (every device has the whole network and a part of each batch) or
            `"tensor"` (the wide linear layer and the next one are split as well).
        num_devices: how many devices.
    """
    if mode == "data":
        mesh = dist.ProcessMesh(list(range(num_devices)), dim_names=["data"])
    else:
        grid = np.arange(num_devices).reshape(2, -1)
        mesh = dist.ProcessMesh(grid, dim_names=["data", "model"])
        whole, columns, rows = dist.Replicate(), dist.Shard(1), dist.Shard(0)
        dist.shard_tensor(network[WIDE].weight, mesh, [whole, columns])
        dist.shard_tensor(network[WIDE].bias, mesh, [whole, rows])
        dist.shard_tensor(network[NARROW].weight, mesh, [whole, rows])
    dist.shard_layer(network, mesh)
    return mesh


def build_model(network: Any, *, steps: int, rate: float = 2e-3) -> proa.Model:
    """A `Model` with Adam, a cosine schedule over `steps` steps, and accuracy."""
    schedule = proa.optimizer.lr.CosineAnnealingDecay(rate, T_max=steps)
    # A larger epsilon than the default keeps rounding noise of tiny gradients small.
    optimizer = proa.optimizer.Adam(schedule, epsilon=1e-6, parameters=network.parameters())
    model = proa.Model(network)
    model.prepare(optimizer, nn.CrossEntropyLoss(), proa.metric.Accuracy())
    return model
