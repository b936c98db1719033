"""Dropout with what stands around it in a transformer."""

from __future__ import annotations

from proa.core import Tensor, composite
from proa.nn.functional import dropout
from proa.ops import add

from ._norm import layer_norm_of_sum


@composite
def fused_dropout_add(
    x: Tensor,
    y: Tensor,
    p: float = 0.5,
    training: bool = True,
    mode: str = "upscale_in_train",
    name: str | None = None,
) -> Tensor:
    """Dropout of `x`, plus `y`.

    Args:
        x: floating tensor.
        y: tensor of that shape.
        p: probability of a zero.
        training: without it nothing is dropped.
        mode: `"upscale_in_train"` or `"downscale_in_infer"`, see `nn.functional.dropout`.
        name: not used.

    Examples:
        >>> import proa
        >>> from proa.incubate.nn.functional import fused_dropout_add
        >>> x = proa.to_tensor([1.0, 2.0])
        >>> fused_dropout_add(x, x, p=0.5, training=False).tolist()
        [2.0, 4.0]
    """
    return add(dropout(x, p, training=training, mode=mode), y)


@composite
def fused_bias_dropout_residual_layer_norm(
    x: Tensor,
    residual: Tensor,
    bias: Tensor | None = None,
    ln_scale: Tensor | None = None,
    ln_bias: Tensor | None = None,
    dropout_rate: float = 0.5,
    ln_epsilon: float = 1e-5,
    training: bool = True,
    mode: str = "upscale_in_train",
    name: str | None = None,
) -> Tensor:
    """Layer normalisation of `residual + dropout(x + bias)`, over the last axis.

    Args:
        x: floating tensor [..., E].
        residual: tensor of that shape.
        bias: tensor [E].
        ln_scale: scale [E].
        ln_bias: shift [E].
        dropout_rate: probability of a zero.
        ln_epsilon: added to the variance.
        training: without it nothing is dropped.
        mode: see `nn.functional.dropout`.
        name: not used.
    """
    inner = x if bias is None else add(x, bias)
    total = fused_dropout_add(inner, residual, dropout_rate, training, mode)
    return layer_norm_of_sum(total, ln_scale, ln_bias, None, None, ln_epsilon, 1.0, x.ndim - 1)[0]
