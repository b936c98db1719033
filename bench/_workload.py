"""What a workload is: a model, a batch, an optimiser, and the ratios it is measured for.

Only NumPy is imported here and in `bench/workloads`, since every peer's environment reads them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: Contestant -> (peer, whose environment it runs in, mode).
CONTESTANTS = {
    "proa eager": ("proa", "eager"),
    "proa compiled": ("proa", "compiled"),
    "paddle eager": ("paddle", "eager"),
    "paddle to_static": ("paddle", "compiled"),
    "torch eager": ("torch", "eager"),
    "torch.compile": ("torch", "compiled"),
    "jax": ("jax", "compiled"),
    "keras": ("keras", "compiled"),
}
EAGER_PEERS = ("paddle eager", "torch eager")
ALL_PEERS = ("paddle eager", "paddle to_static", "torch eager", "torch.compile", "keras")


@dataclass(frozen=True)
class Target:
    """`ours` against the best of `peers`, up to a ratio of `limit`; no peers: up to `limit` s."""

    ours: str
    peers: tuple[str, ...]
    limit: float


@dataclass(frozen=True, kw_only=True)
class Workload:
    """One thing to measure.

    A training workload has `build`, which writes the model in the words of a peer (see
    `bench/peers`), `batch`, `loss` and `optimizer`. Another one has `twins`: peer -> function of
    the mode that returns what is called and timed. A `fresh` one names a training workload and is
    measured in new processes, of which the first `warm` only fill caches; its `figure` is
    `import`, `start` (import to first loss), `compile` (the first step) or `memory` (peak, above
    that of the import).
    """

    name: str
    about: str
    targets: tuple[Target, ...]
    build: Callable[[Any], Any] | None = None
    batch: Callable[[], tuple[np.ndarray, np.ndarray]] | None = None
    loss: str = "cross_entropy"
    optimizer: tuple[str, float] = ("sgd", 0.01)
    twins: dict[str, Callable[[str], Callable[[], float]]] = field(default_factory=dict)
    fresh: str = ""
    figure: str = "time"
    warm: int = 0
    quick: bool = False
    left_out: tuple[str, ...] = ()
    tolerance: float = 1e-3

    def model(self, words: Any) -> Any:
        """The model in the words of a peer."""
        if self.build is None:
            raise TypeError(f"{self.name} is not a training workload: it has no model")
        return self.build(words)

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """Its batch."""
        if self.batch is None:
            raise TypeError(f"{self.name} is not a training workload: it has no batch")
        return self.batch()


def training(eager: float | None, compiled: float | None) -> tuple[Target, ...]:
    """The targets of a training workload; whole steps are also held against hand-written JAX."""
    found = [] if eager is None else [Target("proa eager", EAGER_PEERS, eager)]
    if compiled is not None:
        found.append(Target("proa compiled", ALL_PEERS, compiled))
    return (*found, Target("proa compiled", ("jax",), 1.03))


def images(batch: int, channels: int, size: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """A batch of random images (NCHW, float32) and labels (int64)."""
    random = np.random.default_rng(0)
    x = random.normal(size=(batch, channels, size, size)).astype(np.float32)
    return x, random.integers(0, classes, (batch,))


def load_all() -> dict[str, Workload]:
    """All workloads by name, in the order of their files."""
    package = importlib.import_module("bench.workloads")
    found: dict[str, Workload] = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda item: item.name):
        module = importlib.import_module(f"bench.workloads.{info.name}")
        for workload in module.WORKLOADS:
            if workload.name in found:
                raise ValueError(f"two workloads have the name {workload.name!r}")
            found[workload.name] = workload
    return found
