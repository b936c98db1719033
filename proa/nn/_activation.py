"""Activations as layers."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError, describe_array

from . import functional as F
from ._function_layer import FunctionLayer
from ._layer import Layer
from .initializer import Constant


class CELU(FunctionLayer, function=F.celu):
    """Continuously differentiable ELU: `max(0, x) + min(0, alpha * (exp(x / alpha) - 1))`.

    Args:
        alpha: where the negative part levels off, not 0.
        name: kept for Paddle's signature.
    """

    alpha: float = 1.0
    name: str | None = None


class ELU(FunctionLayer, function=F.elu):
    """Exponential linear unit: `x` where positive, `alpha * (exp(x) - 1)` elsewhere.

    Args:
        alpha: where the negative part levels off.
        name: kept for Paddle's signature.
    """

    alpha: float = 1.0
    name: str | None = None


class GELU(FunctionLayer, function=F.gelu):
    """Gaussian error linear unit: `x * P(X <= x)` for a standard normal X.

    Args:
        approximate: uses the tanh approximation.
        name: kept for Paddle's signature.
    """

    approximate: bool = False
    name: str | None = None


class GLU(FunctionLayer, function=F.glu):
    """Gated linear unit: `a * sigmoid(b)` for the two halves of the input.

    Args:
        axis: axis that is halved; its size is even.
        name: kept for Paddle's signature.
    """

    axis: int = -1
    name: str | None = None


class Hardshrink(FunctionLayer, function=F.hardshrink):
    """`x` where `|x| > threshold`, 0 elsewhere.

    Args:
        threshold: half the width of the gap.
        name: kept for Paddle's signature.
    """

    threshold: float = 0.5
    name: str | None = None


class Hardsigmoid(FunctionLayer, function=F.hardsigmoid):
    """A sigmoid of three straight pieces: `clip(x / 6 + 1 / 2, 0, 1)`.

    Args:
        name: kept for Paddle's signature.
    """

    name: str | None = None


class Hardswish(FunctionLayer, function=F.hardswish):
    """`x * clip(x + 3, 0, 6) / 6`.

    Args:
        name: kept for Paddle's signature.
    """

    name: str | None = None


class Hardtanh(FunctionLayer, function=F.hardtanh):
    """`clip(x, min, max)`.

    Args:
        min: lower bound.
        max: upper bound.
        name: kept for Paddle's signature.
    """

    min: float = -1.0
    max: float = 1.0
    name: str | None = None


class LeakyReLU(FunctionLayer, function=F.leaky_relu):
    """`x` where positive, `negative_slope * x` elsewhere.

    Args:
        negative_slope: slope of the negative part.
        name: kept for Paddle's signature.
    """

    negative_slope: float = 0.01
    name: str | None = None


class LogSigmoid(FunctionLayer, function=F.log_sigmoid):
    """`log(1 / (1 + exp(-x)))`.

    Args:
        name: kept for Paddle's signature.
    """

    name: str | None = None


class LogSoftmax(FunctionLayer, function=F.log_softmax):
    """Logarithm of the softmax.

    Args:
        axis: axis whose exponentials sum up to 1.
        name: kept for Paddle's signature.
    """

    axis: int = -1
    name: str | None = None


class Maxout(FunctionLayer, function=F.maxout):
    """Largest of each group of channels.

    Args:
        groups: number of channels that compete; divides the number of channels.
        axis: axis of the channels.
        name: kept for Paddle's signature.
    """

    groups: int
    axis: int = 1
    name: str | None = None


class Mish(FunctionLayer, function=F.mish):
    """`x * tanh(softplus(x))`.

    Args:
        name: kept for Paddle's signature.
    """

    name: str | None = None


class ReLU(FunctionLayer, function=F.relu):
    """Rectified linear unit: `max(x, 0)`.

    Args:
        name: kept for Paddle's signature.

    Examples:
        >>> import proa
        >>> proa.nn.ReLU()(proa.to_tensor([-1.0, 2.0])).tolist()
        [0.0, 2.0]
    """

    name: str | None = None


class ReLU6(FunctionLayer, function=F.relu6):
    """`clip(x, 0, 6)`.

    Args:
        name: kept for Paddle's signature.
    """

    name: str | None = None


class SELU(FunctionLayer, function=F.selu):
    """Scaled ELU: `scale * (max(0, x) + min(0, alpha * (exp(x) - 1)))`.

    Args:
        scale: factor, above 1.
        alpha: where the negative part levels off.
        name: kept for Paddle's signature.
    """

    scale: float = 1.0507009873554804934193349852946
    alpha: float = 1.6732632423543772848170429916717
    name: str | None = None


class Sigmoid(FunctionLayer, function=F.sigmoid):
    """`1 / (1 + exp(-x))`.

    Args:
        name: kept for Paddle's signature.
    """

    name: str | None = None


class Silu(FunctionLayer, function=F.silu):
    """`x * sigmoid(x)`.

    Args:
        inplace: write the result to the input.
        name: kept for Paddle's signature.
    """

    inplace: bool = False
    name: str | None = None


class Softmax(FunctionLayer, function=F.softmax):
    """Exponentials divided by their sum.

    Args:
        axis: axis along which the output sums up to 1.
        name: kept for Paddle's signature.
    """

    axis: int = -1
    name: str | None = None


class Softmax2D(FunctionLayer, function=F.softmax):
    """Softmax over the channels of images.

    Takes `[N, C, H, W]` or `[C, H, W]`.

    Args:
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: (at the call) the input has not 3 or 4 axes.
    """

    name: str | None = None

    def forward(self, x: Any) -> Any:
        """Returns the softmax over axis -3."""
        if x.ndim not in (3, 4):
            raise InvalidArgumentError(
                f"Softmax2D got an input {describe_array(x._data)}",
                expected="[C, H, W] or [N, C, H, W]",
                fix="add the missing axes, or use Softmax(axis=...)",
            )
        return F.softmax(x, axis=-3)


class Softplus(FunctionLayer, function=F.softplus):
    """`log(1 + exp(beta * x)) / beta`, and `x` where `beta * x > threshold`.

    Args:
        beta: sharpness of the bend.
        threshold: where the function counts as straight.
        name: kept for Paddle's signature.
    """

    beta: float = 1
    threshold: float = 20
    name: str | None = None


class Softshrink(FunctionLayer, function=F.softshrink):
    """Moves `x` towards 0 by `threshold`, and no further than 0.

    Args:
        threshold: how far.
        name: kept for Paddle's signature.
    """

    threshold: float = 0.5
    name: str | None = None


class Softsign(FunctionLayer, function=F.softsign):
    """`x / (1 + |x|)`.

    Args:
        name: kept for Paddle's signature.
    """

    name: str | None = None


class Swish(FunctionLayer, function=F.swish):
    """`x * sigmoid(x)`.

    Args:
        name: kept for Paddle's signature.
    """

    name: str | None = None


class Tanh(FunctionLayer, function=F.tanh):
    """Hyperbolic tangent.

    Args:
        name: kept for Paddle's signature.
    """

    name: str | None = None


class Tanhshrink(FunctionLayer, function=F.tanhshrink):
    """`x - tanh(x)`.

    Args:
        name: kept for Paddle's signature.
    """

    name: str | None = None


class ThresholdedReLU(FunctionLayer, function=F.thresholded_relu):
    """`x` where it is above `threshold`, `value` elsewhere.

    Args:
        threshold: the threshold.
        value: value below it.
        name: kept for Paddle's signature.
    """

    threshold: float = 1.0
    value: float = 0.0
    name: str | None = None


class RReLU(FunctionLayer, function=F.rrelu, trains=True):
    """Leaky ReLU whose negative slope is drawn per element in training.

    In evaluation mode the slope is `(lower + upper) / 2`.

    Args:
        lower: smallest slope.
        upper: largest slope, at most 1.
        name: kept for Paddle's signature.
    """

    lower: float = 1.0 / 8.0
    upper: float = 1.0 / 3.0
    name: str | None = None

    def extra_repr(self) -> str:
        """Returns the settings as `name=value`."""
        shown = f"lower={self.lower}, upper={self.upper}, training={self.training}"
        return f"{shown}, dtype={self._dtype}" + (f", name={self.name}" if self.name else "")


class PReLU(Layer):
    """Leaky ReLU whose negative slope is learnt: `max(0, x) + weight * min(0, x)`.

    Args:
        num_parameters: 1 for one slope, or the number of channels for one slope each.
        init: initial slope.
        weight_attr: settings of the slopes, see ParamAttr.
        data_format: where the channels are.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `num_parameters` is negative.
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        weight_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.data_format = data_format
        self.name = name
        self._weight = self.create_parameter(
            [num_parameters], attr=weight_attr, default_initializer=Constant(init)
        )

    def forward(self, x: Any) -> Any:
        """Returns the activation."""
        return F.prelu(x, self._weight, data_format=self.data_format)

    def extra_repr(self) -> str:
        """Returns the settings as `name=value`."""
        shown = f"num_parameters={self.num_parameters}, data_format={self.data_format}"
        shown += f", init={self.init}, dtype={self._dtype}"
        return shown + (f", name={self.name}" if self.name else "")


SiLU = Silu
