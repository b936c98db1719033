"""Layers with PyTorch's arguments and layouts of parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from proa import nn
from proa.core import Tensor
from proa.nn import functional as F
from proa.nn.initializer import Uniform

from .functional import linear, softmax, unfold


class _AveragePool(nn.Layer):
    _function: Any = None

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """Returns the means of the windows."""
        return type(self)._function(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            exclusive=not self.count_include_pad,
            ceil_mode=self.ceil_mode,
            **self._more(),
        )

    def _more(self) -> dict[str, Any]:
        return {}

    def extra_repr(self) -> str:
        """Returns the windows as text."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1D(_AveragePool):
    """Means of windows of sequences [N, C, L].

    Args:
        kernel_size: size of the window.
        stride: distance of windows; their size by default.
        padding: zeros at both ends.
        ceil_mode: whether a last window may reach over the end.
        count_include_pad: whether padding counts in the mean.
    """

    _function = staticmethod(F.avg_pool1d)


class _DividedPool(_AveragePool):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.divisor_override = divisor_override

    def _more(self) -> dict[str, Any]:
        return {"divisor_override": self.divisor_override}


class AvgPool2D(_DividedPool):
    """Means of windows of images [N, C, H, W]; see `AvgPool1D`.

    Args:
        kernel_size: size of the window.
        stride: distance of windows; their size by default.
        padding: zeros on each side.
        ceil_mode: whether a last window may reach over the edge.
        count_include_pad: whether padding counts in the mean.
        divisor_override: what sums are divided by instead of the number of elements.
    """

    _function = staticmethod(F.avg_pool2d)


class AvgPool3D(_DividedPool):
    """Means of windows of volumes [N, C, D, H, W]; see `AvgPool2D`.

    Args:
        kernel_size: size of the window.
        stride: distance of windows; their size by default.
        padding: zeros on each side.
        ceil_mode: whether a last window may reach over the edge.
        count_include_pad: whether padding counts in the mean.
        divisor_override: what sums are divided by instead of the number of elements.
    """

    _function = staticmethod(F.avg_pool3d)


def bounded(fan_in: int) -> Uniform:
    """Uniform numbers within `1 / sqrt(fan_in)`, as PyTorch's linear layers start."""
    bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
    return Uniform(-bound, bound)


class Linear(nn.Layer):
    """`input @ weight.T + bias`, with a weight of shape [out, in].

    Args:
        in_features: size of the last axis of the input.
        out_features: size of the last axis of the output.
        bias: whether there is a bias.
        device: where the parameters lie.
        dtype: their dtype; the default dtype when it is `None`.

    The bias starts with uniform numbers within `1 / sqrt(in_features)`, as PyTorch's; the weight,
    as in Paddle 3.3.1, within `1 / sqrt(out_features)`.

    Examples:
        >>> import proa.compat
        >>> proa.compat.nn.Linear(2, 3).weight.shape
        [3, 2]
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(dtype=dtype)
        self.in_features, self.out_features = in_features, out_features
        self.weight: Any = self.create_parameter([out_features, in_features], dtype=dtype)
        shape = [out_features]
        self.bias = self.create_parameter(shape, dtype=dtype, is_bias=True) if bias else None
        self.reset_parameters()
        if device is not None:
            self.to(device=device)

    def reset_parameters(self) -> None:
        """Draws the initial values anew.

        They are drawn after those that every parameter starts with, so that a seed gives the
        numbers that it gives in Paddle.
        """
        bounded(self.out_features)(self.weight)
        if self.bias is not None:
            bounded(self.in_features)(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Returns the map of the last axis."""
        return linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Returns the sizes as text."""
        sizes = f"in_features={self.in_features}, out_features={self.out_features}"
        return f"{sizes}, bias={self.bias is not None}"


class Softmax(nn.Layer):
    """Softmax over an axis.

    Args:
        dim: the axis; `None` is 0 for 0, 1 and 3 axes, else 1.
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Returns numbers that add up to 1 over the axis."""
        return softmax(input, self.dim)

    def extra_repr(self) -> str:
        """Returns the axis as text."""
        return f"dim={self.dim}"


class Unfold(nn.Layer):
    """Lays the windows of images out as columns `[N, C * kh * kw, L]`.

    Args:
        kernel_size: size of the window.
        dilation: distance of its elements.
        padding: zeros around the image.
        stride: distance of windows.
    """

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        dilation: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
    ) -> None:
        super().__init__()
        self.kernel_size, self.dilation = kernel_size, dilation
        self.padding, self.stride = padding, stride

    def forward(self, input: Tensor) -> Tensor:
        """Returns the columns."""
        return unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """Returns the settings as text."""
        window = f"kernel_size={self.kernel_size}, dilation={self.dilation}"
        return f"{window}, padding={self.padding}, stride={self.stride}"


# PyTorch writes the number of axes with a small letter.
AvgPool1d, AvgPool2d, AvgPool3d = AvgPool1D, AvgPool2D, AvgPool3D
