"""Fashion-MNIST: ten classes of clothing, with a subset that comes with Proa."""

from __future__ import annotations

from pathlib import Path

from ._files import IdxFiles, find_idx_files, idx_files_in
from ._mnist import MNIST

_NAME = "fashion-mnist"
_BUNDLED = Path(__file__).resolve().parents[2] / "data" / "fashion_mnist_subset"

FASHION_MNIST_CLASSES = (
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
)


def fashion_mnist_files(folder: str | Path | None = None) -> IdxFiles:
    """Finds the four files of Fashion-MNIST on this machine.

    Args:
        folder: where the files are; `"bundled"` for the subset that comes with Proa (6,000 training
            and 1,000 test images, 600 and 100 a class). `None` takes the first of: the folder that
            the environment variable `PROA_DATA` names, its `fashion-mnist` folder,
            `/usr/share/datasets/fashion-mnist` (Debian's package `dataset-fashion-mnist`, the full
            set of 60,000 and 10,000), the bundled subset.

    Returns:
        The paths, and where they were found.

    Raises:
        NotFoundError: `folder` or `PROA_DATA` is given and lacks one of the files.

    Example:
        >>> from proa.vision.datasets import fashion_mnist_files
        >>> files = fashion_mnist_files("bundled")
        >>> files.source, files.train_images.name
        ('bundled', 'train-images-idx3-ubyte.gz')
    """
    if folder == "bundled":
        return idx_files_in(_BUNDLED, source="bundled")
    if folder is not None:
        return idx_files_in(folder, source="folder")
    return find_idx_files(_NAME) or idx_files_in(_BUNDLED, source="bundled")


class FashionMNIST(MNIST):
    """28×28 grey images of clothing in ten classes (Xiao, Rasul, Vollgraf, 2017).

    Without paths the files are those of `fashion_mnist_files()`: the full set where it is
    installed, otherwise the subset that comes with Proa, so that the data is always there.
    Arguments, attributes, items and errors are those of `MNIST`.

    Attributes:
        class_names: names of the classes, in the order of the labels.

    Example:
        >>> from proa.vision.datasets import FashionMNIST
        >>> data = FashionMNIST(mode="test")
        >>> image, label = data[0]
        >>> image.size, data.class_names[int(label[0])] in data.class_names
        ((28, 28), True)

    References:
        arXiv:1708.07747. Behaviour of the items: PaddlePaddle 3.3.1.
    """

    NAME = _NAME
    class_names = FASHION_MNIST_CLASSES

    def _find(self) -> IdxFiles:
        return fashion_mnist_files()
