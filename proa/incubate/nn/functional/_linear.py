"""Matrix products with what follows them."""

from __future__ import annotations

from proa.core import InvalidArgumentError, Tensor, composite
from proa.nn.functional import gelu, relu
from proa.ops import add, matmul

_ACTIVATIONS = {"gelu": gelu, "relu": relu}


@composite
def fused_matmul_bias(
    x: Tensor,
    y: Tensor,
    bias: Tensor | None = None,
    transpose_x: bool = False,
    transpose_y: bool = False,
    name: str | None = None,
) -> Tensor:
    """Matrix product plus bias: `x @ y + bias`. XLA fuses the sum into the product.

    Args:
        x: tensor [..., M, K].
        y: tensor [K, N].
        bias: tensor [N].
        transpose_x: swap the last two axes of `x` first.
        transpose_y: swap the axes of `y` first.
        name: not used.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    Examples:
        >>> import proa
        >>> from proa.incubate.nn.functional import fused_matmul_bias
        >>> x, bias = proa.ones([1, 2]), proa.to_tensor([1.0, -1.0])
        >>> fused_matmul_bias(x, proa.eye(2), bias).tolist()
        [[2.0, 0.0]]
    """
    product = matmul(x, y, transpose_x, transpose_y)
    return product if bias is None else add(product, bias)


@composite
def fused_linear(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    transpose_weight: bool = False,
    name: str | None = None,
) -> Tensor:
    """Linear map of the last axis: `x @ weight + bias`.

    Args:
        x: tensor [..., I].
        weight: tensor [I, O].
        bias: tensor [O].
        transpose_weight: the weight is [O, I].
        name: not used.
    """
    return fused_matmul_bias(x, weight, bias, False, transpose_weight)


@composite
def fused_linear_activation(
    x: Tensor,
    y: Tensor,
    bias: Tensor,
    trans_x: bool = False,
    trans_y: bool = False,
    activation: str | None = None,
) -> Tensor:
    """`fused_matmul_bias` and then an activation.

    Args:
        x: tensor [..., M, K].
        y: tensor [K, N].
        bias: tensor [N].
        trans_x: swap the last two axes of `x` first.
        trans_y: swap the axes of `y` first.
        activation: `"gelu"`, `"relu"`, or `None` for none.

    Raises:
        InvalidArgumentError: another activation, or shapes that do not fit.
    """
    out = fused_matmul_bias(x, y, bias, trans_x, trans_y)
    if activation in (None, "none"):
        return out
    if activation not in _ACTIVATIONS:
        raise InvalidArgumentError(
            f"`activation` of `fused_linear_activation` is {activation!r}",
            expected="'gelu', 'relu' or None",
            fix="apply another activation to the result of `fused_linear`",
        )
    return _ACTIVATIONS[activation](out)
