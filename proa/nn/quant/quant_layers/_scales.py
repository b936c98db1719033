"""Layers that imitate integers, and layers that watch how large numbers get."""

from __future__ import annotations

from typing import Any

from proa.core import GradMode, InvalidArgumentError, Tensor, write_inplace
from proa.nn._layer import Layer
from proa.nn._param_attr import ParamAttr
from proa.nn.initializer import Constant
from proa.ops._fake_quantize import fake_quantize, largest_magnitude, moving_magnitude
from proa.utils import unique_name


class _Scaled(Layer):
    """A layer with numbers beside its parameters, which training writes."""

    _scale: Any

    def _number(self, name: str | None, title: str, start: float, dtype: str, size: int = 1) -> Any:
        """Makes a parameter that is not trained, named after what it belongs to."""
        full = unique_name.generate(f"{name}.{title}" if name else f"quant_dequant.{title}")
        attr = ParamAttr(name=full, initializer=Constant(start), trainable=False)
        made = self.create_parameter([size], attr=attr, dtype=dtype)
        made.stop_gradient = True
        return made

    def _keep(self, scale: Any) -> None:
        # In training alone: what evaluates a model must not write, or it could not be exported.
        if self._scale is not None and self.training:
            write_inplace(self._scale, scale.astype(self._scale.dtype))


class FakeQuantAbsMax(_Scaled):
    """Imitates integers whose scale is the largest magnitude of the input.

    Args:
        name: begins the name of the scale.
        quant_bits: bits of the integers.
        dtype: dtype of the scale.
        quant_on_weight: keep the scale as `_scale`, which a state has then.
        reduce_type: accepted for Paddle's signature; sharding is the mesh's matter.

    Examples:
        >>> import proa
        >>> from proa.nn.quant.quant_layers import FakeQuantAbsMax
        >>> FakeQuantAbsMax(quant_bits=3)(proa.to_tensor([0.4, 1.2, -3.0])).tolist()
        [0.0, 1.0, -3.0]
    """

    def __init__(
        self,
        name: str | None = None,
        quant_bits: int = 8,
        dtype: str = "float32",
        quant_on_weight: bool = False,
        reduce_type: str | None = None,
    ) -> None:
        super().__init__()
        self._quant_bits, self._name = quant_bits, name
        self._scale = self._number(name, "scale", 0.001, dtype) if quant_on_weight else None

    def forward(self, input: Any) -> Any:
        """Returns the nearest numbers that the integers give."""
        scale = largest_magnitude(input, None)
        self._keep(scale)
        return fake_quantize(input, scale, self._quant_bits, None)


class FakeQuantChannelWiseAbsMax(_Scaled):
    """Imitates integers with a scale per channel of a weight.

    Args:
        name: begins the name of the scales.
        channel_num: number of channels.
        quant_bits: bits of the integers.
        quant_axis: axis of the channels.
        dtype: dtype of the scales.
        quant_on_weight: must be True.
        reduce_type: accepted for Paddle's signature.

    Raises:
        InvalidArgumentError: not for a weight, or no number of channels.
    """

    def __init__(
        self,
        name: str | None = None,
        channel_num: int | None = None,
        quant_bits: int = 8,
        quant_axis: int = 0,
        dtype: str = "float32",
        quant_on_weight: bool = False,
        reduce_type: str | None = None,
    ) -> None:
        super().__init__()
        if not quant_on_weight or channel_num is None:
            raise InvalidArgumentError(
                f"FakeQuantChannelWiseAbsMax: `quant_on_weight` is {quant_on_weight}, "
                f"`channel_num` {channel_num}",
                expected="True, and the number of channels of a weight",
                fix="use FakeQuantMovingAverageAbsMax for activations",
            )
        self._quant_bits, self._quant_axis, self._name = quant_bits, quant_axis, name
        self._channel_num = channel_num
        self._scale = self._number(name, "scale", 0.0, dtype, channel_num)

    def forward(self, input: Any) -> Any:
        """Returns the nearest numbers that the integers give."""
        scale = largest_magnitude(input, self._quant_axis)
        self._keep(scale)
        return fake_quantize(input, scale, self._quant_bits, self._quant_axis)


