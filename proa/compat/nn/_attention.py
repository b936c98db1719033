"""Attention over several heads with PyTorch's arguments and layouts of parameters."""

from __future__ import annotations

from typing import Any

from proa import nn, ops
from proa.core import InvalidArgumentError, Tensor
from proa.nn import functional as F
from proa.nn.initializer import Constant, XavierNormal, XavierUniform

from ._layers import Linear
from .functional import linear

# Shapes: L and S are the lengths of queries and keys, N the batch, E the features of all heads,
# H the heads, D the features of one.


class MultiheadAttention(nn.Layer):
    """Attention over several heads: each sees its own linear map of queries, keys and values.

    Args:
        embed_dim: number of features of queries and of the result.
        num_heads: number of heads; divides `embed_dim`.
        dropout: probability that a weight is dropped in training.
        bias: whether the maps have biases.
        add_bias_kv: whether a learned key with its value is put behind the others.
        add_zero_attn: whether a key and value of zeros is put behind the others.
        kdim: number of features of keys; `embed_dim` by default.
        vdim: number of features of values; `embed_dim` by default.
        batch_first: whether the batch is the first axis; the second by default.
        device: where the parameters lie.
        dtype: their dtype.

    Raises:
        InvalidArgumentError: the heads do not divide the features.

    Examples:
        >>> import proa.compat
        >>> layer = proa.compat.nn.MultiheadAttention(4, 2)
        >>> x = proa.ones([3, 1, 4])
        >>> [y.shape for y in layer(x, x, x)]
        [[3, 1, 4], [1, 3, 3]]
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(dtype=dtype)
        if num_heads <= 0 or embed_dim % num_heads:
            raise InvalidArgumentError(
                f"`embed_dim` is {embed_dim} and `num_heads` {num_heads}",
                expected="a number of heads that divides the features",
                fix="change one of them",
            )
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.batch_first, self.add_zero_attn = batch_first, add_zero_attn
        self.head_dim = embed_dim // num_heads
        self._is_joint = self.kdim == self.vdim == embed_dim
        self._make_projections(bias, dtype)
        self.out_proj = Linear(embed_dim, embed_dim, bias=bias, dtype=dtype)
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            self.bias_k = self._make([1, 1, embed_dim], XavierNormal(), dtype)
            self.bias_v = self._make([1, 1, embed_dim], XavierNormal(), dtype)
        if device is not None:
            self.to(device=device)

    def _make(self, shape: list[int], start: Any, dtype: Any) -> Any:
        return self.create_parameter(shape, dtype=dtype, default_initializer=start)

    def _make_projections(self, bias: bool, dtype: Any) -> None:
        size = self.embed_dim
        zeros = Constant(0.0)
        if self._is_joint:
            self.in_proj_weight = self._make([3 * size, size], XavierUniform(), dtype)
            self.in_proj_bias = self._make([3 * size], zeros, dtype) if bias else None
            return
        widths = {"q": size, "k": self.kdim, "v": self.vdim}
        for name, width in widths.items():
            setattr(self, f"{name}_proj_weight", self._make([size, width], XavierUniform(), dtype))
        for name in widths:
            made = self._make([size], zeros, dtype) if bias else None
            setattr(self, f"{name}_proj_bias", made)

    def _project(self, given: tuple[Tensor, Tensor, Tensor]) -> list[Tensor]:
        if self._is_joint:
            weights = ops.chunk(self.in_proj_weight, 3, 0)
            joint = self.in_proj_bias
            biases = [None] * 3 if joint is None else ops.chunk(joint, 3, 0)
        else:
            weights = [getattr(self, f"{name}_proj_weight") for name in "qkv"]
            biases = [getattr(self, f"{name}_proj_bias") for name in "qkv"]
        triples = zip(given, weights, biases, strict=True)
        return [linear(each, weight, bias) for each, weight, bias in triples]

    def _heads(self, x_LNE: Tensor) -> Tensor:
        length, batch, _ = x_LNE.shape
        x_LNHD = ops.reshape(x_LNE, [length, batch, self.num_heads, self.head_dim])
        return ops.transpose(x_LNHD, [1, 2, 0, 3])

    def _longer(self, k_SNE: Tensor, v_SNE: Tensor) -> tuple[Tensor, Tensor, int]:
        """Puts learned and zero keys behind the others; how many."""
        batch, added = k_SNE.shape[1], 0
        shape = [1, batch, self.embed_dim]
        if self.bias_k is not None and self.bias_v is not None:
            k_SNE = ops.concat([k_SNE, ops.expand(self.bias_k, shape)], 0)
            v_SNE = ops.concat([v_SNE, ops.expand(self.bias_v, shape)], 0)
            added += 1
        if self.add_zero_attn:
            zeros = ops.zeros(shape, k_SNE.dtype)
            k_SNE, v_SNE = ops.concat([k_SNE, zeros], 0), ops.concat([v_SNE, zeros], 0)
            added += 1
        return k_SNE, v_SNE, added

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Attends to the keys.

        Args:
            query: tensor of shape [L, N, E] ([N, L, E] with `batch_first`), or [L, E].
            key: tensor of shape [S, N, kdim].
            value: tensor of shape [S, N, vdim].
            key_padding_mask: [N, S]: `True` hides a key, numbers are added.
            need_weights: whether the weights come too.
            attn_mask: [L, S] or [N * heads, L, S]: `True` hides a key, numbers are added.
            average_attn_weights: whether weights are the mean over heads.
            is_causal: says that `attn_mask` is causal; alone it makes such a mask.

        Returns:
            The result with the shape of `query`, and the weights [N, L, S] or `None`.
        """
        is_single = query.ndim == 2
        given = (query, key, value)
        if is_single:
            given = tuple(ops.unsqueeze(each, 1) for each in given)
        elif self.batch_first:
            given = tuple(ops.transpose(each, [1, 0, 2]) for each in given)
        if is_single and key_padding_mask is not None:
            key_padding_mask = ops.unsqueeze(key_padding_mask, 0)
        q_LNE, k_SNE, v_SNE = self._project(given)  # type: ignore[arg-type]
        if is_causal and attn_mask is None:
            size = [q_LNE.shape[0], k_SNE.shape[0]]
            attn_mask = ops.triu(ops.ones(size, "bool"), 1)
        k_SNE, v_SNE, added = self._longer(k_SNE, v_SNE)
        q_NHLD, k_NHSD, v_NHSD = (self._heads(each) for each in (q_LNE, k_SNE, v_SNE))
        scores = ops.matmul(q_NHLD, k_NHSD, transpose_y=True) * self.head_dim**-0.5
        for mask in self._masks(key_padding_mask, attn_mask, added, scores):
            scores = scores + mask
        weights = F.softmax(scores, -1)
        mixed = ops.matmul(F.dropout(weights, self.dropout, training=self.training), v_NHSD)
        length, batch, _ = q_LNE.shape
        joined = ops.reshape(ops.transpose(mixed, [2, 0, 1, 3]), [length, batch, self.embed_dim])
        result = self.out_proj(joined)
        if average_attn_weights:
            weights = ops.mean(weights, 1)
        if is_single:
            result, weights = ops.squeeze(result, 1), ops.squeeze(weights, 0)
        elif self.batch_first:
            result = ops.transpose(result, [1, 0, 2])
        return result, weights if need_weights else None

    def _masks(
        self, padding: Tensor | None, mask: Tensor | None, added: int, scores: Tensor
    ) -> list[Tensor]:
        """Both masks as numbers that are added to scores [N, H, L, S]."""
        batch, heads = scores.shape[:2]
        found = []
        if padding is not None:
            found.append(ops.unsqueeze(_numbers(padding, scores, added), [1, 2]))
        if mask is not None:
            numbers = _numbers(mask, scores, added)
            if numbers.ndim == 3:
                numbers = ops.reshape(numbers, [batch, heads, *numbers.shape[1:]])
            found.append(numbers)
        return found


def _numbers(mask: Tensor, scores: Tensor, added: int) -> Tensor:
    if mask.dtype == "bool":
        mask = ops.where(mask, float("-inf"), 0.0)
    mask = ops.cast(mask, scores.dtype)
    # Keys put behind the others are never hidden.
    return F.pad(mask, [0, 0] * (mask.ndim - 1) + [0, added]) if added else mask
