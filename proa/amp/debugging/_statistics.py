"""What is said about the numbers of a tensor, and the line that says it."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

_SHORT = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64"}
_LINE = re.compile(
    r"\[PRECISION\](?: \[ERROR\])? in \[device=(?P<device>[^,]*), op=(?P<op>[^,]*), "
    r"tensor=(?P<tensor>[^,]*), dtype=(?P<dtype>[^\]]*)\], numel=(?P<numel>\d+), "
    r"num_nan=(?P<num_nan>\d+), num_inf=(?P<num_inf>\d+), num_zero=(?P<num_zero>\d+), "
    r"max=(?P<max>[^,]+), min=(?P<min>[^,]+), mean=(?P<mean>\S+)"
)
_COUNTS = ("numel", "num_nan", "num_inf", "num_zero")
_VALUES = ("max", "min", "mean")


@dataclass(frozen=True)
class Statistics:
    """Counts and extremes of one tensor.

    Args:
        device: where it was.
        op: name of the op that gave it.
        tensor: its name.
        dtype: `fp16`, `bf16`, `fp32`, ...
        numel: number of elements.
        num_nan: how many are NaN.
        num_inf: how many are infinite.
        num_zero: how many are zero.
        max: the largest.
        min: the smallest.
        mean: their mean.
    """

    device: str
    op: str
    tensor: str
    dtype: str
    numel: int
    num_nan: int
    num_inf: int
    num_zero: int
    max: float
    min: float
    mean: float

    @property
    def is_finite(self) -> bool:
        """Whether there is neither NaN nor Inf."""
        return not self.num_nan and not self.num_inf

    def line(self) -> str:
        """Returns the line of a report."""
        known = asdict(self)
        error = "" if self.is_finite else " [ERROR]"
        counts = ", ".join(f"{name}={known[name]}" for name in _COUNTS)
        values = ", ".join(f"{name}={known[name]:e}" for name in _VALUES)
        where = f"device={self.device}, op={self.op}, tensor={self.tensor}, dtype={self.dtype}"
        return f"[PRECISION]{error} in [{where}], {counts}, {values}"


def measure(array: Any, op: str, tensor: str, device: str) -> Statistics:
    """Counts and measures; waits for the array.

    Args:
        array: floating or complex array.
        op: name of the op.
        tensor: name of the tensor.
        device: name of the device.
    """
    host = np.asarray(array)
    dtype = _SHORT.get(host.dtype.name, host.dtype.name)
    wide = np.abs(host) if host.dtype.kind == "c" else host.astype(np.float64)
    extremes = (0.0, 0.0, 0.0)
    if wide.size:
        with np.errstate(all="ignore"):
            extremes = (float(wide.max()), float(wide.min()), float(wide.mean()))
    nans, infinities = int(np.isnan(wide).sum()), int(np.isinf(wide).sum())
    zeros = int((wide == 0).sum())
    return Statistics(device, op, tensor, dtype, wide.size, nans, infinities, zeros, *extremes)


def parse(line: str) -> Statistics | None:
    """Reads a line that `Statistics.line` wrote; `None` for another line."""
    match = _LINE.search(line)
    if match is None:
        return None
    found: dict[str, Any] = match.groupdict()
    found.update({name: int(found[name]) for name in _COUNTS})
    found.update({name: float(found[name]) for name in _VALUES})
    return Statistics(**found)
