"""The names of `fluid.initializer`."""

from __future__ import annotations

from typing import Any

from proa.nn import initializer
from proa.utils._shelf import shelf


def msra(uniform: bool = True, fan_in: float | None = None, seed: int = 0) -> Any:
    """He's initialisation.

    Args:
        uniform: uniform numbers, else normally distributed ones.
        fan_in: number of inputs; that of the parameter by default.
        seed: not used: draws come from the one stream.
    """
    return (initializer.KaimingUniform if uniform else initializer.KaimingNormal)(fan_in)


def xavier(
    uniform: bool = True, fan_in: float | None = None, fan_out: float | None = None, seed: int = 0
) -> Any:
    """Glorot's initialisation.

    Args:
        uniform: uniform numbers, else normally distributed ones.
        fan_in: number of inputs; that of the parameter by default.
        fan_out: number of outputs; that of the parameter by default.
        seed: not used: draws come from the one stream.
    """
    kind = initializer.XavierUniform if uniform else initializer.XavierNormal
    return kind(fan_in, fan_out)


def uniform(low: float = -1.0, high: float = 1.0, seed: int = 0) -> Any:
    """Uniform numbers.

    Args:
        low: smallest.
        high: largest.
        seed: not used: draws come from the one stream.
    """
    return initializer.Uniform(low, high)


def normal(loc: float = 0.0, scale: float = 1.0, seed: int = 0) -> Any:
    """Normally distributed numbers.

    Args:
        loc: their mean.
        scale: their standard deviation.
        seed: not used: draws come from the one stream.
    """
    return initializer.Normal(loc, scale)


def truncated_normal(loc: float = 0.0, scale: float = 1.0, seed: int = 0) -> Any:
    """Normally distributed numbers within two standard deviations.

    Args:
        loc: their mean.
        scale: their standard deviation.
        seed: not used: draws come from the one stream.
    """
    return initializer.TruncatedNormal(loc, scale)


def constant(value: float = 0.0, force_cpu: bool = False) -> Any:
    """One number.

    Args:
        value: the number.
        force_cpu: makes no difference.
    """
    return initializer.Constant(value)


_HOME = "paddle.nn.initializer"
_MADE = {
    "Constant": (constant, f"{_HOME}.Constant"),
    "MSRA": (msra, f"{_HOME}.KaimingUniform or KaimingNormal"),
    "Normal": (normal, f"{_HOME}.Normal"),
    "TruncatedNormal": (truncated_normal, f"{_HOME}.TruncatedNormal"),
    "Uniform": (uniform, f"{_HOME}.Uniform"),
    "Xavier": (xavier, f"{_HOME}.XavierUniform or XavierNormal"),
}
NAMES: dict[str, str | tuple[Any, str]] = {
    **_MADE,
    **{f"{name}Initializer": entry for name, entry in _MADE.items()},
    "Bilinear": "proa.nn.initializer.Bilinear",
    "NumpyArrayInitializer": "proa.nn.initializer.Assign",
}
__getattr__, __dir__ = shelf("paddle.fluid.initializer", NAMES)
