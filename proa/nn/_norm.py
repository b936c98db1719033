"""Normalisations within a sample, and of a weight."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from proa.core import GradMode, InvalidArgumentError, describe_array, respelled
from proa.ops import matmul, moveaxis, reshape

from . import functional as F
from ._batch_norm import scale_parameter
from ._common import named
from ._function_layer import FunctionLayer
from ._layer import Layer
from ._layout import WithLayout
from ._param_attr import ParamAttr
from .initializer import Normal


class LayerNorm(Layer):
    """Normalises over the last axes: `(x - mean) / sqrt(variance + epsilon) * weight + bias`.

    Args:
        normalized_shape: sizes of these axes; one number for the last axis alone.
        epsilon: added to the variance.
        elementwise_affine: `False` for neither scale nor shift.
        bias: `False` for no shift.
        device: where the parameters lie.
        dtype: dtype of the parameters; the default dtype when it is `None`.
        weight_attr: settings of the scale (flat, one entry per place), see ParamAttr; ones by
            default, `False` for none.
        bias_attr: settings of the shift; zeros by default, `False` for none.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: (at the call) the input's last axes have other sizes.

    References:
        Ba et al., "Layer normalization", 2016.

    Examples:
        >>> import proa
        >>> proa.nn.LayerNorm(4)(proa.ones([2, 4])).tolist()[0]
        [0.0, 0.0, 0.0, 0.0]
    """

    @respelled
    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        epsilon: float = 1e-5,
        *,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        single = isinstance(normalized_shape, int)
        self._normalized_shape = [normalized_shape] if single else list(normalized_shape)
        self._epsilon = epsilon
        weight_attr = weight_attr if elementwise_affine else False
        bias_attr = bias_attr if elementwise_affine and bias else False
        shape = [math.prod(self._normalized_shape)]
        self.weight = scale_parameter(self, shape, weight_attr, dtype, device)
        self.bias = self.create_parameter(shape, bias_attr, dtype, is_bias=True, device=device)

    def forward(self, input: Any) -> Any:
        """Returns the normalised input."""
        return F.layer_norm(
            input, self._normalized_shape, self.weight, self.bias, epsilon=self._epsilon
        )

    def extra_repr(self) -> str:
        """Returns the sizes and the epsilon."""
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


class RMSNorm(Layer):
    """Divides by the root mean square over the last axes: `x / sqrt(mean(x^2) + epsilon) * w`.

    Args:
        normalized_shape: sizes of these axes; one number for the last axis alone.
        epsilon: added to the mean square.
        weight_attr: settings of the scale, see ParamAttr; ones by default, `False` for none.
        name: printed.

    Raises:
        InvalidArgumentError: (at the call) the input's last axes have other sizes.

    References:
        Zhang and Sennrich, "Root mean square layer normalization", 2019.

    Differs: Paddle 3.3.1 has the function only, `nn.functional.rms_norm`.

    Examples:
        >>> import proa
        >>> proa.nn.RMSNorm(2)(proa.to_tensor([[3.0, 3.0]])).round(decimals=3).tolist()
        [[1.0, 1.0]]
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        single = isinstance(normalized_shape, int)
        self._normalized_shape = [normalized_shape] if single else list(normalized_shape)
        self._epsilon = epsilon
        self.name = name
        self.weight = scale_parameter(self, self._normalized_shape, weight_attr)

    def forward(self, input: Any) -> Any:
        """Returns the scaled input."""
        return F.rms_norm(input, self._normalized_shape, self.weight, eps=self._epsilon)

    def extra_repr(self) -> str:
        """Returns the sizes and the epsilon."""
        shown = f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"
        return named(shown, self.name)


