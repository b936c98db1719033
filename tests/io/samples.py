"""Datasets that tests share; at the top level of a module, so that workers can import them."""

from __future__ import annotations

import os
import random
import signal
import time

import numpy as np
from jax._src import xla_bridge

import proa.io


class Numbers(proa.io.Dataset):
    """Sample `i` is `i`, with what the globals and the sample's generator draw."""

    def __init__(self, length: int = 8) -> None:
        self.length = length

    def __getitem__(self, index):
        drawn = [np.random.rand(), random.random(), proa.io.sample_rng().random()]
        return index, np.array(drawn)

    def __len__(self) -> int:
        return self.length


class OddError(Exception):
    """Cannot be rebuilt from its message."""

    def __init__(self, first, second) -> None:
        super().__init__(f"{first} {second}")


def fail_to_start(worker):
    """A `worker_init_fn`."""
    raise OSError("no licence")


class Faulty(proa.io.Dataset):
    """Misbehaves at index 5 in the given way."""

    def __init__(self, way: str, length: int = 8) -> None:
        self.way, self.length = way, length

    def __getitem__(self, index):
        if index == 5:
            if self.way == "raise":
                raise KeyError(f"no file {index}.png")
            if self.way == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if self.way == "segfault":
                os.kill(os.getpid(), signal.SIGSEGV)
            if self.way == "odd error":
                raise OddError("two", "parts")
            if self.way == "exit":
                os._exit(3)
            if self.way == "hang":
                time.sleep(60)
            if self.way == "ragged":
                return np.zeros(3), index
            if self.way == "unpicklable":
                return lambda: index
        return np.zeros(2), index

    def __len__(self) -> int:
        return self.length


class Big(proa.io.Dataset):
    """Samples of 256 KiB, so that a batch goes through shared memory."""

    def __getitem__(self, index):
        return np.full((64, 1024), index, np.float32)

    def __len__(self) -> int:
        return 6


class Stream(proa.io.IterableDataset):
    """Worker `w` yields `100 * w + i`, one sample fewer per worker."""

    def __init__(self, length: int = 7, fail_at: int = -1) -> None:
        self.length, self.fail_at = length, fail_at

    def __iter__(self):
        info = proa.io.get_worker_info()
        worker = 0 if info is None else info.id
        for position in range(self.length - 2 * worker):
            if position == self.fail_at:
                raise ValueError("broken record")
            yield 100 * worker + position, np.random.rand()


class About(proa.io.IterableDataset):
    """Each worker tells once what it knows of itself."""

    def __iter__(self):
        info = proa.io.get_worker_info()
        yield {
            "id": info.id,
            "num_workers": info.num_workers,
            "dataset": type(info.dataset).__name__,
            "seed": info.seed,
            "pid": os.getpid(),
            "devices started": bool(xla_bridge.backends_are_initialized()),
            "platforms": os.environ["JAX_PLATFORMS"],
        }


class Fields(proa.io.Dataset):
    """A field of each kind."""

    def __getitem__(self, index):
        return np.full(3, index, np.float32), index, float(index), f"s{index}"

    def __len__(self) -> int:
        return 5


class Counted(proa.io.Dataset):
    """Leaves a file in a folder for each sample that is read."""

    def __init__(self, folder) -> None:
        self.folder = folder

    def __getitem__(self, index):
        (self.folder / str(index)).write_text("")
        return index

    def __len__(self) -> int:
        return 8
