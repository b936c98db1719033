"""Convolutions and transposed convolutions over one, two and three axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from proa.core import InvalidArgumentError, InvalidTypeError

from . import functional as F
from ._layout import WithLayout
from .initializer import Normal

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


def _sizes(value: Any, count: int, what: str, owner: str) -> list[int]:
    """Returns one integer per axis of the window."""
    entries = list(value) if isinstance(value, Sequence) else [value] * count
    if len(entries) != count or not all(hasattr(entry, "__index__") for entry in entries):
        raise InvalidArgumentError(
            f"{owner}: `{what}` is {value!r}",
            expected=f"an integer, or {count} of them",
            fix="give one number for all axes or one for each",
        )
    return [entry.__index__() for entry in entries]


class _Conv(WithLayout):
    """What all convolutions share."""

    _ndim: ClassVar[int]
    _transposed: ClassVar[bool] = False

    def _set_up(
        self,
        channels: tuple[int, int],
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        groups: int,
        data_format: str | None,
    ) -> None:
        owner = type(self).__name__
        self._in_channels, self._out_channels = channels
        self._kernel_size = _sizes(kernel_size, self._ndim, "kernel_size", owner)
        self._stride = _sizes(stride, self._ndim, "stride", owner)
        self._dilation = _sizes(dilation, self._ndim, "dilation", owner)
        self._padding, self._groups = padding, groups
        self._padding_mode, self.output_padding = "zeros", 0
        self._data_format = self._layout(data_format)
        if groups < 1 or any(count % groups for count in channels):
            raise InvalidArgumentError(
                f"{owner}: `groups` is {groups} with {channels[0]} input and {channels[1]} output "
                "channels",
                expected="a positive integer that divides both",
                fix="change groups or the numbers of channels",
            )
        if isinstance(padding, str) and padding.upper() not in ("SAME", "VALID"):
            raise InvalidArgumentError(
                f"{owner}: `padding` is {padding!r}",
                expected="'SAME', 'VALID', or numbers",
                fix="give the number of places to add at each side",
            )

    def _make_parameters(
        self, weight_attr: Any, bias_attr: Any, dtype: Any = None, device: Any = None
    ) -> None:
        first, second = self._out_channels, self._in_channels
        initializer = None
        if self._transposed:
            first, second = second, first
        else:
            inputs = self._in_channels * math.prod(self._kernel_size)
            initializer = Normal(0.0, math.sqrt(2.0 / max(inputs, 1)))
        shape = [first, second // self._groups, *self._kernel_size]
        weight = self.create_parameter(
            shape, weight_attr, dtype, default_initializer=initializer, device=device
        )
        if weight is None:
            raise InvalidArgumentError(
                f"`weight_attr` of {type(self).__name__} is False",
                expected="a ParamAttr, a name, an initialiser or None",
                fix="leave weight_attr out; for a fixed weight use ParamAttr(trainable=False)",
            )
        self.weight = weight
        self.bias = self.create_parameter(
            [self._out_channels], bias_attr, dtype, is_bias=True, device=device
        )

    def extra_repr(self) -> str:
        """Returns the channels, the window and what differs from the defaults."""
        ones = [1] * self._ndim
        parts = [f"{self._in_channels}", f"{self._out_channels}"]
        parts.append(f"kernel_size={self._kernel_size}")
        for name, usual in (
            ("stride", ones),
            ("padding", 0),
            ("padding_mode", "zeros"),
            ("output_padding", 0),
            ("dilation", ones),
            ("groups", 1),
        ):
            value = self.output_padding if name == "output_padding" else getattr(self, f"_{name}")
            if value != usual:
                parts.append(f"{name}={value}")
        parts.append(f"data_format={self._data_format}")
        return ", ".join(parts)


class _PlainConv(_Conv):
    """A convolution; its subclasses say over how many axes."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        *,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str | None = None,
    ) -> None:
        super().__init__()
        channels = (in_channels, out_channels)
        self._set_up(channels, kernel_size, stride, padding, dilation, groups, data_format)
        if padding_mode not in _PADDING_MODES:
            raise InvalidArgumentError(
                f"{type(self).__name__}: `padding_mode` is {padding_mode!r}",
                expected="one of " + ", ".join(_PADDING_MODES),
                fix="use 'zeros' for the usual padding",
            )
        if padding_mode != "zeros" and isinstance(padding, str):
            raise InvalidTypeError(
                f"{type(self).__name__}: `padding` is {padding!r} with mode {padding_mode!r}",
                expected="numbers",
                fix="give the number of places to add at each side",
            )
        self._padding_mode = padding_mode
        self._make_parameters(weight_attr, bias_attr if bias else False, dtype, device)

    def forward(self, x: Any) -> Any:
        """Returns the convolution of `x`."""
        return self.convolved(x, self.weight)

    def convolved(self, x: Any, weight: Any) -> Any:
        """Returns the convolution of `x` with another weight of the layer's shape."""
        padding = self._padding
        if self._padding_mode != "zeros":
            sides = _sizes(padding, self._ndim, "padding", type(self).__name__)
            # Pads are listed from the last axis backwards.
            pads = [side for size in reversed(sides) for side in (size, size)]
            x = F.pad(x, pads, mode=self._padding_mode, data_format=self._data_format)
            padding = 0
        function = getattr(F, f"conv{self._ndim}d")
        return function(
            x,
            weight,
            self.bias,
            stride=self._stride,
            padding=padding,
            dilation=self._dilation,
            groups=self._groups,
            data_format=self._data_format,
        )


