"""Multi-head attention.

Axes in names: B batch, L length, H heads, D width of a head, E = H * D.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from proa.core import InvalidArgumentError
from proa.ops import concat, full, matmul, reshape, transpose

from . import functional as F
from ._common import Linear
from ._layer import Layer

Cache = namedtuple("Cache", ["k", "v"])
StaticCache = namedtuple("StaticCache", ["k", "v"])


def additive_mask(mask: Any, dtype: Any) -> Any:
    """Returns a mask as what is added to the scores: 0 where allowed, -1e9 elsewhere.

    Args:
        mask: boolean or integer (true where attention is allowed), or floating (added as it
            is); `None` for no mask.
        dtype: dtype of the scores.
    """
    if mask is None or mask.dtype.is_inexact:
        return mask
    return (mask.astype(dtype) - 1.0) * 1e9


class MultiHeadAttention(Layer):
    """Attention of queries to keys, in several subspaces at once.

    Per head `softmax(q k^T / sqrt(D) + mask) v`; the heads are joined and mapped once more.

    Args:
        embed_dim: width of the queries and the output, divisible by `num_heads`.
        num_heads: number of heads.
        dropout: probability of dropping a weight, in training mode.
        kdim: width of the keys; `embed_dim` when it is `None`.
        vdim: width of the values; `embed_dim` when it is `None`.
        need_weights: returns the weights as well.
        weight_attr: settings of the four weights, see ParamAttr.
        bias_attr: settings of the four biases; `False` for none.

    Raises:
        InvalidArgumentError: a size is not positive, or `num_heads` does not divide `embed_dim`.

    References:
        Vaswani et al., "Attention is all you need", 2017.

    Differs: a query that may attend to nothing gives zeros (Paddle 3.3.1: the mean of all
    values), unless `need_weights` is set.

    Examples:
        >>> import proa
        >>> attention = proa.nn.MultiHeadAttention(8, 2)
        >>> attention(proa.ones([1, 3, 8])).shape
        [1, 3, 8]
    """

    Cache = Cache
    StaticCache = StaticCache

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        kdim: int | None = None,
        vdim: int | None = None,
        need_weights: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise InvalidArgumentError(
                f"MultiHeadAttention: `embed_dim` is {embed_dim}, `num_heads` {num_heads}",
                expected="positive integers, embed_dim divisible by num_heads",
                fix="change one of them",
            )
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.dropout, self.need_weights = dropout, need_weights
        self.head_dim = embed_dim // num_heads
        self.q_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)
        self.k_proj = Linear(self.kdim, embed_dim, weight_attr, bias_attr)
        self.v_proj = Linear(self.vdim, embed_dim, weight_attr, bias_attr)
        self.out_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)

    def _heads(self, x_BLE: Any) -> Any:
        return reshape(x_BLE, [0, 0, self.num_heads, self.head_dim])

    def compute_kv(self, key: Any, value: Any) -> tuple[Any, Any]:
        """Maps keys and values: `[B, L, E]` to `[B, H, L, D]` each."""
        k_BLHD, v_BLHD = self._heads(self.k_proj(key)), self._heads(self.v_proj(value))
        return transpose(k_BLHD, [0, 2, 1, 3]), transpose(v_BLHD, [0, 2, 1, 3])

    def gen_cache(self, key: Any, value: Any = None, type: Any = Cache) -> Any:
        """Makes a cache for step-by-step use.

        Args:
            key: for `StaticCache` the keys `[B, L, E]`; for `Cache` a tensor whose first size is
                the batch, or, with `value`, mapped keys `[B, H, L, D]` to start from.
            value: the values; the keys when it is `None` and the cache is static.
            type: `MultiHeadAttention.StaticCache` for keys and values that stay (those of an
                encoder), `MultiHeadAttention.Cache` for ones that grow by each step.

        Returns:
            The cache, a pair of keys and values `[B, H, L, D]`.
        """
        if type is StaticCache:
            return StaticCache(*self.compute_kv(key, key if value is None else value))
        if value is not None:
            return Cache(key, value)
        empty = full([key.shape[0], self.num_heads, 0, self.head_dim], 0, key.dtype)
        return Cache(empty, empty)

    def forward(
        self,
        query: Any,
        key: Any = None,
        value: Any = None,
        attn_mask: Any = None,
        cache: Any = None,
    ) -> Any:
        """Attends.

        Args:
            query: `[B, T, embed_dim]`.
            key: `[B, L, kdim]`; the queries when it is `None`.
            value: `[B, L, vdim]`; the keys when it is `None`.
            attn_mask: broadcast to `[B, H, T, L]`; boolean or integer (true where attention is
                allowed), or floating (added to the scores).
            cache: a cache of `gen_cache`; then the new cache is returned too, unless static.

        Returns:
            The output `[B, T, embed_dim]`, or a tuple of it, the weights when `need_weights` is
            set, and the cache when one was given.
        """
        key = query if key is None else key
        value = key if value is None else value
        q_BLHD = self._heads(self.q_proj(query))
        if isinstance(cache, StaticCache):
            k_BHLD, v_BHLD = cache
            k_BLHD, v_BLHD = (transpose(t, [0, 2, 1, 3]) for t in (k_BHLD, v_BHLD))
        else:
            k_BLHD, v_BLHD = self._heads(self.k_proj(key)), self._heads(self.v_proj(value))
        if isinstance(cache, Cache):
            k_BHLD, v_BHLD = (
                concat([old, transpose(new, [0, 2, 1, 3])], axis=2)
                for old, new in zip(cache, (k_BLHD, v_BLHD), strict=True)
            )
            cache = Cache(k_BHLD, v_BHLD)
            k_BLHD, v_BLHD = (transpose(t, [0, 2, 1, 3]) for t in (k_BHLD, v_BHLD))
        if self.need_weights:
            out, weights = self._weighted(q_BLHD, k_BLHD, v_BLHD, attn_mask)
        else:
            if attn_mask is not None and not attn_mask.dtype.is_inexact:
                attn_mask = attn_mask.astype("bool")
            out, weights = self._fused(q_BLHD, k_BLHD, v_BLHD, attn_mask), None
        results = [self.out_proj(reshape(out, [0, 0, self.embed_dim]))]
        if self.need_weights:
            results.append(weights)
        if cache is not None:
            results.append(cache)
        return results[0] if len(results) == 1 else tuple(results)

    def _fused(self, q_BLHD: Any, k_BLHD: Any, v_BLHD: Any, mask: Any) -> Any:
        return F.scaled_dot_product_attention(
            q_BLHD,
            k_BLHD,
            v_BLHD,
            attn_mask=mask,
            dropout_p=self.dropout,
            training=self.training,
        )

    def _weighted(self, q_BLHD: Any, k_BLHD: Any, v_BLHD: Any, mask: Any) -> tuple[Any, Any]:
        q_BHLD, k_BHLD, v_BHLD = (transpose(t, [0, 2, 1, 3]) for t in (q_BLHD, k_BLHD, v_BLHD))
        scores = matmul(q_BHLD * self.head_dim**-0.5, k_BHLD, transpose_y=True)
        if mask is not None:
            scores = scores + additive_mask(mask, scores.dtype)
        weights = F.softmax(scores)
        if self.dropout:
            weights = F.dropout(weights, self.dropout, training=self.training)
        return transpose(matmul(weights, v_BHLD), [0, 2, 1, 3]), weights
