"""Pooling as layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import functional as F
from ._function_layer import FunctionLayer

Window = int | Sequence[int]
_WINDOW = ("kernel_size", "stride", "padding")


class AvgPool1D(FunctionLayer, function=F.avg_pool1d, shown=_WINDOW):
    """Mean over a window that moves along sequences `[N, C, L]`.

    Args:
        kernel_size: size of the window.
        stride: step of the window; its size when it is `None`.
        padding: zeros added at each side, `"SAME"` or `"VALID"`.
        exclusive: leaves the added zeros out of the mean.
        ceil_mode: keeps a last window that is only partly inside.
        name: printed; kept for Paddle's signature.
    """

    kernel_size: Window
    stride: Window | None = None
    padding: Any = 0
    exclusive: bool = True
    ceil_mode: bool = False
    name: str | None = None


class AvgPool2D(FunctionLayer, function=F.avg_pool2d, shown=_WINDOW):
    """Mean over a window that moves over images.

    Args:
        kernel_size: size of the window, one number or `[height, width]`.
        stride: step of the window; its size when it is `None`.
        padding: zeros added at each side, `"SAME"` or `"VALID"`.
        ceil_mode: keeps last windows that are only partly inside.
        exclusive: leaves the added zeros out of the mean.
        divisor_override: divides the sum by this number instead.
        data_format: `"NCHW"` or `"NHWC"`.
        name: printed; kept for Paddle's signature.

    Examples:
        >>> import proa
        >>> proa.nn.AvgPool2D(2)(proa.ones([1, 3, 4, 4])).shape
        [1, 3, 2, 2]
    """

    kernel_size: Window
    stride: Window | None = None
    padding: Any = 0
    ceil_mode: bool = False
    exclusive: bool = True
    divisor_override: float | None = None
    data_format: str = "NCHW"
    name: str | None = None


class AvgPool3D(FunctionLayer, function=F.avg_pool3d, shown=_WINDOW):
    """Mean over a window that moves through volumes.

    Args:
        kernel_size: size of the window, one number or three.
        stride: step of the window; its size when it is `None`.
        padding: zeros added at each side, `"SAME"` or `"VALID"`.
        ceil_mode: keeps last windows that are only partly inside.
        exclusive: leaves the added zeros out of the mean.
        divisor_override: divides the sum by this number instead.
        data_format: `"NCDHW"` or `"NDHWC"`.
        name: printed; kept for Paddle's signature.
    """

    kernel_size: Window
    stride: Window | None = None
    padding: Any = 0
    ceil_mode: bool = False
    exclusive: bool = True
    divisor_override: float | None = None
    data_format: str = "NCDHW"
    name: str | None = None


class MaxPool1D(FunctionLayer, function=F.max_pool1d, shown=_WINDOW):
    """Largest value of a window that moves along sequences `[N, C, L]`.

    Args:
        kernel_size: size of the window.
        stride: step of the window; its size when it is `None`.
        padding: places added at each side, which never win; `"SAME"` or `"VALID"`.
        return_mask: returns the positions of the largest values as well.
        ceil_mode: keeps a last window that is only partly inside.
        name: printed; kept for Paddle's signature.
    """

    kernel_size: Window
    stride: Window | None = None
    padding: Any = 0
    return_mask: bool = False
    ceil_mode: bool = False
    name: str | None = None


class MaxPool2D(FunctionLayer, function=F.max_pool2d, shown=_WINDOW):
    """Largest value of a window that moves over images.

    Args:
        kernel_size: size of the window, one number or `[height, width]`.
        stride: step of the window; its size when it is `None`.
        padding: places added at each side, which never win; `"SAME"` or `"VALID"`.
        return_mask: returns the positions (in the flat image) of the largest values as well.
        ceil_mode: keeps last windows that are only partly inside.
        data_format: `"NCHW"` or `"NHWC"`.
        name: printed; kept for Paddle's signature.

    Examples:
        >>> import proa
        >>> proa.nn.MaxPool2D(2, stride=2)(proa.ones([1, 3, 4, 4])).shape
        [1, 3, 2, 2]
    """

    kernel_size: Window
    stride: Window | None = None
    padding: Any = 0
    return_mask: bool = False
    ceil_mode: bool = False
    data_format: str = "NCHW"
    name: str | None = None


class MaxPool3D(FunctionLayer, function=F.max_pool3d, shown=_WINDOW):
    """Largest value of a window that moves through volumes.

    Args:
        kernel_size: size of the window, one number or three.
        stride: step of the window; its size when it is `None`.
        padding: places added at each side, which never win; `"SAME"` or `"VALID"`.
        return_mask: returns the positions (in the flat volume) of the largest values as well.
        ceil_mode: keeps last windows that are only partly inside.
        data_format: `"NCDHW"` or `"NDHWC"`.
        name: printed; kept for Paddle's signature.
    """

    kernel_size: Window
    stride: Window | None = None
    padding: Any = 0
    return_mask: bool = False
    ceil_mode: bool = False
    data_format: str = "NCDHW"
    name: str | None = None


class AdaptiveAvgPool1D(FunctionLayer, function=F.adaptive_avg_pool1d, shown=("output_size",)):
    """Means of windows that are chosen so that the output has a given size.

    Args:
        output_size: size of the output's last axis.
        name: printed; kept for Paddle's signature.
    """

    output_size: int
    name: str | None = None


class AdaptiveAvgPool2D(FunctionLayer, function=F.adaptive_avg_pool2d, shown=("output_size",)):
    """Means of windows that are chosen so that the output has a given size.

    Args:
        output_size: one number, or `[height, width]` where `None` keeps the input's size.
        data_format: `"NCHW"` or `"NHWC"`.
        name: printed; kept for Paddle's signature.

    Examples:
        >>> import proa
        >>> proa.nn.AdaptiveAvgPool2D(1)(proa.ones([2, 3, 5, 5])).shape
        [2, 3, 1, 1]
    """

    output_size: Any
    data_format: str = "NCHW"
    name: str | None = None


class AdaptiveAvgPool3D(FunctionLayer, function=F.adaptive_avg_pool3d, shown=("output_size",)):
    """Means of windows that are chosen so that the output has a given size.

    Args:
        output_size: one number, or three where `None` keeps the input's size.
        data_format: `"NCDHW"` or `"NDHWC"`.
        name: printed; kept for Paddle's signature.
    """

    output_size: Any
    data_format: str = "NCDHW"
    name: str | None = None


class AdaptiveMaxPool1D(FunctionLayer, function=F.adaptive_max_pool1d):
    """Largest values of windows that are chosen so that the output has a given size.

    Args:
        output_size: size of the output's last axis.
        return_mask: returns the positions of the largest values as well.
        name: printed; kept for Paddle's signature.
    """

    output_size: int
    return_mask: bool = False
    name: str | None = None


class AdaptiveMaxPool2D(FunctionLayer, function=F.adaptive_max_pool2d):
    """Largest values of windows that are chosen so that the output has a given size.

    Args:
        output_size: one number, or `[height, width]` where `None` keeps the input's size.
        return_mask: returns the positions (in the flat image) of the largest values as well.
        name: printed; kept for Paddle's signature.
    """

    output_size: Any
    return_mask: bool = False
    name: str | None = None


class AdaptiveMaxPool3D(FunctionLayer, function=F.adaptive_max_pool3d):
    """Largest values of windows that are chosen so that the output has a given size.

    Args:
        output_size: one number, or three where `None` keeps the input's size.
        return_mask: returns the positions (in the flat volume) of the largest values as well.
        name: printed; kept for Paddle's signature.
    """

    output_size: Any
    return_mask: bool = False
    name: str | None = None


AdaptiveMaxPool1d = AdaptiveMaxPool1D
AdaptiveMaxPool2d = AdaptiveMaxPool2D
AdaptiveMaxPool3d = AdaptiveMaxPool3D


class FractionalMaxPool2D(
    FunctionLayer, function=F.fractional_max_pool2d, shown=("output_size", "return_mask")
):
    """Max pooling of images to any size, over windows cut at pseudo-random places.

    Args:
        output_size: one number, or `[height, width]`; `None` in it keeps an axis.
        kernel_size: size of the windows; by default they touch.
        random_u: number between 0 and 1 that the places come from; drawn at each call when it is
            `None`.
        return_mask: gives the places of the maxima too.
        name: printed; kept for Paddle's signature.

    Examples:
        >>> import proa
        >>> proa.nn.FractionalMaxPool2D(3)(proa.ones([1, 1, 7, 7])).shape
        [1, 1, 3, 3]
    """

    output_size: Any
    kernel_size: Any = None
    random_u: float | None = None
    return_mask: bool = False
    name: str | None = None


class FractionalMaxPool3D(
    FunctionLayer, function=F.fractional_max_pool3d, shown=("output_size", "return_mask")
):
    """Max pooling of volumes to any size, over windows cut at pseudo-random places.

    Args:
        output_size: one number, or `[depth, height, width]`; `None` in it keeps an axis.
        kernel_size: size of the windows; by default they touch.
        random_u: number between 0 and 1 that the places come from; drawn at each call when it is
            `None`.
        return_mask: gives the places of the maxima too.
        name: printed; kept for Paddle's signature.
    """

    output_size: Any
    kernel_size: Any = None
    random_u: float | None = None
    return_mask: bool = False
    name: str | None = None