class Conv1D(_PlainConv):
    """Convolution over sequences.

    Args:
        in_channels: channels of the input, divisible by `groups`.
        out_channels: channels of the output, divisible by `groups`.
        kernel_size: size of the window.
        stride: step of the window.
        padding: places added at each side, `"SAME"` or `"VALID"`.
        dilation: distance of the window's places.
        groups: number of groups of channels that do not mix.
        bias: `False` for no bias.
        padding_mode: what is added: `"zeros"`, `"reflect"`, `"replicate"` or `"circular"`.
        device: where the parameters lie.
        dtype: dtype of the parameters; the default dtype when it is `None`.
        weight_attr: settings of the weight `[out, in / groups, k]`, see ParamAttr; by default
            normal draws with `std = sqrt(2 / (in * k))`.
        bias_attr: settings of the bias; zeros by default, `False` for none.
        data_format: `"NCL"` or `"NLC"`.

    Raises:
        InvalidArgumentError: an argument is out of range, or (at the call) the input does not
            fit.

    Examples:
        >>> import proa
        >>> proa.nn.Conv1D(3, 4, 3, padding=1)(proa.ones([2, 3, 8])).shape
        [2, 4, 8]
    """

    _ndim = 1
    _layouts = ("NCL", "NLC")


class Conv2D(_PlainConv):
    """Convolution over images.

    Args:
        in_channels: channels of the input, divisible by `groups`.
        out_channels: channels of the output, divisible by `groups`.
        kernel_size: size of the window, one number or `[height, width]`.
        stride: step of the window.
        padding: places added at each side: a number, `[height, width]`, four numbers, pairs per
            axis, `"SAME"` or `"VALID"`.
        dilation: distance of the window's places.
        groups: number of groups of channels that do not mix.
        bias: `False` for no bias.
        padding_mode: what is added: `"zeros"`, `"reflect"`, `"replicate"` or `"circular"`.
        device: where the parameters lie.
        dtype: dtype of the parameters; the default dtype when it is `None`.
        weight_attr: settings of the weight `[out, in / groups, kh, kw]`, see ParamAttr; by
            default normal draws with `std = sqrt(2 / (in * kh * kw))`.
        bias_attr: settings of the bias; zeros by default, `False` for none.
        data_format: `"NCHW"` or `"NHWC"`.

    Raises:
        InvalidArgumentError: an argument is out of range, or (at the call) the input does not
            fit.

    Examples:
        >>> import proa
        >>> proa.nn.Conv2D(3, 4, 3, stride=2, padding=1)(proa.ones([2, 3, 8, 8])).shape
        [2, 4, 4, 4]
    """

    _ndim = 2
    _layouts = ("NCHW", "NHWC")


class Conv3D(_PlainConv):
    """Convolution over volumes.

    Args:
        in_channels: channels of the input, divisible by `groups`.
        out_channels: channels of the output, divisible by `groups`.
        kernel_size: size of the window, one number or three.
        stride: step of the window.
        padding: places added at each side: a number, three, six, pairs per axis, `"SAME"` or
            `"VALID"`.
        dilation: distance of the window's places.
        groups: number of groups of channels that do not mix.
        bias: `False` for no bias.
        padding_mode: what is added: `"zeros"`, `"reflect"`, `"replicate"` or `"circular"`.
        device: where the parameters lie.
        dtype: dtype of the parameters; the default dtype when it is `None`.
        weight_attr: settings of the weight `[out, in / groups, kd, kh, kw]`, see ParamAttr.
        bias_attr: settings of the bias; zeros by default, `False` for none.
        data_format: `"NCDHW"` or `"NDHWC"`.

    Raises:
        InvalidArgumentError: an argument is out of range, or (at the call) the input does not
            fit.
    """

    _ndim = 3
    _layouts = ("NCDHW", "NDHWC")


