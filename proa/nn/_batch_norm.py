"""Batch normalisation."""

from __future__ import annotations

from typing import Any, ClassVar

from proa.core import InvalidArgumentError, describe_array

from . import functional as F
from ._common import activation_function, named
from ._layer import Layer
from ._layout import WithLayout
from ._param_attr import ParamAttr
from .initializer import Constant


def scale_parameter(
    layer: Layer, shape: list[int], attr: Any, dtype: Any = None, device: Any = None
) -> Any:
    """Makes a parameter of ones."""
    return layer.create_parameter(
        shape, attr, dtype, default_initializer=Constant(1.0), device=device
    )


class _BatchNormBase(WithLayout):
    """What all batch norms share: scale, shift and running statistics."""

    #: Numbers of axes that an input may have; `None` for any.
    _ranks: ClassVar[tuple[int, ...] | None] = None

    def _set_up(
        self,
        num_features: int,
        weight_attr: Any,
        bias_attr: Any,
        dtype: Any = None,
        names: tuple[str | None, str | None] = (None, None),
    ) -> None:
        self._num_features = num_features
        shape = [num_features]
        self.weight = scale_parameter(self, shape, weight_attr, dtype)
        self.bias = self.create_parameter(shape, bias_attr, dtype, is_bias=True)
        # Parameters that are not trained, as in Paddle, so that names and order agree.
        for attribute, start, name in zip(("_mean", "_variance"), (0.0, 1.0), names, strict=True):
            settings = ParamAttr(name=name, initializer=Constant(start), trainable=False)
            setattr(self, attribute, self.create_parameter(shape, settings, dtype))

    def _check_rank(self, x: Any) -> None:
        if self._ranks is not None and x.ndim not in self._ranks:
            raise InvalidArgumentError(
                f"{type(self).__name__} got an input {describe_array(x._data)}",
                expected=f"{' or '.join(map(str, self._ranks))} axes",
                fix="use the batch norm for this number of axes, or reshape the input",
            )

    def forward(self, input: Any) -> Any:
        """Returns the normalised input; moves the running statistics in training mode."""
        self._check_rank(input)
        return F.batch_norm(
            input,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            training=self.training,
            momentum=self._momentum,
            epsilon=self._epsilon,
            data_format=self._data_format,
            use_global_stats=self._use_global_stats,
        )


class _BatchNorm(_BatchNormBase):
    """The batch norms for a number of axes; the subclasses say which."""

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str | None = None,
        use_global_stats: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._momentum, self._epsilon = momentum, epsilon
        self._use_global_stats = use_global_stats
        self.name = name
        self._data_format = self._layout(data_format)
        names = (f"{name}_mean", f"{name}_variance") if name else (None, None)
        self._set_up(num_features, weight_attr, bias_attr, names=names)

    def extra_repr(self) -> str:
        """Returns the settings."""
        shown = f"num_features={self._num_features}, momentum={self._momentum}"
        shown += f", epsilon={self._epsilon}"
        if self._data_format != "NCHW":
            shown += f", data_format={self._data_format}"
        return named(shown, self.name)


class BatchNorm1D(_BatchNorm):
    """Batch norm for `[N, C]` or `[N, C, L]`.

    `y = (x - mean) / sqrt(variance + epsilon) * weight + bias` per channel; mean and variance
    (biased) are the batch's in training mode, the running ones in evaluation mode.

    Args:
        num_features: number of channels.
        momentum: part of the running statistics that is kept at each step.
        epsilon: added to the variance.
        weight_attr: settings of the scale, see ParamAttr; ones by default, `False` for none.
        bias_attr: settings of the shift; zeros by default, `False` for none.
        data_format: `"NCL"`, `"NLC"` or `"NC"`.
        use_global_stats: uses the running statistics in training mode too.
        name: printed, and gives the running statistics their names.

    Raises:
        InvalidArgumentError: `data_format` is not known, or (at the call) the input does not
            fit.

    References:
        Ioffe and Szegedy, "Batch normalization", 2015. As in Paddle 3.3.1, the running variance
        is the biased one (PyTorch's is unbiased), and `momentum` is the part that is kept.
    """

    _ranks = (2, 3)
    _layouts = ("NCL", "NLC", "NC")


class BatchNorm2D(_BatchNorm):
    """Batch norm for images `[N, C, H, W]`; see BatchNorm1D for what it computes.

    Args:
        num_features: number of channels.
        momentum: part of the running statistics that is kept at each step.
        epsilon: added to the variance.
        weight_attr: settings of the scale, see ParamAttr; ones by default, `False` for none.
        bias_attr: settings of the shift; zeros by default, `False` for none.
        data_format: `"NCHW"` or `"NHWC"`.
        use_global_stats: uses the running statistics in training mode too.
        name: printed, and gives the running statistics their names.

    Raises:
        InvalidArgumentError: `data_format` is not known, or (at the call) the input does not
            fit.

    Examples:
        >>> import proa
        >>> proa.nn.BatchNorm2D(3)(proa.ones([2, 3, 4, 4])).shape
        [2, 3, 4, 4]
    """

    _ranks = (4,)
    _layouts = ("NCHW", "NHWC")


