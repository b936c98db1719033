"""Layers of one fused function each."""

from __future__ import annotations

from typing import Any

from proa.nn import Layer
from proa.nn.initializer import Constant

from . import functional as F


class FusedLinear(Layer):
    """Linear map of the last axis: `x @ weight + bias`.

    Args:
        in_features: size of the last axis of the input.
        out_features: size of the last axis of the output.
        weight_attr: settings of the weight [in_features, out_features], see ParamAttr.
        bias_attr: settings of the bias [out_features]; `False` for none.
        transpose_weight: the weight is [out_features, in_features].
        name: kept for Paddle's signature.

    Examples:
        >>> import proa
        >>> proa.incubate.nn.FusedLinear(4, 5)(proa.ones([3, 4])).shape
        [3, 5]
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        transpose_weight: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__()
        shape = [in_features, out_features]
        self.weight = self.create_parameter(
            shape[::-1] if transpose_weight else shape, attr=weight_attr
        )
        self.bias = self.create_parameter([out_features], attr=bias_attr, is_bias=True)
        self.transpose_weight, self.name = transpose_weight, name

    def forward(self, input: Any) -> Any:
        """Returns the map of the input."""
        return F.fused_linear(input, self.weight, self.bias, self.transpose_weight)


class FusedDropoutAdd(Layer):
    """Dropout of one input, plus the other.

    Args:
        p: probability of a zero.
        mode: see `nn.functional.dropout`.
        name: kept for Paddle's signature.
    """

    def __init__(
        self, p: float = 0.5, mode: str = "upscale_in_train", name: str | None = None
    ) -> None:
        super().__init__()
        self.p, self.mode, self.name = p, mode, name

    def forward(self, x: Any, y: Any) -> Any:
        """Returns dropout of `x`, plus `y`."""
        return F.fused_dropout_add(x, y, self.p, self.training, self.mode)

    def extra_repr(self) -> str:
        """Returns the settings."""
        shown = f"p={self.p}, mode={self.mode}"
        return f"{shown}, name={self.name}" if self.name else shown


class FusedBiasDropoutResidualLayerNorm(Layer):
    """Layer normalisation of `residual + dropout(x + bias)`.

    Args:
        embed_dim: size of the last axis.
        dropout_rate: probability of a zero.
        weight_attr: settings of the scale, see ParamAttr; ones by default.
        bias_attr: settings of the bias and of the shift; `False` for no bias.
        epsilon: added to the variance.
        name: kept for Paddle's signature.
    """

    def __init__(
        self,
        embed_dim: int,
        dropout_rate: float = 0.5,
        weight_attr: Any = None,
        bias_attr: Any = None,
        epsilon: float = 1e-5,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.embed_dim, self.dropout_rate = embed_dim, dropout_rate
        self.linear_bias = self.create_parameter([embed_dim], attr=bias_attr, is_bias=True)
        self.ln_scale = self.create_parameter(
            [embed_dim], attr=weight_attr, default_initializer=Constant(1.0)
        )
        self.ln_bias = self.create_parameter([embed_dim], attr=bias_attr, is_bias=True)
        self.epsilon, self.name = epsilon, name

    def forward(self, x: Any, residual: Any) -> Any:
        """Returns the normalised sum."""
        return F.fused_bias_dropout_residual_layer_norm(
            x,
            residual,
            self.linear_bias,
            self.ln_scale,
            self.ln_bias,
            self.dropout_rate,
            self.epsilon,
            self.training,
        )

    def extra_repr(self) -> str:
        """Returns the settings."""
        shown = f"embed_dim={self.embed_dim}, dropout_rate={self.dropout_rate}"
        return f"{shown}, epsilon={self.epsilon}, dtype={self._dtype}"
