"""Layers that move values between channels and places, and change the size of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import functional as F
from ._function_layer import FunctionLayer

Size = int | Sequence[int]


class Upsample(
    FunctionLayer,
    function=F.interpolate,
    shown=("scale_factor", "mode", "align_corners", "align_mode", "data_format"),
):
    """Changes the size of sequences, images or volumes by interpolation.

    Args:
        size: sizes of the output.
        scale_factor: factor on the sizes, instead of `size`.
        mode: `"nearest"`, `"linear"`, `"bilinear"`, `"bicubic"`, `"trilinear"` or `"area"`.
        align_corners: lets the corner places of input and output coincide.
        align_mode: 0 for places at the middle of their cells, 1 at the start.
        data_format: layout of the axes; channels first when it is `None`.
        recompute_scale_factor: works with the factor that results from the rounded sizes.
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: (at the call) both or none of `size` and `scale_factor`, or a mode
            that does not go with the number of axes.

    Examples:
        >>> import proa
        >>> proa.nn.Upsample(scale_factor=2)(proa.ones([1, 1, 2, 2])).shape
        [1, 1, 4, 4]
    """

    size: Any = None
    scale_factor: Any = None
    mode: str = "nearest"
    align_corners: bool = False
    align_mode: int = 0
    data_format: str | None = None
    recompute_scale_factor: bool | None = None
    name: str | None = None

    def extra_repr(self) -> str:
        """Returns the settings."""
        shown = super().extra_repr()
        if self.scale_factor is None:
            return shown.replace("scale_factor=None", f"size={self.size}", 1)
        return shown


class _Upsampling2D(FunctionLayer):
    """What both upsamplings of images share."""

    _mode: str
    size: Any
    scale_factor: Any
    data_format: str
    name: str | None

    def forward(self, x: Any) -> Any:
        """Returns the images in the new size."""
        return F.interpolate(
            x,
            size=self.size,
            scale_factor=self.scale_factor,
            mode=self._mode,
            align_corners=self._mode == "bilinear",
            align_mode=0,
            data_format=self.data_format,
        )

    def extra_repr(self) -> str:
        """Returns the size or factor, and the layout."""
        given = f"size={self.size}"
        if self.scale_factor is not None:
            given = f"scale_factor={self.scale_factor}"
        shown = f"{given}, data_format={self.data_format}"
        return f"{shown}, name={self.name}" if self.name else shown


class UpsamplingNearest2D(_Upsampling2D, function=F.interpolate):
    """Changes the size of images by repeating places.

    Args:
        size: `[height, width]` of the output.
        scale_factor: factor on the sizes, instead of `size`.
        data_format: `"NCHW"` or `"NHWC"`.
        name: printed; kept for Paddle's signature.
    """

    _mode = "nearest"
    size: Any = None
    scale_factor: Any = None
    data_format: str = "NCHW"
    name: str | None = None


class UpsamplingBilinear2D(_Upsampling2D, function=F.interpolate):
    """Changes the size of images by linear interpolation, with the corners kept.

    Args:
        size: `[height, width]` of the output.
        scale_factor: factor on the sizes, instead of `size`.
        data_format: `"NCHW"` or `"NHWC"`.
        name: printed; kept for Paddle's signature.
    """

    _mode = "bilinear"
    size: Any = None
    scale_factor: Any = None
    data_format: str = "NCHW"
    name: str | None = None


class _Rearrangement(FunctionLayer):
    """Printed without the usual layout."""

    data_format: str

    def extra_repr(self) -> str:
        """Returns the settings."""
        first = self._options[0]
        shown = f"{first}={getattr(self, first)}"
        if self.data_format != "NCHW":
            shown += f", data_format={self.data_format}"
        name = getattr(self, "name", None)
        return f"{shown}, name={name}" if name else shown


class PixelShuffle(_Rearrangement, function=F.pixel_shuffle):
    """Turns `f * f` channels into images `f` times as high and wide.

    Args:
        upscale_factor: the `f`.
        data_format: `"NCHW"` or `"NHWC"`.
        name: printed; kept for Paddle's signature.
    """

    upscale_factor: int
    data_format: str = "NCHW"
    name: str | None = None


class PixelUnshuffle(_Rearrangement, function=F.pixel_unshuffle):
    """Turns squares of `f * f` places into channels: the way back from PixelShuffle.

    Args:
        downscale_factor: the `f`.
        data_format: `"NCHW"` or `"NHWC"`.
        name: printed; kept for Paddle's signature.
    """

    downscale_factor: int
    data_format: str = "NCHW"
    name: str | None = None


class ChannelShuffle(_Rearrangement, function=F.channel_shuffle):
    """Deals the channels of each group out to all groups.

    Args:
        groups: number of groups; divides the number of channels.
        data_format: `"NCHW"` or `"NHWC"`.
        name: printed; kept for Paddle's signature.
    """

    groups: int
    data_format: str = "NCHW"
    name: str | None = None


class _Windows(FunctionLayer):
    """Printed with singular names."""

    def extra_repr(self) -> str:
        """Returns the settings of the window."""
        words = ("kernel_size", "dilation", "padding", "stride")
        shown = ", ".join(f"{word}={getattr(self, f'{word}s')}" for word in words)
        name = getattr(self, "name", None)
        return f"{shown}, name={name}" if name else shown


class Unfold(_Windows, function=F.unfold):
    """Lays the windows of images out as columns `[N, C * kh * kw, L]`.

    Args:
        kernel_sizes: size of the window.
        dilations: distance of the window's places.
        paddings: zeros added at each side.
        strides: step of the window.
        name: printed; kept for Paddle's signature.
    """

    kernel_sizes: Size
    dilations: Size = 1
    paddings: Size = 0
    strides: Size = 1
    name: str | None = None


class Fold(_Windows, function=F.fold):
    """Sums columns of windows up to images: the gradient map of Unfold.

    Args:
        output_sizes: `[height, width]` of the images.
        kernel_sizes: size of the window.
        dilations: distance of the window's places.
        paddings: places taken off at each side.
        strides: step of the window.
        name: printed; kept for Paddle's signature.
    """

    output_sizes: Size
    kernel_sizes: Size
    dilations: Size = 1
    paddings: Size = 0
    strides: Size = 1
    name: str | None = None