class GroupNorm(Layer):
    """Normalises over groups of channels of each sample.

    Args:
        num_groups: number of groups; divides the number of channels.
        num_channels: number of channels.
        epsilon: added to the variance.
        affine: `False` for neither scale nor shift.
        device: where the parameters lie.
        dtype: dtype of the parameters; the default dtype when it is `None`.
        weight_attr: settings of the scale, see ParamAttr; ones by default, `False` for none.
        bias_attr: settings of the shift; zeros by default, `False` for none.
        data_format: `"NCHW"` for channels first, `"NHWC"` for channels last.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `num_groups` does not divide `num_channels`, or (at the call) the
            input does not fit.

    References:
        Wu and He, "Group normalization", 2018.
    """

    @respelled
    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        epsilon: float = 1e-5,
        *,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        if num_groups < 1 or num_channels % num_groups:
            raise InvalidArgumentError(
                f"GroupNorm: `num_groups` is {num_groups}, `num_channels` {num_channels}",
                expected="a number of groups that divides the number of channels",
                fix="change one of them",
            )
        self._num_groups, self._num_channels = num_groups, num_channels
        self._epsilon, self._data_format = epsilon, data_format
        weight_attr = weight_attr if affine else False
        bias_attr = bias_attr if affine else False
        self.weight = scale_parameter(self, [num_channels], weight_attr, dtype, device)
        self.bias = self.create_parameter(
            [num_channels], bias_attr, dtype, is_bias=True, device=device
        )

    def forward(self, input: Any) -> Any:
        """Returns the normalised input."""
        return F.group_norm(
            input,
            self._num_groups,
            self._epsilon,
            self.weight,
            self.bias,
            data_format=self._data_format,
        )

    def extra_repr(self) -> str:
        """Returns the groups, channels and the epsilon."""
        shown = f"num_groups={self._num_groups}, num_channels={self._num_channels}"
        return f"{shown}, epsilon={self._epsilon}"