class _TransposedConv(_Conv):
    """A transposed convolution; its subclasses say over how many axes."""

    _transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str | None = None,
    ) -> None:
        super().__init__()
        channels = (in_channels, out_channels)
        self._set_up(channels, kernel_size, stride, padding, dilation, groups, data_format)
        self.output_padding = output_padding
        self._make_parameters(weight_attr, bias_attr)

    def forward(self, x: Any, output_size: Any = None) -> Any:
        """Returns the transposed convolution of `x`.

        Args:
            x: the input.
            output_size: sizes of the output's window axes, where several are possible.
        """
        return self.convolved(x, self.weight, output_size)

    def convolved(self, x: Any, weight: Any, output_size: Any = None) -> Any:
        """Returns the transposed convolution of `x` with another weight of the layer's shape."""
        function = getattr(F, f"conv{self._ndim}d_transpose")
        return function(
            x,
            weight,
            self.bias,
            stride=self._stride,
            padding=self._padding,
            output_padding=0 if output_size is not None else self.output_padding,
            dilation=self._dilation,
            groups=self._groups,
            output_size=output_size,
            data_format=self._data_format,
        )


class Conv1DTranspose(_TransposedConv):
    """Transposed convolution over sequences: the gradient map of Conv1D.

    Args:
        in_channels: channels of the input, divisible by `groups`.
        out_channels: channels of the output, divisible by `groups`.
        kernel_size: size of the window.
        stride: step of the window in the output.
        padding: places taken off at each side.
        output_padding: places added at the end of the output.
        groups: number of groups of channels that do not mix.
        dilation: distance of the window's places.
        weight_attr: settings of the weight `[in, out / groups, k]`, see ParamAttr.
        bias_attr: settings of the bias; zeros by default, `False` for none.
        data_format: `"NCL"` or `"NLC"`.

    Raises:
        InvalidArgumentError: an argument is out of range, or (at the call) the input does not
            fit.
    """

    _ndim = 1
    _layouts = ("NCL", "NLC")

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str | None = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            dilation,
            groups,
            weight_attr,
            bias_attr,
            data_format,
        )


class Conv2DTranspose(_TransposedConv):
    """Transposed convolution over images: the gradient map of Conv2D.

    Args:
        in_channels: channels of the input, divisible by `groups`.
        out_channels: channels of the output, divisible by `groups`.
        kernel_size: size of the window, one number or `[height, width]`.
        stride: step of the window in the output.
        padding: places taken off at each side.
        output_padding: places added at the end of the output.
        dilation: distance of the window's places.
        groups: number of groups of channels that do not mix.
        weight_attr: settings of the weight `[in, out / groups, kh, kw]`, see ParamAttr.
        bias_attr: settings of the bias; zeros by default, `False` for none.
        data_format: `"NCHW"` or `"NHWC"`.

    Raises:
        InvalidArgumentError: an argument is out of range, or (at the call) the input does not
            fit.
    """

    _ndim = 2
    _layouts = ("NCHW", "NHWC")


class Conv3DTranspose(_TransposedConv):
    """Transposed convolution over volumes: the gradient map of Conv3D.

    Args:
        in_channels: channels of the input, divisible by `groups`.
        out_channels: channels of the output, divisible by `groups`.
        kernel_size: size of the window, one number or three.
        stride: step of the window in the output.
        padding: places taken off at each side.
        output_padding: places added at the end of the output.
        dilation: distance of the window's places.
        groups: number of groups of channels that do not mix.
        weight_attr: settings of the weight `[in, out / groups, kd, kh, kw]`, see ParamAttr.
        bias_attr: settings of the bias; zeros by default, `False` for none.
        data_format: `"NCDHW"` or `"NDHWC"`.

    Raises:
        InvalidArgumentError: an argument is out of range, or (at the call) the input does not
            fit.
    """

    _ndim = 3
    _layouts = ("NCDHW", "NDHWC")


Conv1d, Conv2d, Conv3d = Conv1D, Conv2D, Conv3D
