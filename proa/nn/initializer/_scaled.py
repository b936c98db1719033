"""Initialisers that keep the spread of a signal from layer to layer."""

from __future__ import annotations

import math

import numpy as np

from proa.core import InvalidArgumentError

from ._base import Initializer, fans, require
from ._random import Normal, Uniform

_LINEAR = (
    "sigmoid linear conv1d conv2d conv3d conv1d_transpose conv2d_transpose conv3d_transpose "
    "conv_transpose1d conv_transpose2d conv_transpose3d"
)
_GAINS = {
    **dict.fromkeys(_LINEAR.split(), 1),
    "tanh": 5.0 / 3.0,
    "relu": math.sqrt(2.0),
    "selu": 0.75,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Returns the factor that makes up for what a nonlinearity takes from the spread.

    Args:
        nonlinearity: `"sigmoid"`, `"linear"`, `"conv1d"` ... `"conv3d_transpose"`, `"tanh"`,
            `"relu"`, `"leaky_relu"` or `"selu"`.
        param: slope of the negative part for `"leaky_relu"`, 0.01 when it is not given.

    Returns:
        The factor.

    Raises:
        InvalidArgumentError: the nonlinearity is not known.

    Examples:
        >>> import proa
        >>> proa.nn.initializer.calculate_gain("leaky_relu", 1.0)
        1.0
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else float(param)
        return math.sqrt(2.0 / (1.0 + slope**2))
    if nonlinearity not in _GAINS:
        raise InvalidArgumentError(
            f"`nonlinearity` is {nonlinearity!r}",
            expected="one of " + ", ".join([*_GAINS, "leaky_relu"]),
            fix="choose the nearest one",
        )
    return _GAINS[nonlinearity]


class _Scaled(Initializer):
    """Draws with a standard deviation that follows from the shape."""

    uniform: bool

    def std(self, shape: tuple[int, ...]) -> float:
        """Returns the standard deviation for a shape."""
        raise NotImplementedError

    def values(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Returns draws."""
        if not math.prod(shape):
            return np.zeros(shape, dtype)
        std = self.std(shape)
        if self.uniform:
            limit = math.sqrt(3.0) * std
            return Uniform(-limit, limit).values(shape, dtype)
        return Normal(0.0, std).values(shape, dtype)


class _Xavier(_Scaled):
    def __init__(
        self,
        fan_in: float | None = None,
        fan_out: float | None = None,
        gain: float = 1.0,
        name: str | None = None,
    ) -> None:
        self.fan_in, self.fan_out, self.gain = fan_in, fan_out, gain

    def std(self, shape: tuple[int, ...]) -> float:
        fan_in, fan_out = fans(shape)
        fan_in = fan_in if self.fan_in is None else self.fan_in
        fan_out = fan_out if self.fan_out is None else self.fan_out
        return self.gain * math.sqrt(2.0 / (fan_in + fan_out))


class XavierNormal(_Xavier):
    """Normal draws with `std = gain * sqrt(2 / (fan_in + fan_out))`.

    Args:
        fan_in: inputs of a unit; from the shape when it is not given.
        fan_out: outputs of a unit; from the shape when it is not given.
        gain: factor, see `calculate_gain`.
        name: kept for Paddle's signature.

    References:
        Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural
        networks", 2010.
    """

    uniform = False


class XavierUniform(_Xavier):
    """Uniform draws on `±gain * sqrt(6 / (fan_in + fan_out))`: the default for weights.

    Args:
        fan_in: inputs of a unit; from the shape when it is not given.
        fan_out: outputs of a unit; from the shape when it is not given.
        gain: factor, see `calculate_gain`.
        name: kept for Paddle's signature.

    References:
        Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural
        networks", 2010.
    """

    uniform = True


class _Kaiming(_Scaled):
    def __init__(
        self,
        fan_in: float | None = None,
        negative_slope: float = 0.0,
        nonlinearity: str = "relu",
        mode: str = "fan_in",
    ) -> None:
        require(
            mode in ("fan_in", "fan_out"),
            self,
            f"`mode` is {mode!r}",
            "'fan_in' or 'fan_out'",
            "keep the spread forward ('fan_in') or backward ('fan_out')",
        )
        self.fan_in, self.mode = fan_in, mode
        self.gain = calculate_gain(nonlinearity, negative_slope)

    def std(self, shape: tuple[int, ...]) -> float:
        fan_in, fan_out = fans(shape)
        if self.fan_in is not None:
            fan_in = self.fan_in
        return self.gain / math.sqrt(fan_in if self.mode == "fan_in" else fan_out)


class KaimingNormal(_Kaiming):
    """Normal draws with `std = gain / sqrt(fan)`.

    Args:
        fan_in: inputs of a unit; from the shape when it is not given.
        negative_slope: slope of the negative part, for `"leaky_relu"`.
        nonlinearity: what follows the layer, see `calculate_gain`.
        mode: `"fan_in"` or `"fan_out"`.

    Raises:
        InvalidArgumentError: `mode` or `nonlinearity` is not known.

    References:
        He et al., "Delving deep into rectifiers", 2015.
    """

    uniform = False


class KaimingUniform(_Kaiming):
    """Uniform draws on `±gain * sqrt(3 / fan)`.

    Args:
        fan_in: inputs of a unit; from the shape when it is not given.
        negative_slope: slope of the negative part, for `"leaky_relu"`.
        nonlinearity: what follows the layer, see `calculate_gain`.
        mode: `"fan_in"` or `"fan_out"`.

    Raises:
        InvalidArgumentError: `mode` or `nonlinearity` is not known.

    References:
        He et al., "Delving deep into rectifiers", 2015.
    """

    uniform = True
