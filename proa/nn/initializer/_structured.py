"""Initialisers that make the layer a known linear map."""

from __future__ import annotations

import math

import numpy as np

from ._base import Initializer, host_generator, require


class Orthogonal(Initializer):
    """Random weights whose rows or columns (whichever are fewer) are orthogonal.

    The weight is seen as a matrix of its first axis by all others.

    Args:
        gain: length of the rows or columns.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: (when it is used) the parameter has fewer than two axes.

    References:
        Saxe et al., "Exact solutions to the nonlinear dynamics of learning in deep linear
        neural networks", 2013.
    """

    def __init__(self, gain: float = 1.0, name: str | None = None) -> None:
        self.gain = gain

    def values(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Returns an orthogonal matrix in the parameter's shape."""
        require(
            len(shape) >= 2,
            self,
            f"the parameter has shape {list(shape)}",
            "a parameter with at least two axes",
            "use another initialiser for biases",
        )
        rows, columns = shape[0], math.prod(shape[1:])
        drawn = host_generator().standard_normal((max(rows, columns), min(rows, columns)))
        basis, triangle = np.linalg.qr(drawn)
        # With a positive diagonal the basis is drawn evenly from all rotations.
        basis = basis * np.where(np.diagonal(triangle) < 0, -1.0, 1.0)
        basis = basis.T if rows < columns else basis
        return (self.gain * basis).reshape(shape).astype(dtype)


class Dirac(Initializer):
    """Makes a convolution hand its input channels on unchanged, as far as there are outputs.

    Args:
        groups: number of groups of output channels, each of which starts from channel 0.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `groups` is not positive, or (when it is used) the parameter has
            not 3 to 5 axes, or its first axis cannot be divided by `groups`.
    """

    def __init__(self, groups: int = 1, name: str | None = None) -> None:
        require(
            isinstance(groups, int) and groups > 0,
            self,
            f"`groups` is {groups}",
            "a positive integer",
            "use 1 for a plain convolution",
        )
        self.groups = groups

    def values(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Returns ones at the windows' centres, zeros elsewhere."""
        require(
            3 <= len(shape) <= 5 and shape[0] % self.groups == 0,
            self,
            f"the parameter has shape {list(shape)}, `groups` is {self.groups}",
            "the kernel of a 1-, 2- or 3-d convolution, its outputs divisible by `groups`",
            "use it for the weight of a convolution",
        )
        kernel = np.zeros(shape, dtype)
        centre = tuple(size // 2 for size in shape[2:])
        outputs = shape[0] // self.groups
        for group in range(self.groups):
            for channel in range(min(outputs, shape[1])):
                kernel[(group * outputs + channel, channel, *centre)] = 1.0
        return kernel


class Bilinear(Initializer):
    """Makes a transposed convolution interpolate linearly in both directions.

    With window `k` and factor `f = ceil(k / 2)`, centre `c = (2f - 1 - f % 2) / (2f)`:
    `w[i, j] = (1 - |i / f - c|) * (1 - |j / f - c|)`. Use it with `kernel_size = 2f - f % 2`,
    `stride = f`, `padding = ceil((f - 1) / 2)` and one group per channel.

    Raises:
        InvalidArgumentError: (when it is used) not a kernel with a square window.

    Differs: in Paddle 3.3.1 the rows of the kernel are mixed up (`i / k` is not rounded down).
    """

    def values(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Returns the kernel of the interpolation."""
        require(
            len(shape) == 4 and shape[2] == shape[3],
            self,
            f"the parameter has shape {list(shape)}",
            "the kernel of a 2-d convolution with a square window",
            "use it for the weight of Conv2DTranspose",
        )
        factor = math.ceil(shape[3] / 2.0)
        centre = (2 * factor - 1 - factor % 2) / (2.0 * factor)
        line = 1.0 - np.abs(np.arange(shape[3]) / factor - centre)
        return np.broadcast_to(np.outer(line, line), shape).astype(dtype)
