"""What is computed from samples: medians, spread, ratios, agreement of losses."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ._workload import Target


@dataclass(frozen=True)
class Verdict:
    """A ratio against its target."""

    ours: str
    peer: str
    ratio: float
    limit: float

    @property
    def met(self) -> bool:
        """Whether the ratio is within the target."""
        return self.ratio <= self.limit


def summary(samples: Sequence[float]) -> dict[str, float]:
    """Median, smallest, and spread (half the range between quartiles, as part of the median)."""
    middle = statistics.median(samples)
    if len(samples) > 1:
        low, _, high = statistics.quantiles(samples, n=4, method="inclusive")
    else:
        low = high = middle
    return {"median": middle, "least": min(samples), "spread": (high - low) / 2 / middle}


def disagreements(losses: Mapping[str, Sequence[float]], tolerance: float) -> list[str]:
    """Contestants whose losses are not those of the first one.

    The first loss shows the model and its batch, the later ones the optimiser too; rounding
    grows from step to step, so they may differ by twenty times as much.
    """
    found: list[str] = []
    reference: tuple[str, Sequence[float]] | None = None
    for name, values in losses.items():
        if not all(map(math.isfinite, values)):
            found.append(f"{name}: losses {list(values)} are not finite")
            continue
        if reference is None:
            reference = name, values
            continue
        for step, (value, right) in enumerate(zip(values, reference[1], strict=True)):
            allowed = tolerance * (1 if step == 0 else 20) * max(abs(right), 1e-6)
            if abs(value - right) > allowed:
                message = f"{name}: loss {step + 1} is {value:.6g}, {reference[0]} has {right:.6g}"
                found.append(message)
                break
    return found


def verdicts(figures: Mapping[str, float], targets: Sequence[Target]) -> list[Verdict]:
    """The targets for which there are figures of both sides; smaller figures are better."""
    found = []
    for target in targets:
        if target.ours in figures and not target.peers:
            ratio = figures[target.ours] / target.limit
            found.append(Verdict(target.ours, f"{target.limit:g} s", ratio, 1.0))
            continue
        peers = [name for name in target.peers if name in figures]
        if target.ours not in figures or not peers:
            continue
        best = min(peers, key=figures.__getitem__)
        ratio = figures[target.ours] / figures[best]
        found.append(Verdict(target.ours, best, ratio, target.limit))
    return found
