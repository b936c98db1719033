"""One small run of the tour, shared by the tests of its modules."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from proa.suites.tour import _steps, run_tour
from proa.vision.datasets import fashion_mnist_files


def write_idx(path: Path, array: np.ndarray) -> None:
    sizes = b"".join(int(n).to_bytes(4, "big") for n in array.shape)
    path.write_bytes(bytes([0, 0, 8, array.ndim]) + sizes + array.tobytes())


@pytest.fixture(scope="session")
def few_images(tmp_path_factory) -> Path:
    """640 + 200 images of the bundled subset, in a folder of their own."""
    folder = tmp_path_factory.mktemp("few")
    data = _steps.load_data("bundled", raw=True)
    assert fashion_mnist_files("bundled").source == "bundled"
    for part, prefix, count in ((data.train, "train", 640), (data.test, "t10k", 200)):
        write_idx(folder / f"{prefix}-images-idx3-ubyte", part.images[:count])
        write_idx(
            folder / f"{prefix}-labels-idx1-ubyte", np.ravel(part.labels)[:count].astype(np.uint8)
        )
    return folder


@pytest.fixture(scope="session")
def finished(few_images, tmp_path_factory):
    """A run of all seven steps; accuracy on so few images is not what it is about."""
    out = tmp_path_factory.mktemp("runs") / "run"
    text = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_steps, "EPOCHS_SMALL", 5)
        patch.setattr(_steps, "RESUME_IMAGES", 256)
        patch.setattr(_steps, "STOP_AFTER", 6)
        run_tour(out, data=str(few_images), console=Console(file=text, width=120))
    return out, text.getvalue()