class BatchNorm3D(_BatchNorm):
    """Batch norm for volumes `[N, C, D, H, W]`; see BatchNorm1D for what it computes.

    Args:
        num_features: number of channels.
        momentum: part of the running statistics that is kept at each step.
        epsilon: added to the variance.
        weight_attr: settings of the scale, see ParamAttr; ones by default, `False` for none.
        bias_attr: settings of the shift; zeros by default, `False` for none.
        data_format: `"NCDHW"` or `"NDHWC"`.
        use_global_stats: uses the running statistics in training mode too.
        name: printed, and gives the running statistics their names.

    Raises:
        InvalidArgumentError: `data_format` is not known, or (at the call) the input does not
            fit.
    """

    _ranks = (5,)
    _layouts = ("NCDHW", "NDHWC")


class SyncBatchNorm(_BatchNorm):
    """Batch norm whose statistics are those of the batch on all devices.

    In a compiled step on sharded inputs every batch norm does that: the compiler sums over the
    devices. This class keeps Paddle's name.

    Args:
        num_features: number of channels.
        momentum: part of the running statistics that is kept at each step.
        epsilon: added to the variance.
        weight_attr: settings of the scale, see ParamAttr; ones by default, `False` for none.
        bias_attr: settings of the shift; zeros by default, `False` for none.
        data_format: layout of the axes.
        name: printed, and gives the running statistics their names.
    """

    _layouts = ("NCHW", "NHWC", "NCL", "NLC", "NC", "NCDHW", "NDHWC")

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            num_features, momentum, epsilon, weight_attr, bias_attr, data_format, None, name
        )

    @classmethod
    def convert_sync_batchnorm(cls, layer: Layer) -> Layer:
        """Puts SyncBatchNorm in the place of each batch norm below a layer.

        Args:
            layer: the layer; its parameters are kept.

        Returns:
            The layer, or its replacement when it is a batch norm itself.
        """
        if isinstance(layer, _BatchNorm) and not isinstance(layer, SyncBatchNorm):
            made = cls(layer._num_features, data_format=layer._data_format, name=layer.name)
            made._momentum, made._epsilon = layer._momentum, layer._epsilon
            made._use_global_stats = layer._use_global_stats
            for name, parameter in layer._parameters.items():
                setattr(made, name, parameter)
            return made.train(layer.training)
        for name, below in list(layer._sub_layers.items()):
            if below is not None:
                layer._sub_layers[name] = cls.convert_sync_batchnorm(below)
        return layer


class BatchNorm(_BatchNormBase):
    """Batch norm for any number of axes, with an activation; see BatchNorm1D.

    Args:
        num_channels: number of channels.
        act: name of an activation of `nn.functional` that follows.
        is_test: starts in evaluation mode.
        momentum: part of the running statistics that is kept at each step.
        epsilon: added to the variance.
        param_attr: settings of the scale, see ParamAttr; `False` for none.
        bias_attr: settings of the shift; `False` for none.
        dtype: dtype of the parameters.
        data_layout: `"NCHW"` for channels first, `"NHWC"` for channels last.
        in_place: kept for Paddle's signature.
        moving_mean_name: name of the running mean.
        moving_variance_name: name of the running variance.
        do_model_average_for_mean_and_var: kept for Paddle's signature.
        use_global_stats: uses the running statistics in training mode too.
        trainable_statistics: uses the batch's statistics in evaluation mode too.

    Raises:
        InvalidArgumentError: `act` is not known, or (at the call) the input does not fit.
    """

    def __init__(
        self,
        num_channels: int,
        act: str | None = None,
        is_test: bool = False,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        param_attr: Any = None,
        bias_attr: Any = None,
        dtype: Any = "float32",
        data_layout: str = "NCHW",
        in_place: bool = False,
        moving_mean_name: str | None = None,
        moving_variance_name: str | None = None,
        do_model_average_for_mean_and_var: bool = True,
        use_global_stats: bool = False,
        trainable_statistics: bool = False,
    ) -> None:
        super().__init__(dtype=dtype)
        self._momentum, self._epsilon = momentum, epsilon
        self._data_format, self._use_global_stats = data_layout, use_global_stats
        self._act = None if act is None else activation_function(act, "act", "BatchNorm")
        self._trainable_statistics = trainable_statistics
        names = (moving_mean_name, moving_variance_name)
        self._set_up(num_channels, param_attr, bias_attr, dtype, names)
        if is_test:
            self.training = False

    def forward(self, input: Any) -> Any:
        """Returns the normalised input, after the activation."""
        normalised = F.batch_norm(
            input,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            training=self.training or self._trainable_statistics,
            momentum=self._momentum,
            epsilon=self._epsilon,
            data_format=self._data_format,
            use_global_stats=self._use_global_stats or None,
        )
        return normalised if self._act is None else self._act(normalised)