class _InstanceNorm(WithLayout):
    """The instance norms; the subclasses say for how many axes."""

    _ranks: ClassVar[tuple[int, ...]]

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-5,
        momentum: float = 0.9,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._num_features = num_features
        self._epsilon, self._momentum = epsilon, momentum
        self._data_format = self._layout(data_format)
        self.scale = scale_parameter(self, [num_features], weight_attr)
        self.bias = self.create_parameter([num_features], bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Returns the normalised input."""
        if input.ndim not in self._ranks:
            raise InvalidArgumentError(
                f"{type(self).__name__} got an input {describe_array(input._data)}",
                expected=f"{' or '.join(map(str, self._ranks))} axes",
                fix="use the instance norm for this number of axes, or reshape the input",
            )
        return F.instance_norm(
            input,
            weight=self.scale,
            bias=self.bias,
            momentum=self._momentum,
            eps=self._epsilon,
            data_format=self._data_format,
        )

    def extra_repr(self) -> str:
        """Returns the number of channels and the epsilon."""
        return f"num_features={self._num_features}, epsilon={self._epsilon}"


class InstanceNorm1D(_InstanceNorm):
    """Normalises each channel of each sequence `[N, C, L]` over its places.

    Args:
        num_features: number of channels.
        epsilon: added to the variance.
        momentum: kept for Paddle's signature.
        weight_attr: settings of the scale, see ParamAttr; ones by default, `False` for none.
        bias_attr: settings of the shift; zeros by default, `False` for none.
        data_format: `"NCL"` or `"NLC"`.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `data_format` is not known, or (at the call) the input does not
            fit.
    """

    _ranks = (2, 3)
    _layouts = ("NCL", "NLC", "NC")


class InstanceNorm2D(_InstanceNorm):
    """Normalises each channel of each image `[N, C, H, W]` over its places.

    Args:
        num_features: number of channels.
        epsilon: added to the variance.
        momentum: kept for Paddle's signature.
        weight_attr: settings of the scale, see ParamAttr; ones by default, `False` for none.
        bias_attr: settings of the shift; zeros by default, `False` for none.
        data_format: `"NCHW"` or `"NHWC"`.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `data_format` is not known, or (at the call) the input does not
            fit.
    """

    _ranks = (4,)
    _layouts = ("NCHW", "NHWC")


class InstanceNorm3D(_InstanceNorm):
    """Normalises each channel of each volume `[N, C, D, H, W]` over its places.

    Args:
        num_features: number of channels.
        epsilon: added to the variance.
        momentum: kept for Paddle's signature.
        weight_attr: settings of the scale, see ParamAttr; ones by default, `False` for none.
        bias_attr: settings of the shift; zeros by default, `False` for none.
        data_format: `"NCDHW"` or `"NDHWC"`.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `data_format` is not known, or (at the call) the input does not
            fit.
    """

    _ranks = (5,)
    _layouts = ("NCDHW", "NDHWC")


class LocalResponseNorm(
    FunctionLayer, function=F.local_response_norm, shown=("size", "alpha", "beta", "k")
):
    """Divides by a power of the squares of neighbouring channels.

    `y[c] = x[c] / (k + alpha * mean(x[c - size / 2 : c + size / 2]^2)) ^ beta`.

    Args:
        size: number of channels that count as neighbours.
        alpha: weight of the squares.
        beta: exponent.
        k: added to the squares.
        data_format: layout of the axes.
        name: printed; kept for Paddle's signature.
    """

    size: int
    alpha: float = 1e-4
    beta: float = 0.75
    k: float = 1.0
    data_format: str = "NCHW"
    name: str | None = None

    def extra_repr(self) -> str:
        """Returns the settings."""
        shown = super().extra_repr()
        if self.data_format != "NCHW":
            shown += f", data_format={self.data_format}"
        return shown


class SpectralNorm(Layer):
    """Divides a weight by an estimate of its largest singular value.

    The weight is seen as a matrix `w` of axis `dim` by all others; each step of the power
    iteration is `v = w^T u / |w^T u|`, `u = w v / |w v|`, and the estimate `u . w v`.

    Args:
        weight_shape: shape of the weights that will come in.
        dim: axis of the outputs.
        power_iters: number of steps, from the same start at each call.
        eps: added to lengths, against division by zero.
        dtype: dtype of the start vectors.

    Raises:
        InvalidArgumentError: a size is not positive, or (at the call) the weight has another
            shape.

    References:
        Miyato et al., "Spectral normalization for generative adversarial networks", 2018.
    """

    def __init__(
        self,
        weight_shape: Sequence[int],
        dim: int = 0,
        power_iters: int = 1,
        eps: float = 1e-12,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(dtype=dtype)
        self._weight_shape = list(weight_shape)
        self._dim, self._power_iters, self._eps = dim, power_iters, eps
        total = math.prod(self._weight_shape)
        if total <= 0:
            raise InvalidArgumentError(
                f"SpectralNorm: `weight_shape` is {self._weight_shape}",
                expected="positive sizes",
                fix="pass the shape of the weight",
            )
        rows = self._weight_shape[dim]
        start = ParamAttr(initializer=Normal(0.0, 1.0), trainable=False)
        self.weight_u = self.create_parameter([rows], start, dtype)
        self.weight_v = self.create_parameter([total // rows], start, dtype)

    def forward(self, x: Any) -> Any:
        """Returns `x` divided by the estimate."""
        if list(x.shape) != self._weight_shape:
            raise InvalidArgumentError(
                f"SpectralNorm got a weight {describe_array(x._data)}",
                expected=f"shape {self._weight_shape}, as the layer was made for",
                fix="make the layer with the weight's shape",
            )
        w = reshape(moveaxis(x, self._dim, 0), [self._weight_shape[self._dim], -1])
        u, v = self.weight_u, self.weight_v
        with GradMode(False):
            for _ in range(self._power_iters):
                v = self._unit(matmul(w, u, transpose_x=True))
                u = self._unit(matmul(w, v))
        return x / matmul(u, matmul(w, v))

    def _unit(self, vector: Any) -> Any:
        return vector / ((vector * vector).sum().sqrt() + self._eps)
