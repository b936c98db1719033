"""Convolution layers for sparse tensors."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from proa.core import InvalidArgumentError, Tensor
from proa.nn._conv import _Conv as DenseConv
from proa.nn.initializer import Normal
from proa.sparse._tensor import SparseTensor

from . import functional as F


class _Conv(DenseConv):
    """What the sparse convolutions share: the weight has its channels last."""

    _function: ClassVar[Any]

    def _start(
        self, channels: tuple[int, int], window: tuple[Any, ...], groups: int, padding_mode: str
    ) -> None:
        super().__init__()
        if padding_mode != "zeros":
            raise InvalidArgumentError(
                f"`padding_mode` of sparse {type(self).__name__} is {padding_mode!r}",
                expected="'zeros': what is not stored is zero",
                fix="leave `padding_mode` out",
            )
        kernel_size, stride, padding, dilation, data_format = window
        self._set_up(channels, kernel_size, stride, padding, dilation, groups, data_format)

    def _make(self, weight_attr: Any, bias_attr: Any) -> None:
        inputs = self._in_channels * math.prod(self._kernel_size)
        shape = [*self._kernel_size, self._in_channels // self._groups, self._out_channels]
        initializer = Normal(0.0, math.sqrt(2.0 / max(inputs, 1)))
        self.weight: Any = self.create_parameter(
            shape, weight_attr, default_initializer=initializer
        )
        self.bias: Any = self.create_parameter([self._out_channels], bias_attr, is_bias=True)

    def forward(self, x: Tensor) -> SparseTensor:
        """Applies the convolution to a sparse tensor."""
        return type(self)._function(
            x,
            self.weight,
            self.bias,
            self._stride,
            self._padding,
            self._dilation,
            self._groups,
            self._data_format,
        )


class _PlainConv(_Conv):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str | None = None,
    ) -> None:
        window = (kernel_size, stride, padding, dilation, data_format)
        self._start((in_channels, out_channels), window, groups, padding_mode)
        self._make(weight_attr, bias_attr)


class _SubmanifoldConv(_Conv):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        key: str | None = None,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str | None = None,
        backend: str | None = None,
    ) -> None:
        if backend not in (None, "igemm"):
            raise InvalidArgumentError(
                f"`backend` of {type(self).__name__} is {backend!r}",
                expected="None or 'igemm'; both compute the same here",
                fix="leave `backend` out",
            )
        window = (kernel_size, stride, padding, dilation, data_format)
        self._start((in_channels, out_channels), window, groups, padding_mode)
        self._make(weight_attr, bias_attr)


class Conv2D(_PlainConv):
    """Convolution over two sparse axes; see `functional.conv2d`.

    Args:
        in_channels: channels of the input, its dense axis.
        out_channels: channels of the result.
        kernel_size: extents of the window.
        stride: steps of the window.
        padding: an integer, one per axis, before and after each, or `"SAME"` or `"VALID"`.
        dilation: distance between the window's places.
        groups: parts that channels are split into.
        padding_mode: `"zeros"`.
        weight_attr: settings of the weight, [*kernel_size, in_channels / groups, out_channels].
        bias_attr: settings of the bias; `False` for none.
        data_format: `"NHWC"`.

    Raises:
        InvalidArgumentError: a setting that is not known or does not fit.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0], [1], [1]], [[2.0]], [1, 3, 4, 1])
        >>> proa.sparse.nn.Conv2D(1, 5, 3)(x).shape
        [1, 1, 2, 5]
    """

    _ndim, _layouts, _function = 2, ("NHWC",), F.conv2d


class Conv3D(_PlainConv):
    """Convolution over three sparse axes; see `functional.conv3d`.

    Args:
        in_channels: channels of the input, its dense axis.
        out_channels: channels of the result.
        kernel_size: extents of the window.
        stride: steps of the window.
        padding: an integer, one per axis, before and after each, or `"SAME"` or `"VALID"`.
        dilation: distance between the window's places.
        groups: parts that channels are split into.
        padding_mode: `"zeros"`.
        weight_attr: settings of the weight, [*kernel_size, in_channels / groups, out_channels].
        bias_attr: settings of the bias; `False` for none.
        data_format: `"NDHWC"`.

    Raises:
        InvalidArgumentError: a setting that is not known or does not fit.
    """

    _ndim, _layouts, _function = 3, ("NDHWC",), F.conv3d


class SubmConv2D(_SubmanifoldConv):
    """Convolution that keeps the places of its input; see `functional.subm_conv2d`.

    Args:
        in_channels: channels of the input, its dense axis.
        out_channels: channels of the result.
        kernel_size: extents of the window, whose centre stands on each stored place.
        stride: not used.
        padding: not used.
        dilation: distance between the window's places.
        groups: parts that channels are split into.
        padding_mode: `"zeros"`.
        key: not needed: tensors at the same places share what was worked out about them.
        weight_attr: settings of the weight, [*kernel_size, in_channels / groups, out_channels].
        bias_attr: settings of the bias; `False` for none.
        data_format: `"NHWC"`.
        backend: `None` or `"igemm"`, which compute the same here.

    Raises:
        InvalidArgumentError: a setting that is not known or does not fit.
    """

    _ndim, _layouts, _function = 2, ("NHWC",), F.subm_conv2d


class SubmConv3D(_SubmanifoldConv):
    """Convolution that keeps the places of its input; see `functional.subm_conv3d`.

    Args:
        in_channels: channels of the input, its dense axis.
        out_channels: channels of the result.
        kernel_size: extents of the window, whose centre stands on each stored place.
        stride: not used.
        padding: not used.
        dilation: distance between the window's places.
        groups: parts that channels are split into.
        padding_mode: `"zeros"`.
        key: not needed: tensors at the same places share what was worked out about them.
        weight_attr: settings of the weight, [*kernel_size, in_channels / groups, out_channels].
        bias_attr: settings of the bias; `False` for none.
        data_format: `"NDHWC"`.
        backend: `None` or `"igemm"`, which compute the same here.

    Raises:
        InvalidArgumentError: a setting that is not known or does not fit.
    """

    _ndim, _layouts, _function = 3, ("NDHWC",), F.subm_conv3d
