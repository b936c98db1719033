"""The way back from max pooling, and pooling by other norms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import functional as F
from ._function_layer import FunctionLayer

Window = int | Sequence[int]


class _MaxUnPool(FunctionLayer):
    """What the unpoolings share: the output's size may be given at the call."""

    output_size: Any

    def forward(self, x: Any, indices: Any, output_size: Any = None) -> Any:
        """Puts values back to where max pooling found them; zeros elsewhere.

        Args:
            x: the pooled values.
            indices: their positions, from the pooling's `return_mask=True`.
            output_size: sizes of the output's window axes, before the layer's own setting.
        """
        size = self.output_size if output_size is None else output_size
        return self._function(x, indices, **{**self._settings(), "output_size": size})


class MaxUnPool1D(_MaxUnPool, function=F.max_unpool1d, shown=("output_size",)):
    """Puts the values of MaxPool1D back to their positions; zeros elsewhere.

    Args:
        kernel_size: window of the pooling.
        stride: step of the pooling; the window's size when it is `None`.
        padding: padding of the pooling.
        data_format: `"NCL"`.
        output_size: sizes of the output; from the pooling when it is `None`.
        name: printed; kept for Paddle's signature.
    """

    kernel_size: Window
    stride: Window | None = None
    padding: Any = 0
    data_format: str = "NCL"
    output_size: Any = None
    name: str | None = None


class MaxUnPool2D(_MaxUnPool, function=F.max_unpool2d, shown=("output_size",)):
    """Puts the values of MaxPool2D back to their positions; zeros elsewhere.

    Args:
        kernel_size: window of the pooling.
        stride: step of the pooling; the window's size when it is `None`.
        padding: padding of the pooling.
        data_format: `"NCHW"`.
        output_size: sizes of the output; from the pooling when it is `None`.
        name: printed; kept for Paddle's signature.
    """

    kernel_size: Window
    stride: Window | None = None
    padding: Any = 0
    data_format: str = "NCHW"
    output_size: Any = None
    name: str | None = None


class MaxUnPool3D(_MaxUnPool, function=F.max_unpool3d, shown=("output_size",)):
    """Puts the values of MaxPool3D back to their positions; zeros elsewhere.

    Args:
        kernel_size: window of the pooling.
        stride: step of the pooling; the window's size when it is `None`.
        padding: padding of the pooling.
        data_format: `"NCDHW"`.
        output_size: sizes of the output; from the pooling when it is `None`.
        name: printed; kept for Paddle's signature.
    """

    kernel_size: Window
    stride: Window | None = None
    padding: Any = 0
    data_format: str = "NCDHW"
    output_size: Any = None
    name: str | None = None


_NORM = ("norm_type", "kernel_size", "stride", "padding")


class _LPPool(FunctionLayer):
    """What both poolings share."""

    norm_type: float

    def __post_init__(self) -> None:
        self.norm_type = float(self.norm_type)


class LPPool1D(_LPPool, function=F.lp_pool1d, shown=_NORM):
    """p-norm of a window that moves along sequences: `sum(x^p)^(1/p)`.

    Args:
        norm_type: the p.
        kernel_size: size of the window.
        stride: step of the window; its size when it is `None`.
        padding: zeros added at each side.
        ceil_mode: keeps a last window that is only partly inside.
        data_format: `"NCL"` or `"NLC"`.
        name: printed; kept for Paddle's signature.
    """

    norm_type: float
    kernel_size: Window
    stride: Window | None = None
    padding: Any = 0
    ceil_mode: bool = False
    data_format: str = "NCL"
    name: str | None = None


class LPPool2D(_LPPool, function=F.lp_pool2d, shown=_NORM):
    """p-norm of a window that moves over images: `sum(x^p)^(1/p)`.

    Args:
        norm_type: the p.
        kernel_size: size of the window, one number or `[height, width]`.
        stride: step of the window; its size when it is `None`.
        padding: zeros added at each side.
        ceil_mode: keeps last windows that are only partly inside.
        data_format: `"NCHW"` or `"NHWC"`.
        name: printed; kept for Paddle's signature.
    """

    norm_type: float
    kernel_size: Window
    stride: Window | None = None
    padding: Any = 0
    ceil_mode: bool = False
    data_format: str = "NCHW"
    name: str | None = None


LPPool1d, LPPool2d = LPPool1D, LPPool2D