class MovingAverageAbsMaxScale(_Scaled):
    """Hands its input on, and in training keeps a moving average of its largest magnitude.

    Args:
        name: begins the names of the numbers it keeps.
        moving_rate: how much the past keeps at each step.
        dtype: dtype of these numbers.
        reduce_type: accepted for Paddle's signature.

    Examples:
        >>> import proa
        >>> from proa.nn.quant.quant_layers import MovingAverageAbsMaxScale
        >>> watch = MovingAverageAbsMaxScale()
        >>> _ = watch(proa.to_tensor([1.0, -3.0]))
        >>> watch._scale.tolist()
        [3.0]
    """

    #: What `_state` and `_accum` begin with.
    _start = 0.0

    def __init__(
        self,
        name: str | None = None,
        moving_rate: float = 0.9,
        dtype: str = "float32",
        reduce_type: str | None = None,
    ) -> None:
        super().__init__()
        self._moving_rate = moving_rate
        self._scale = self._number(name, "scale", 0.001 * self._start, dtype)
        self._state = self._number(name, "state", self._start, dtype)
        self._accum = self._number(name, "accum", self._start, dtype)

    def _watch(self, input: Any) -> None:
        if not self.training:
            return
        with GradMode(False):
            found = moving_magnitude(input, self._state, self._accum, self._moving_rate)
        for kept, value in zip((self._scale, self._state, self._accum), found, strict=True):
            write_inplace(kept, value)

    def forward(self, input: Any) -> Any:
        """Returns the input."""
        self._watch(input)
        return input


class FakeQuantMovingAverageAbsMax(MovingAverageAbsMaxScale):
    """Imitates integers whose scale is a moving average of the largest magnitude.

    The average is updated in training. It begins with magnitude 1, as if seen once.

    Args:
        name: begins the names of the numbers it keeps.
        moving_rate: how much the past keeps at each step.
        quant_bits: bits of the integers.
        dtype: dtype of these numbers.
        reduce_type: accepted for Paddle's signature.
    """

    _start = 1.0

    def __init__(
        self,
        name: str | None = None,
        moving_rate: float = 0.9,
        quant_bits: int = 8,
        dtype: str = "float32",
        reduce_type: str | None = None,
    ) -> None:
        super().__init__(name, moving_rate, dtype, reduce_type)
        self._quant_bits = quant_bits

    def forward(self, input: Any) -> Any:
        """Returns the nearest numbers that the integers give."""
        self._watch(input)
        return fake_quantize(input, self._scale, self._quant_bits, None)


#: The name it has where it stands in for an operation that is to be quantised.
QuantStub = MovingAverageAbsMaxScale


class _Watched(Layer):
    """A layer, and what watches its output."""

    def __init__(self, layer: Any, name: str | None) -> None:
        super().__init__()
        self._layer = layer
        self._title = layer.full_name() if name is None else name

    def _first(self, out: Any, watch: Any) -> Any:
        # Outputs in a list are not watched, as in Paddle.
        return watch(out) if isinstance(out, Tensor) else out


class MAOutputScaleLayer(_Watched):
    """A layer whose output's largest magnitude is kept as a moving average.

    Args:
        layer: the layer.
        moving_rate: how much the past keeps at each step.
        name: begins the names of the numbers it keeps; the layer's own by default.
        dtype: dtype of these numbers.
        reduce_type: accepted for Paddle's signature.
    """

    def __init__(
        self,
        layer: Any = None,
        moving_rate: float = 0.9,
        name: str | None = None,
        dtype: str = "float32",
        reduce_type: str | None = None,
    ) -> None:
        super().__init__(layer, name)
        self._ma_output_scale = MovingAverageAbsMaxScale(self._title, moving_rate, dtype)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Returns what the layer does."""
        return self._first(self._layer(*inputs, **kwargs), self._ma_output_scale)


class FakeQuantMAOutputScaleLayer(_Watched):
    """A layer whose output imitates integers, with a moving average as scale.

    Args:
        layer: the layer.
        weight_bits: accepted for Paddle's signature.
        activation_bits: bits of the integers.
        moving_rate: how much the past keeps at each step.
        name: begins the names of the numbers it keeps; the layer's own by default.
        reduce_type: accepted for Paddle's signature.
        args: ignored.
        kwargs: ignored.
    """

    def __init__(
        self,
        layer: Any,
        weight_bits: int = 8,
        activation_bits: int = 8,
        moving_rate: float = 0.9,
        name: str | None = None,
        reduce_type: str | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(layer, name)
        self._fake_quant_output = FakeQuantMovingAverageAbsMax(
            self._title, moving_rate, activation_bits
        )

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Returns the nearest numbers that the integers give."""
        return self._first(self._layer(*inputs, **kwargs), self._fake_quant_output)
