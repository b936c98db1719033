"""A whole stack of transformer layers, with caches for generation.

Axes in names: B batch, S length, L length of a cache, H query heads, K key heads, D width of a
head, E width of the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, UnsupportedError, composite, op
from proa.nn._common import activation_function
from proa.nn.functional import dropout
from proa.ops import add, cast, concat, matmul, reshape, transpose

from ._attention import attend_with_dropout
from ._linear import fused_matmul_bias
from ._norm import layer_norm_of_sum, rms_norm_of_sum
from ._rotary import turned_parts

if TYPE_CHECKING:
    from proa.core._types import Array, Index


@op(method=None, public=False)
def turn_heads(x: Array, tables: Array, adjacent: bool, parts: int) -> Array:
    """Rotary embedding of [B, S, H, D] by cosines and sines [2, B, 1, S, D].

    With two parts the width is halved, and each half turns by its own half of the tables.
    """
    cos, sin = (jnp.moveaxis(tables[i], 1, 2).astype(x.dtype) for i in (0, 1))
    return turned_parts(x, cos, sin, adjacent, parts)


@op(method=None, public=False)
def cache_written(cache: Array, new: Array, position: Index) -> Array:
    """Cache [B, K, L, D] with one token [B, 1, K, D] put at each entry's position [B]."""
    here = jnp.arange(cache.shape[2]) == position.reshape(-1, 1)
    token = jnp.swapaxes(new, 1, 2).astype(cache.dtype)
    return jnp.where(here[:, None, :, None], token, cache)


@op(method=None, public=False)
def step_mask(mask: Array | None, position: Index, length: int) -> Array:
    """What one token adds to the scores of a cache: -inf after its position, [B, 1, 1, L]."""
    seen = (jnp.arange(length) <= position.reshape(-1, 1))[:, None, None, :]
    if mask is None:
        return jnp.where(seen, 0.0, -jnp.inf).astype(jnp.float32)
    given = mask[..., :length]
    spread = [(0, 0)] * (given.ndim - 1) + [(0, length - given.shape[-1])]
    return jnp.where(seen, jnp.pad(given, spread), -jnp.inf)


@op(method=None, public=False)
def prefix_mask(mask: Array | None, lengths: Index, num_keys: int) -> Array:
    """A mask that also hides the keys after each sequence's end, [B, 1, 1 or S, L]."""
    seen = (jnp.arange(num_keys) < lengths.reshape(-1, 1))[:, None, None, :]
    base = jnp.zeros((1, 1, 1, 1), jnp.float32) if mask is None else mask
    return jnp.where(seen, base, -jnp.inf)


@dataclass(frozen=True)
class Stack:
    """What all layers of a stack share."""

    pre_layer_norm: bool
    epsilon: float
    residual_alpha: float
    dropout_rate: float
    activation: Any
    training: bool
    mode: str
    transposed: bool
    is_rms: bool
    adjacent: bool
    rotary_parts: int
    key_heads: int

    def norm(self, x: Any, scale: Any, bias: Any) -> Any:
        """The stack's normalisation of the last axis."""
        if self.is_rms:
            return rms_norm_of_sum(x, scale, bias, None, None, self.epsilon, 2)[0]
        return layer_norm_of_sum(x, scale, bias, None, None, self.epsilon, 1.0, 2)[0]

    def drop(self, x: Any) -> Any:
        """Dropout at the stack's rate."""
        return dropout(x, self.dropout_rate, training=self.training, mode=self.mode)

    def joined(self, x: Any, out: Any) -> Any:
        """The residual sum."""
        return add(x if self.residual_alpha == 1 else x * self.residual_alpha, self.drop(out))

    def project(self, x: Any, weight: Any, bias: Any) -> tuple[Any, Any, Any]:
        """Queries [B, S, H, D], keys and values [B, S, K, D]."""
        sizes = weight.shape[:-1] if self.transposed else weight.shape[1:]
        width, heads = sizes[-1], sizes[-2] * (sizes[0] if len(sizes) == 3 else 1)
        if self.transposed:
            flat = matmul(x, reshape(weight, [-1, weight.shape[-1]]), transpose_y=True)
        else:
            flat = matmul(x, reshape(weight, [weight.shape[0], -1]))
        if bias is not None:
            flat = add(flat, reshape(bias, [-1]))
        parts: Any = reshape(flat, [*x.shape[:-1], heads, width])
        count = self.key_heads if self.key_heads > 0 else heads // 3
        start = heads - 2 * count
        return parts[:, :, :start], parts[:, :, start : start + count], parts[:, :, -count:]


