"""Layers on sparse tensors."""

from __future__ import annotations

from typing import Any

from proa import nn
from proa.core import InvalidArgumentError, Tensor
from proa.nn import BatchNorm1D, Layer
from proa.sparse._tensor import SparseTensor, need_sparse, with_values

from .functional import leaky_relu, max_pool3d, relu, relu6, softmax


class ReLU(Layer):
    """`max(x, 0)` of each stored value; see `functional.relu`.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 2]], [-1.0, 3.0], [3])
        >>> proa.sparse.nn.ReLU()(x).values().tolist()
        [0.0, 3.0]
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> SparseTensor:
        """Applies the function to a sparse tensor."""
        return relu(x)


class ReLU6(Layer):
    """`min(max(x, 0), 6)` of each stored value; see `functional.relu6`."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> SparseTensor:
        """Applies the function to a sparse tensor."""
        return relu6(x)


class LeakyReLU(Layer):
    """Stored values, the negative ones scaled; see `functional.leaky_relu`.

    Args:
        negative_slope: factor of negative values.
        name: not used.
    """

    def __init__(self, negative_slope: float = 0.01, name: str | None = None) -> None:
        super().__init__()
        self._slope = negative_slope

    def forward(self, x: Tensor) -> SparseTensor:
        """Applies the function to a sparse tensor."""
        return leaky_relu(x, self._slope)


class Softmax(Layer):
    """Softmax among the stored values along an axis; see `functional.softmax`.

    Args:
        axis: the axis.
        name: not used.
    """

    def __init__(self, axis: int = -1, name: str | None = None) -> None:
        super().__init__()
        self._axis = axis

    def forward(self, x: Tensor) -> SparseTensor:
        """Applies the function to a sparse tensor."""
        return softmax(x, self._axis)


def _normalised(layer: Any, x: Tensor) -> SparseTensor:
    """Batch norm of stored values: a table of shape [nnz, channels], whatever the axes before."""
    given = need_sparse(x, "x", f"nn.{type(layer).__name__}")
    if given.dense_dim() != 1:
        raise InvalidArgumentError(
            f"sparse {type(layer).__name__} of a tensor with {given.dense_dim()} dense axes",
            expected="one dense axis, the channels",
            fix="make the tensor with to_sparse_coo(x.ndim - 1)",
        )
    values = nn.functional.batch_norm(
        given.values(),
        layer._mean,
        layer._variance,
        layer.weight,
        layer.bias,
        training=layer.training,
        momentum=layer._momentum,
        epsilon=layer._epsilon,
        data_format="NC",
        use_global_stats=layer._use_global_stats,
    )
    return with_values(given, values)


class BatchNorm(BatchNorm1D):
    """Batch normalisation of the channels of stored values.

    Args:
        num_features: number of channels, the last axis.
        momentum: how much of the running statistics stays at each step.
        epsilon: added to the variance.
        weight_attr: settings of the scale; `False` for none.
        bias_attr: settings of the shift; `False` for none.
        data_format: channels come last: `"NDHWC"` or `"NHWC"`.
        use_global_stats: use the running statistics while training too.
        name: not used.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 2]], [[1.0], [3.0]], [3, 1])
        >>> proa.sparse.nn.BatchNorm(1)(x).values().round(2).tolist()
        [[-1.0], [1.0]]
    """

    _layouts = ("NDHWC", "NHWC")

    def forward(self, x: Tensor) -> SparseTensor:  # type: ignore[override]
        """Normalises the values of a sparse tensor with one dense axis."""
        return _normalised(self, x)


class SyncBatchNorm(nn.SyncBatchNorm):
    """Batch normalisation whose statistics are those of the batch on all devices.

    Args:
        num_features: number of channels, the last axis.
        momentum: how much of the running statistics stays at each step.
        epsilon: added to the variance.
        weight_attr: settings of the scale; `False` for none.
        bias_attr: settings of the shift; `False` for none.
        data_format: kept for Paddle's signature: channels come last.
        name: not used.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 2]], [[1.0], [3.0]], [3, 1])
        >>> proa.sparse.nn.SyncBatchNorm(1)(x).values().round(2).tolist()
        [[-1.0], [1.0]]
    """

    def forward(self, x: Tensor) -> SparseTensor:  # type: ignore[override]
        """Normalises the values of a sparse tensor with one dense axis."""
        return _normalised(self, x)

    @classmethod
    def convert_sync_batchnorm(cls, layer: Layer) -> Layer:
        """Puts sparse SyncBatchNorms in the place of sparse batch norms below a layer.

        Other batch norms become those of `proa.nn`.

        Args:
            layer: the layer; its parameters are kept.

        Returns:
            The layer, or its replacement when it is a batch norm itself.
        """
        if isinstance(layer, BatchNorm):
            return super().convert_sync_batchnorm(layer)
        if isinstance(layer, nn.BatchNorm1D | nn.BatchNorm2D | nn.BatchNorm3D):
            return nn.SyncBatchNorm.convert_sync_batchnorm(layer)
        for name, below in list(layer._sub_layers.items()):
            if below is not None:
                layer._sub_layers[name] = cls.convert_sync_batchnorm(below)
        return layer


class MaxPool3D(Layer):
    """Largest stored value under a window, per channel; see `functional.max_pool3d`.

    Args:
        kernel_size: extents of the window.
        stride: steps of the window; its extents by default.
        padding: an integer, one per axis, before and after each, or `"SAME"` or `"VALID"`.
        return_mask: has no effect, as in Paddle.
        ceil_mode: a last, incomplete window counts.
        data_format: `"NDHWC"`.
        name: not used.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NDHWC",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.ksize, self.stride, self.padding = kernel_size, stride, padding
        self.ceil_mode, self.data_format = ceil_mode, data_format

    def forward(self, x: Tensor) -> SparseTensor:
        """Applies the function to a sparse tensor."""
        return max_pool3d(
            x, self.ksize, self.stride, self.padding, self.ceil_mode, self.data_format
        )

    def extra_repr(self) -> str:
        """Returns the window."""
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"
