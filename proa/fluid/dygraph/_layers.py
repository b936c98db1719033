"""Layers with the arguments of Paddle 1: an activation by name, settings called `..._attr`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proa import nn, ops
from proa.core import Tensor
from proa.fluid.layers._functions import activated, pool2d
from proa.nn import functional as F


class Linear(nn.Linear):
    """A linear map and an activation.

    Args:
        input_dim: size of the last axis of the input.
        output_dim: size of the last axis of the output.
        param_attr: settings of the weight.
        bias_attr: settings of the bias; `False` leaves it out.
        act: name of an activation.
        dtype: makes no difference.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        act: str | None = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(input_dim, output_dim, param_attr, bias_attr)
        self._act = act

    def forward(self, input: Tensor) -> Tensor:
        """Returns the map, with its activation."""
        return activated(super().forward(input), self._act)


class Conv2D(nn.Conv2D):
    """A convolution of images and an activation.

    Args:
        num_channels: number of input channels.
        num_filters: number of output channels.
        filter_size: size of the window.
        stride: distance of windows.
        padding: padding around images.
        dilation: distance of elements of a window.
        groups: groups of channels.
        param_attr: settings of the filters.
        bias_attr: settings of the bias; `False` leaves it out.
        use_cudnn: makes no difference.
        act: name of an activation.
        dtype: makes no difference.
    """

    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: int | Sequence[int],
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int | None = None,
        param_attr: Any = None,
        bias_attr: Any = None,
        use_cudnn: bool = True,
        act: str | None = None,
        dtype: Any = "float32",
    ) -> None:
        settings = {"weight_attr": param_attr, "bias_attr": bias_attr}
        window = (filter_size, stride, padding, dilation, groups or 1)
        super().__init__(num_channels, num_filters, *window, **settings)
        self._act = act

    def forward(self, input: Tensor) -> Tensor:
        """Returns the convolution, with its activation."""
        return activated(super().forward(input), self._act)


class Pool2D(nn.Layer):
    """Largest elements or means of windows of images.

    Args:
        pool_size: size of the window.
        pool_type: `"max"` or `"avg"`.
        pool_stride: distance of windows.
        pool_padding: padding around images.
        global_pooling: whether the whole image is one window.
        use_cudnn: makes no difference.
        ceil_mode: whether a last window may reach over the edge.
        exclusive: whether padding is left out of means.
        data_format: `"NCHW"` or `"NHWC"`.
    """

    def __init__(
        self,
        pool_size: Any = -1,
        pool_type: str = "max",
        pool_stride: Any = 1,
        pool_padding: Any = 0,
        global_pooling: bool = False,
        use_cudnn: bool = True,
        ceil_mode: bool = False,
        exclusive: bool = True,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__()
        self._settings: dict[str, Any] = {
            "pool_size": pool_size,
            "pool_type": pool_type,
            "pool_stride": pool_stride,
            "pool_padding": pool_padding,
            "global_pooling": global_pooling,
            "ceil_mode": ceil_mode,
            "exclusive": exclusive,
            "data_format": data_format,
        }

    def forward(self, input: Tensor) -> Tensor:
        """Returns the pooled images."""
        return pool2d(input, **self._settings)


class Embedding(nn.Embedding):
    """A table of rows, picked by integers; a last axis of extent 1 of the ids is dropped.

    Args:
        size: [number of rows, features].
        is_sparse: makes no difference.
        is_distributed: makes no difference.
        padding_idx: the row whose gradient is 0.
        param_attr: settings of the table.
        dtype: makes no difference.
    """

    def __init__(
        self,
        size: Sequence[int],
        is_sparse: bool = False,
        is_distributed: bool = False,
        padding_idx: int | None = None,
        param_attr: Any = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(size[0], size[1], padding_idx=padding_idx, weight_attr=param_attr)

    def forward(self, input: Tensor) -> Tensor:
        """Returns the rows."""
        ids = ops.squeeze(input, -1) if input.ndim > 1 and input.shape[-1] == 1 else input
        return super().forward(ids)


class Dropout(nn.Layer):
    """Sets elements to zero at random.

    Args:
        p: probability.
        seed: not used: draws come from the one stream.
        dropout_implementation: `"downgrade_in_infer"` or `"upscale_in_train"`.
        is_test: makes no difference: the layer knows its mode.
    """

    def __init__(
        self,
        p: float = 0.5,
        seed: int | None = None,
        dropout_implementation: str = "downgrade_in_infer",
        is_test: bool = False,
    ) -> None:
        super().__init__()
        self._p = p
        self._mode = dropout_implementation.replace("downgrade", "downscale")

    def forward(self, input: Tensor) -> Tensor:
        """Returns what is left."""
        return F.dropout(input, self._p, training=self.training, mode=self._mode)


class LayerNorm(nn.LayerNorm):
    """Normalises over the last axes, and an activation.

    Args:
        normalized_shape: sizes of these axes.
        scale: whether there is a weight.
        shift: whether there is a bias.
        epsilon: is added to the variance.
        param_attr: settings of the weight.
        bias_attr: settings of the bias.
        act: name of an activation.
        dtype: makes no difference.
    """

    def __init__(
        self,
        normalized_shape: Any,
        scale: bool = True,
        shift: bool = True,
        epsilon: float = 1e-5,
        param_attr: Any = None,
        bias_attr: Any = None,
        act: str | None = None,
        dtype: Any = "float32",
    ) -> None:
        weight, bias = param_attr if scale else False, bias_attr if shift else False
        super().__init__(normalized_shape, epsilon, weight_attr=weight, bias_attr=bias)
        self._act = act

    def forward(self, input: Tensor) -> Tensor:
        """Returns the normalised tensor, with its activation."""
        return activated(super().forward(input), self._act)