def _attention(stack: Stack, qkv: Any, cache: Any, prefix: Any, given: dict[str, Any]) -> Any:
    """Attention of one layer; the cache, if any, is written in place."""
    query, key, value = qkv
    rotary, mask = given["rotary_embs"], given["attn_mask"]
    if rotary is not None and stack.rotary_parts:
        query, key = (
            turn_heads(t, rotary, stack.adjacent, stack.rotary_parts) for t in (query, key)
        )
    lengths, step = given["seq_lens"], given["time_step"]
    if step is not None:
        position = reshape(cast(step if lengths is None else lengths, "int32"), [-1])
        written = [cache_written(cache[i], new, position) for i, new in enumerate((key, value))]
        for i in (0, 1):
            cache[i] = written[i]
        key, value = (transpose(w, [0, 2, 1, 3]) for w in written)
        mask = step_mask(mask, position, cache.shape[3])
    else:
        if prefix is not None:
            parts: Any = transpose(prefix, [0, 1, 3, 2, 4])
            key, value = (concat([parts[i], new], 1) for i, new in enumerate((key, value)))
        if cache is not None:
            for i, new in enumerate((key, value)):
                cache[i, :, :, : new.shape[1]] = transpose(new, [0, 2, 1, 3])
        if lengths is not None:
            offset = 0 if prefix is None else prefix.shape[3]
            mask = prefix_mask(mask, cast(lengths, "int32") + offset, key.shape[1])
    rate = stack.dropout_rate
    out = attend_with_dropout(query, key, value, mask, rate, stack.training, stack.mode)
    return reshape(out, [*query.shape[:2], -1])


def _refuse(beam_offset: Any, cache_kvs: Any, time_step: Any, norm_type: str) -> None:
    if beam_offset is not None:
        raise UnsupportedError(
            "`fused_multi_transformer` got `beam_offset`",
            expected="None: the beams' caches are not shared here",
            fix="reorder the caches with `gather`, or use proa.nn.dynamic_decode",
        )
    if time_step is not None and not cache_kvs:
        raise InvalidArgumentError(
            "`fused_multi_transformer` got `time_step` but no `cache_kvs`",
            expected="a cache per layer, [2, B, K, L, D]",
            fix="pass the caches that the first call has filled",
        )
    if norm_type not in ("layernorm", "rmsnorm"):
        raise InvalidArgumentError(
            f"`norm_type` of `fused_multi_transformer` is {norm_type!r}",
            expected="'layernorm' or 'rmsnorm'",
            fix="choose one",
        )


