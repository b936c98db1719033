"""The feed-forward half of a transformer layer."""

from __future__ import annotations

from typing import Any

from proa.core import Tensor, composite
from proa.nn._common import activation_function
from proa.nn.functional import dropout
from proa.ops import full_like

from ._dropout import fused_dropout_add
from ._linear import fused_matmul_bias
from ._norm import layer_norm_of_sum


@composite
def fused_feedforward(
    x: Tensor,
    linear1_weight: Tensor,
    linear2_weight: Tensor,
    linear1_bias: Tensor | None = None,
    linear2_bias: Tensor | None = None,
    ln1_scale: Tensor | None = None,
    ln1_bias: Tensor | None = None,
    ln2_scale: Tensor | None = None,
    ln2_bias: Tensor | None = None,
    dropout1_rate: float = 0.5,
    dropout2_rate: float = 0.5,
    activation: str = "relu",
    ln1_epsilon: float = 1e-5,
    ln2_epsilon: float = 1e-5,
    pre_layer_norm: bool = False,
    training: bool = True,
    mode: str = "upscale_in_train",
    ring_id: int = -1,
    add_residual: bool = True,
    name: str | None = None,
) -> Tensor:
    """`x + dropout2(linear2(dropout1(activation(linear1(norm(x))))))`.

    Args:
        x: floating tensor [B, S, E].
        linear1_weight: [E, F].
        linear2_weight: [F, E].
        linear1_bias: [F].
        linear2_bias: [E].
        ln1_scale: scale [E] of the normalisation of the input, with `pre_layer_norm`.
        ln1_bias: shift [E] of it.
        ln2_scale: scale [E] of the normalisation of the result, without `pre_layer_norm`.
        ln2_bias: shift [E] of it.
        dropout1_rate: probability of dropping an activation.
        dropout2_rate: probability of dropping an element of the result.
        activation: name of a function of `nn.functional`.
        ln1_epsilon: added to the variance of the first normalisation.
        ln2_epsilon: added to the variance of the second.
        pre_layer_norm: normalise the input instead of the result.
        training: without it nothing is dropped.
        mode: see `nn.functional.dropout`.
        ring_id: accepted for Paddle's signature; sharding is the mesh's matter.
        add_residual: add `x` to the result.
        name: not used.

    Raises:
        InvalidArgumentError: an activation that there is not, or shapes that do not fit.
    """
    inner: Any = x
    last = x.ndim - 1
    if pre_layer_norm:
        inner = layer_norm_of_sum(x, ln1_scale, ln1_bias, None, None, ln1_epsilon, 1.0, last)[0]
    act = activation_function(activation, "activation", "fused_feedforward")
    inner = act(fused_matmul_bias(inner, linear1_weight, linear1_bias))
    inner = dropout(inner, dropout1_rate, training=training, mode=mode)
    out = fused_matmul_bias(inner, linear2_weight, linear2_bias)
    base = x if add_residual else full_like(x, 0)
    out = fused_dropout_add(out, base, dropout2_rate, training, mode)
    if pre_layer_norm:
        return out
    return layer_norm_of_sum(out, ln2_scale, ln2_bias, None, None, ln2_epsilon, 1.0, last)[0]
