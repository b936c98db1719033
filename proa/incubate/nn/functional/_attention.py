"""Self-attention with its projections, and attention of padded sequences.

Axes in names: B batch, S length, H heads, D width of a head, E width of the model.
"""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError, Tensor, composite, describe_array
from proa.nn._attention import additive_mask
from proa.ops import add, cast, concat, full_like, matmul, reshape, stack, transpose, where
from proa.ops._attention import attend
from proa.ops._attention_masks import padded_mask

from ._dropout import fused_dropout_add
from ._linear import fused_matmul_bias
from ._norm import layer_norm_of_sum


def project_qkv(
    x: Any, weight: Any, bias: Any, num_heads: int, transposed: bool
) -> tuple[Any, Any, Any]:
    """Queries, keys and values [B, S, H, D] of `x` [B, S, E]."""
    width = x.shape[-1]
    if transposed:
        if num_heads < 1 or weight.shape[-1] % (3 * num_heads):
            raise InvalidArgumentError(
                f"`num_heads` is {num_heads}, `qkv_weight` {describe_array(weight._data)}",
                expected="a positive number of heads that divides the width",
                fix="pass num_heads with transpose_qkv_wb=True",
            )
        heads = num_heads
    else:
        heads = weight.shape[1]
        weight = transpose(reshape(weight, [-1, width]), [1, 0])
    flat = matmul(x, weight)
    if bias is not None:
        flat = add(flat, reshape(bias, [-1]))
    parts: Any = reshape(flat, [*x.shape[:-1], 3, heads, flat.shape[-1] // (3 * heads)])
    return parts[:, :, 0], parts[:, :, 1], parts[:, :, 2]


def attend_with_dropout(
    query: Any, key: Any, value: Any, mask: Any, rate: float, training: bool, mode: str
) -> Any:
    """Attention, the weights dropped in either of the two modes of `nn.functional.dropout`."""
    if mask is not None and not mask.dtype.is_inexact:
        mask = additive_mask(mask, query.dtype) if mask.dtype != "bool" else mask
    out = attend(query, key, value, mask, dropout=rate if training else 0.0)
    # Without upscaling the kept weights are smaller by 1 - p, in training and (all) afterwards.
    return out * (1 - rate) if mode == "downscale_in_infer" and rate else out


@composite
def fused_multi_head_attention(
    x: Tensor,
    qkv_weight: Tensor,
    linear_weight: Tensor,
    pre_layer_norm: bool = False,
    pre_ln_scale: Tensor | None = None,
    pre_ln_bias: Tensor | None = None,
    ln_scale: Tensor | None = None,
    ln_bias: Tensor | None = None,
    pre_ln_epsilon: float = 1e-5,
    qkv_bias: Tensor | None = None,
    linear_bias: Tensor | None = None,
    cache_kv: Tensor | None = None,
    attn_mask: Tensor | None = None,
    dropout_rate: float = 0.5,
    attn_dropout_rate: float = 0.5,
    ln_epsilon: float = 1e-5,
    training: bool = True,
    mode: str = "upscale_in_train",
    ring_id: int = -1,
    add_residual: bool = True,
    num_heads: int = -1,
    transpose_qkv_wb: bool = False,
    name: str | None = None,
) -> Any:
    """The attention half of a transformer layer, from its input to its residual sum.

    `out = x + dropout(attention(norm(x)) @ linear_weight + linear_bias)`, normalised before
    (`pre_layer_norm`) or after.

    Args:
        x: floating tensor [B, S, E].
        qkv_weight: [3, H, D, E], or [E, 3 * H * D] with `transpose_qkv_wb`.
        linear_weight: [H * D, E].
        pre_layer_norm: normalise the input instead of the result.
        pre_ln_scale: scale [E] of the first normalisation.
        pre_ln_bias: shift [E] of it.
        ln_scale: scale [E] of the last normalisation.
        ln_bias: shift [E] of it.
        pre_ln_epsilon: added to the variance there.
        qkv_bias: [3, H, D], or [3 * H * D].
        linear_bias: [E].
        cache_kv: keys and values so far, [2, B, H, L, D].
        attn_mask: broadcastable to [B, H, S, L + S]: boolean or integer (true where allowed),
            or floating (added).
        dropout_rate: probability of dropping an element of the projection.
        attn_dropout_rate: probability of dropping a weight.
        ln_epsilon: added to the variance of the last normalisation.
        training: without it nothing is dropped.
        mode: see `nn.functional.dropout`.
        ring_id: accepted for Paddle's signature; sharding is the mesh's matter.
        add_residual: add `x` to the result.
        num_heads: number of heads H, with `transpose_qkv_wb`.
        transpose_qkv_wb: see `qkv_weight`.
        name: not used.

    Returns:
        Tensor [B, S, E], and with `cache_kv` the new cache [2, B, H, L + S, D].

    Raises:
        InvalidArgumentError: shapes that do not fit.
    """
    inner: Any = x
    if pre_layer_norm:
        inner = layer_norm_of_sum(x, pre_ln_scale, pre_ln_bias, None, None, pre_ln_epsilon, 1.0, 2)[
            0
        ]
    query, key, value = project_qkv(inner, qkv_weight, qkv_bias, num_heads, transpose_qkv_wb)
    cache = None
    if cache_kv is not None:
        parts: Any = transpose(cache_kv, [0, 1, 3, 2, 4])
        key, value = (concat([parts[i], new], 1) for i, new in enumerate((key, value)))
        cache = transpose(stack([key, value]), [0, 1, 3, 2, 4])
    out = attend_with_dropout(query, key, value, attn_mask, attn_dropout_rate, training, mode)
    out = fused_matmul_bias(reshape(out, [*x.shape[:2], -1]), linear_weight, linear_bias)
    base = x if add_residual else full_like(x, 0)
    out = fused_dropout_add(out, base, dropout_rate, training, mode)
    if not pre_layer_norm:
        out = layer_norm_of_sum(out, ln_scale, ln_bias, None, None, ln_epsilon, 1.0, 2)[0]
    return out if cache is None else (out, cache)


@composite
def variable_length_memory_efficient_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    seq_lens: Tensor,
    kv_seq_lens: Tensor,
    mask: Tensor | None = None,
    scale: float | None = None,
    causal: bool = False,
    pre_cache_length: int = 0,
) -> Tensor:
    """Attention among the first tokens of padded sequences.

    Args:
        query: floating tensor [B, H, T, D].
        key: [B, K, S, D], K dividing H.
        value: [B, K, S, D].
        seq_lens: integers [B] or [B, 1], queries of each sequence.
        kv_seq_lens: the same for keys, without the cached ones.
        mask: added to the scores, [B, 1, T, S].
        scale: factor of the scores, 1 / sqrt(D) by default.
        causal: query i sees the cached keys and the keys 0 to i.
        pre_cache_length: keys that stand before each sequence's own.

    Returns:
        Tensor [B, H, T, D], zeros after the end of a sequence.

    Raises:
        InvalidArgumentError: shapes that do not fit.
    """
    right = pre_cache_length if causal else -1
    lengths = kv_seq_lens + pre_cache_length  # type: ignore[operator]
    allowed = padded_mask(seq_lens, lengths, query.shape[2], key.shape[2], right)
    if mask is not None:
        added = cast(mask, query.dtype)
        allowed = where(allowed, added, full_like(added, float("-inf")))
    order = [0, 2, 1, 3]
    q_BTHD, k_BSKD, v_BSKD = (transpose(t, order) for t in (query, key, value))
    return transpose(attend(q_BTHD, k_BSKD, v_BSKD, allowed, scale=scale), order)
