"""Layers on sparse tensors."""

from __future__ import annotations

from proa.core import Tensor
from proa.nn import BatchNorm1D, Layer
from proa.sparse._tensor import SparseTensor, need_sparse, with_values

from .functional import leaky_relu, relu, relu6, softmax


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

    def _layout(self, data_format: str | None) -> str:
        # Stored values are a table of shape [nnz, channels], whatever the axes before.
        super()._layout(data_format)
        return "NC"

    def forward(self, x: Tensor) -> SparseTensor:  # type: ignore[override]
        """Normalises the values of a sparse tensor with one dense axis."""
        given = need_sparse(x, "x", "nn.BatchNorm")
        return with_values(given, super().forward(given.values()))
