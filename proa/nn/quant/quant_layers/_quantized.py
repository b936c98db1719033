"""Layers whose weights and inputs imitate integers, for training that expects them."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError
from proa.nn import functional as F
from proa.nn._layer import Layer
from proa.ops import matmul

from ._scales import FakeQuantAbsMax, FakeQuantChannelWiseAbsMax, FakeQuantMovingAverageAbsMax


def _fake_quant(
    kind: str, name: str | None, bits: int, rate: float, channels: int | None, axis: int
) -> Layer:
    """Makes the layer that imitates integers in one of three ways.

    Raises:
        InvalidArgumentError: another way.
    """
    on_weight = channels is not None
    if kind == "abs_max":
        return FakeQuantAbsMax(name, bits, quant_on_weight=on_weight)
    if kind == "moving_average_abs_max":
        return FakeQuantMovingAverageAbsMax(name, rate, bits)
    if kind == "channel_wise_abs_max" and on_weight:
        return FakeQuantChannelWiseAbsMax(name, channels, bits, axis, quant_on_weight=True)
    raise InvalidArgumentError(
        f"{kind!r} is to quantise {'a weight' if on_weight else 'an activation'}",
        expected="abs_max, moving_average_abs_max, or (weights) channel_wise_abs_max",
        fix="use one of these, or pass a layer class of your own",
    )


class _Quantized(Layer):
    """A layer with a weight, both of whose operands imitate integers.

    Args:
        layer: the layer whose parameters are taken over.
        weight_bits: bits of the weight's integers.
        activation_bits: bits of the input's integers.
        moving_rate: how much the past keeps, where a scale is a moving average.
        weight_quantize_type: abs_max, channel_wise_abs_max or moving_average_abs_max.
        activation_quantize_type: abs_max or moving_average_abs_max.
        weight_pre_layer: class of a layer that the weight goes through first.
        act_pre_layer: the same for the input.
        weight_quant_layer: class of a layer that imitates the weight's integers instead.
        act_quant_layer: the same for the input.

    Raises:
        InvalidArgumentError: another way to quantise.
    """

    #: Axis of the weight that has scales of its own, channel by channel.
    _weight_axis = 0

    def __init__(
        self,
        layer: Any,
        weight_bits: int = 8,
        activation_bits: int = 8,
        moving_rate: float = 0.9,
        weight_quantize_type: str = "abs_max",
        activation_quantize_type: str = "abs_max",
        weight_pre_layer: Any = None,
        act_pre_layer: Any = None,
        weight_quant_layer: Any = None,
        act_quant_layer: Any = None,
    ) -> None:
        super().__init__()
        self.weight, self.bias = layer.weight, getattr(layer, "bias", None)
        # In a tuple, so that its parameters are not listed twice.
        self._source = (layer,)
        axis = self._weight_axis
        if weight_quant_layer is not None:
            self._fake_quant_weight = weight_quant_layer()
        else:
            self._fake_quant_weight = _fake_quant(
                weight_quantize_type,
                *(layer.weight.name, weight_bits, moving_rate, layer.weight.shape[axis], axis),
            )
        if act_quant_layer is not None:
            self._fake_quant_input = act_quant_layer()
        else:
            self._fake_quant_input = _fake_quant(
                activation_quantize_type, layer.full_name(), activation_bits, moving_rate, None, 0
            )
        self._act_preprocess = None if act_pre_layer is None else act_pre_layer()
        self._weight_preprocess = None if weight_pre_layer is None else weight_pre_layer()

    def _operands(self, input: Any) -> tuple[Any, Any]:
        weight = self.weight
        if self._act_preprocess is not None:
            input = self._act_preprocess(input)
        if self._weight_preprocess is not None:
            weight = self._weight_preprocess(weight)
        return self._fake_quant_input(input), self._fake_quant_weight(weight)


class QuantizedLinear(_Quantized):
    """`Linear` with operands that imitate integers; the arguments are those of all its kind.

    Examples:
        >>> import proa
        >>> from proa.nn.quant.quant_layers import QuantizedLinear
        >>> QuantizedLinear(proa.nn.Linear(4, 3))(proa.ones([2, 4])).shape
        [2, 3]
    """

    _weight_axis = 1

    def forward(self, input: Any) -> Any:
        """Returns the map of the input."""
        x, weight = self._operands(input)
        return F.linear(x, weight, self.bias)


class QuantizedConv2D(_Quantized):
    """`Conv2D` with operands that imitate integers; see `QuantizedLinear` for the arguments."""

    def forward(self, input: Any) -> Any:
        """Returns the convolution of the input."""
        return self._source[0].convolved(*self._operands(input))


class QuantizedConv2DTranspose(_Quantized):
    """`Conv2DTranspose` with operands that imitate integers; arguments as `QuantizedLinear`."""

    _weight_axis = 1

    def forward(self, input: Any, output_size: Any = None) -> Any:
        """Returns the transposed convolution of the input."""
        return self._source[0].convolved(*self._operands(input), output_size)


class QuantizedColumnParallelLinear(QuantizedLinear):
    """`QuantizedLinear` of a layer whose output columns are sharded; XLA moves what is needed."""


class QuantizedRowParallelLinear(QuantizedLinear):
    """`QuantizedLinear` of a layer whose input rows are sharded; XLA moves what is needed."""


class QuantizedMatmul(Layer):
    """`matmul` of two inputs that imitate integers.

    Args:
        layer: names the scales, if there is one.
        weight_bits: bits of the first input's integers.
        activation_bits: bits of both inputs' integers.
        moving_rate: how much the past keeps, where a scale is a moving average.
        weight_quantize_type: accepted for Paddle's signature.
        activation_quantize_type: abs_max or moving_average_abs_max.
        weight_pre_layer: accepted for Paddle's signature.
        act_pre_layer: class of a layer that either input goes through first.
        weight_quant_layer: accepted for Paddle's signature.
        act_quant_layer: class of a layer that imitates the integers instead.

    Raises:
        InvalidArgumentError: another way to quantise.
    """

    def __init__(
        self,
        layer: Any = None,
        weight_bits: int = 8,
        activation_bits: int = 8,
        moving_rate: float = 0.9,
        weight_quantize_type: str = "abs_max",
        activation_quantize_type: str = "abs_max",
        weight_pre_layer: Any = None,
        act_pre_layer: Any = None,
        weight_quant_layer: Any = None,
        act_quant_layer: Any = None,
    ) -> None:
        super().__init__()
        name = None if layer is None else layer.full_name()

        def made() -> Layer:
            if act_quant_layer is not None:
                return act_quant_layer()
            kind = activation_quantize_type
            return _fake_quant(kind, name, activation_bits, moving_rate, None, 0)

        self._fake_quant_x, self._fake_quant_y = made(), made()
        self._act_preprocess_x = None if act_pre_layer is None else act_pre_layer()
        self._act_preprocess_y = None if act_pre_layer is None else act_pre_layer()

    def forward(
        self,
        x: Any,
        y: Any,
        transpose_x: bool = False,
        transpose_y: bool = False,
        name: str | None = None,
    ) -> Any:
        """Returns the product of the two inputs."""
        if self._act_preprocess_x is not None:
            x = self._act_preprocess_x(x)
        if self._act_preprocess_y is not None:
            y = self._act_preprocess_y(y)
        return matmul(self._fake_quant_x(x), self._fake_quant_y(y), transpose_x, transpose_y)