@composite
def fused_multi_transformer(
    x: Any,
    ln_scales: Any,
    ln_biases: Any,
    qkv_weights: Any,
    qkv_biases: Any,
    linear_weights: Any,
    linear_biases: Any,
    ffn_ln_scales: Any,
    ffn_ln_biases: Any,
    ffn1_weights: Any,
    ffn1_biases: Any,
    ffn2_weights: Any,
    ffn2_biases: Any,
    pre_layer_norm: bool = True,
    epsilon: float = 1e-5,
    residual_alpha: float = 1.0,
    cache_kvs: Any = None,
    beam_offset: Any = None,
    pre_caches: Any = None,
    seq_lens: Any = None,
    rotary_embs: Any = None,
    time_step: Any = None,
    attn_mask: Any = None,
    dropout_rate: float = 0.0,
    rotary_emb_dims: int = 0,
    activation: str = "gelu",
    training: bool = False,
    mode: str = "upscale_in_train",
    trans_qkvw: bool = True,
    ring_id: int = -1,
    norm_type: str = "layernorm",
    use_neox_rotary_style: bool = False,
    gqa_group_size: int = -1,
    name: str | None = None,
) -> Any:
    """A stack of transformer layers; lists have an entry per layer.

    Args:
        x: floating tensor [B, S, E].
        ln_scales: scales [E] of the normalisation at the attention.
        ln_biases: shifts [E] of it; may be `None`, as all biases.
        qkv_weights: [3, H, D, E], or [H + 2 * K, D, E] with grouped heads.
        qkv_biases: [3, H, D].
        linear_weights: [H * D, E].
        linear_biases: [E].
        ffn_ln_scales: scales [E] of the normalisation at the feed-forward part.
        ffn_ln_biases: shifts [E] of it.
        ffn1_weights: [E, F].
        ffn1_biases: [F].
        ffn2_weights: [F, E].
        ffn2_biases: [E].
        pre_layer_norm: normalise before each part instead of after it.
        epsilon: added to the variance.
        residual_alpha: factor of the residual.
        cache_kvs: caches [2, B, K, L, D], written in place: at the first tokens, or with
            `time_step` at that position.
        beam_offset: must be `None`.
        pre_caches: keys and values that stand before all others, [2, B, K, L0, D].
        seq_lens: length of each sequence, [B] or [B, 1]; with `time_step` the position of each.
        rotary_embs: cosines and sines, [2, B, 1, S, D].
        time_step: position of the one token that is given; the cache holds those before.
        attn_mask: added to the scores, [B, 1, S, L].
        dropout_rate: probability of a zero, everywhere.
        rotary_emb_dims: 1 to turn the whole width by `rotary_embs`, 2 to turn halves of it.
        activation: name of a function of `nn.functional`.
        training: without it nothing is dropped.
        mode: see `nn.functional.dropout`.
        trans_qkvw: whether the `qkv_weights` end with E; else they begin with it.
        ring_id: accepted for Paddle's signature; sharding is the mesh's matter.
        norm_type: `"layernorm"` or `"rmsnorm"`.
        use_neox_rotary_style: neighbours turn together; else channels i and i + D / 2.
        gqa_group_size: number of key heads K; as many as query heads by default.
        name: not used.

    Returns:
        Tensor [B, S, E], and with `cache_kvs` a pair of it and the caches.

    Raises:
        UnsupportedError: `beam_offset` is given.
        InvalidArgumentError: a setting or a shape that does not fit.
    """
    _refuse(beam_offset, cache_kvs, time_step, norm_type)
    act = activation_function(activation, "activation", "fused_multi_transformer")
    shared = (pre_layer_norm, epsilon, residual_alpha, dropout_rate, act, training, mode)
    rotary = (use_neox_rotary_style, rotary_emb_dims)
    stack = Stack(*shared, trans_qkvw, norm_type == "rmsnorm", *rotary, gqa_group_size)
    given = {
        "rotary_embs": rotary_embs,
        "attn_mask": attn_mask,
        "seq_lens": seq_lens,
        "time_step": time_step,
    }
    lists = (ln_scales, ln_biases, qkv_weights, qkv_biases, linear_weights, linear_biases)
    ffn_lists = (ffn_ln_scales, ffn_ln_biases, ffn1_weights, ffn1_biases, ffn2_weights, ffn2_biases)
    for i in range(len(qkv_weights)):
        scale, shift, qkv_weight, qkv_bias, weight, bias = _at(lists, i)
        inner = stack.norm(x, scale, shift) if pre_layer_norm else x
        qkv = stack.project(inner, qkv_weight, qkv_bias)
        cache, prefix = _at((cache_kvs, pre_caches), i)
        out = _attention(stack, qkv, cache, prefix, given)
        x = stack.joined(x, fused_matmul_bias(out, weight, bias))
        x = x if pre_layer_norm else stack.norm(x, scale, shift)
        scale, shift, weight1, bias1, weight2, bias2 = _at(ffn_lists, i)
        inner = stack.norm(x, scale, shift) if pre_layer_norm else x
        inner = stack.drop(act(fused_matmul_bias(inner, weight1, bias1)))
        x = stack.joined(x, fused_matmul_bias(inner, weight2, bias2))
        x = x if pre_layer_norm else stack.norm(x, scale, shift)
    return x if cache_kvs is None else (x, cache_kvs)


def _at(lists: Any, i: int) -> list[Any]:
    """Entry `i` of each list; `None` for a list that there is not."""
    return [None if not entries else entries[i] for entries in lists]
