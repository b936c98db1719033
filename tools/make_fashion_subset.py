"""Makes the Fashion-MNIST subset that comes with Proa from the four original files.

`python tools/make_fashion_subset.py FOLDER` reads the files in FOLDER (Debian's package
`dataset-fashion-mnist` puts them in /usr/share/datasets/fashion-mnist) and writes the same four
names with 600 training and 100 test images a class into `proa/data/fashion_mnist_subset`.

Of each class the images whose pixels have the smallest SHA-256 are taken: as good as a draw by lot,
and the same for everybody. An image that occurs twice is taken at most once. Order stays as it was.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from proa.vision.datasets._idx import idx_bytes, read_idx  # noqa: E402  (needs the path above)

TARGET = ROOT / "proa" / "data" / "fashion_mnist_subset"
PER_CLASS = {"t10k": 100, "train": 600}
NUM_CLASSES = 10


def choose(
    images: np.ndarray, labels: np.ndarray, *, per_class: int, taken: set[bytes]
) -> np.ndarray:
    """Indices of the chosen images in ascending order.

    Args:
        images: uint8 `[n, height, width]`.
        labels: `[n]`, the class of each image.
        per_class: how many images to take of each class.
        taken: hashes of images that must not be taken (again); the chosen ones are added.
    """
    hashes = [hashlib.sha256(image.tobytes()).digest() for image in images]
    chosen = []
    for label in range(NUM_CLASSES):
        of_class = sorted(np.flatnonzero(labels == label), key=lambda index: hashes[index])
        fresh = []
        for index in of_class:
            if hashes[index] not in taken:
                taken.add(hashes[index])
                fresh.append(index)
            if len(fresh) == per_class:
                break
        chosen += fresh
    return np.sort(np.array(chosen))


def make(source: Path, target: Path) -> list[Path]:
    """Writes the subset and `SHA256SUMS` into `target`; returns the data files."""
    target.mkdir(parents=True, exist_ok=True)
    taken: set[bytes] = set()
    written = []
    for part, per_class in PER_CLASS.items():
        names = (f"{part}-images-idx3-ubyte.gz", f"{part}-labels-idx1-ubyte.gz")
        images = read_idx(source / names[0], what="images", rank=3)
        labels = read_idx(source / names[1], what="labels", rank=1)
        chosen = choose(images, labels, per_class=per_class, taken=taken)
        for name, array in zip(names, (images, labels), strict=True):
            path = target / name
            path.write_bytes(gzip.compress(idx_bytes(array[chosen]), 9, mtime=0))
            written.append(path)
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in written]
    (target / "SHA256SUMS").write_text("\n".join(sums) + "\n", encoding="utf-8")
    return written


def main() -> None:
    """Makes the subset from the folder named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the four original files are")
    written = make(parser.parse_args().folder, TARGET)
    total = sum(path.stat().st_size for path in written)
    print(f"{TARGET}: {len(written)} files, {total / 2**20:.2f} MiB")


if __name__ == "__main__":
    main()
