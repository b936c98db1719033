"""Functions of layers with PyTorch's arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proa import ops
from proa.core import InvalidArgumentError, Tensor, write_out
from proa.nn import functional as F


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`.

    Args:
        input: tensor of shape [..., in].
        weight: matrix of shape [out, in]; Paddle's is its transpose.
        bias: vector of shape [out], or `None`.
    """
    return F.linear(input, ops.transpose(weight, [1, 0]), bias)


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float = 0.0) -> Tensor:
    """Pads a tensor; widths come in pairs, from the last axis on.

    Args:
        input: the tensor.
        pad: (before, after) of the last axis, then of the one in front of it, and so on.
        mode: `"constant"`, `"reflect"`, `"replicate"` or `"circular"`.
        value: what constant padding is made of.

    Raises:
        InvalidArgumentError: an odd number of widths, or more pairs than axes.

    Examples:
        >>> import proa.compat
        >>> proa.compat.nn.functional.pad(proa.ones([1, 2]), (1, 0)).tolist()
        [[0.0, 1.0, 1.0]]
    """
    widths = pad.tolist() if isinstance(pad, Tensor) else list(pad)
    if len(widths) % 2 or len(widths) > 2 * input.ndim:
        raise InvalidArgumentError(
            f"`pad` of `compat.nn.functional.pad` has {len(widths)} widths",
            expected=f"two for each axis, at most {2 * input.ndim} for shape {input.shape}",
            fix="give (before, after) of the last axis first",
        )
    if mode != "constant":
        return _pad_by_copies(input, widths, mode)
    full = widths + [0] * (2 * input.ndim - len(widths))
    # Paddle counts from the first axis on when all axes are named.
    pairs = [full[i : i + 2] for i in range(0, len(full), 2)][::-1]
    return F.pad(input, [width for pair in pairs for width in pair], "constant", value)


def _pad_by_copies(input: Tensor, widths: list[int], mode: str) -> Tensor:
    """The modes that copy elements take [N, C, ...] with one pair for each spatial axis."""
    formats = {3: "NCL", 4: "NCHW", 5: "NCDHW"}
    axes = len(widths) // 2
    lifted = ops.unsqueeze(input, 0) if input.ndim == axes + 1 else input
    if lifted.ndim not in formats or axes > lifted.ndim - 2:
        raise InvalidArgumentError(
            f"mode {mode!r} with {axes} pairs of widths for shape {input.shape}",
            expected="1 to 3 spatial axes behind batch and channels, and as many pairs at most",
            fix="add axes with unsqueeze, or use mode 'constant'",
        )
    full = widths + [0] * (2 * (lifted.ndim - 2) - len(widths))
    made = F.pad(lifted, full, mode, 0.0, formats[lifted.ndim])
    return made if lifted is input else ops.squeeze(made, 0)


def softmax(
    input: Tensor, dim: int | None = None, dtype: Any = None, out: Tensor | None = None
) -> Tensor:
    """Softmax over an axis.

    Args:
        input: the tensor.
        dim: the axis; `None` is 0 for 0, 1 and 3 axes, else 1.
        dtype: dtype to compute in.
        out: tensor that takes the result.
    """
    if dim is None:
        dim = 0 if input.ndim in (0, 1, 3) else 1
    made = F.softmax(input, dim, dtype)
    return made if out is None else write_out(out, made)


def unfold(
    input: Tensor,
    kernel_size: int | Sequence[int],
    dilation: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    stride: int | Sequence[int] = 1,
) -> Tensor:
    """Lays the windows of images out as columns `[N, C * kh * kw, L]`.

    Args:
        input: images of shape [N, C, H, W].
        kernel_size: size of the window.
        dilation: distance of its elements.
        padding: zeros around the image.
        stride: distance of windows.
    """
    return F.unfold(input, kernel_size, stride, padding, dilation)


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """`softmax(query @ key.T * scale + mask) @ value` for each head.

    Args:
        query: tensor of shape [..., heads, L, E]; Paddle's has [..., L, heads, E].
        key: tensor of shape [..., heads, S, E].
        value: tensor of shape [..., heads, S, V].
        attn_mask: `True` where a key may be seen, or numbers that are added; broadcasts to
            [..., heads, L, S].
        dropout_p: probability that a weight is dropped.
        is_causal: whether position i sees the keys up to i only.
        scale: factor of the products; `1 / sqrt(E)` by default.
        enable_gqa: whether keys and values have fewer heads, each used several times.

    Raises:
        InvalidArgumentError: `is_causal` together with a mask.
    """
    if is_causal and attn_mask is not None:
        raise InvalidArgumentError(
            "`is_causal` and `attn_mask` are both given",
            expected="one of the two",
            fix="put the causal mask into `attn_mask`",
        )
    if enable_gqa:
        times = query.shape[-3] // key.shape[-3]
        key, value = (ops.repeat_interleave(each, times, -3) for each in (key, value))
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    scores = ops.matmul(query, key, transpose_y=True) * factor
    if is_causal:
        attn_mask = ops.tril(ops.ones([query.shape[-2], key.shape[-2]], "bool"))
    seen = None
    if attn_mask is not None and attn_mask.dtype == "bool":
        seen, attn_mask = (
            attn_mask,
            ops.cast(ops.where(attn_mask, 0.0, float("-inf")), scores.dtype),
        )
    if attn_mask is not None:
        scores = scores + attn_mask
    if seen is not None:
        # A row without any key gives zeros, not NaN (TRAPS 8).
        row = ops.any(seen, -1, True)
        scores = ops.where(row, scores, ops.zeros_like(scores))
        weights = ops.where(row, F.softmax(scores, -1), ops.zeros_like(scores))
    else:
        weights = F.softmax(scores, -1)
    return ops.matmul(F.dropout(weights, dropout_p), value)
