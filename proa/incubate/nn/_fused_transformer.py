"""The halves of a transformer layer as one layer each, and the layer they make.

Axes in names: B batch, S length, H heads, D width of a head, E width of the model.
"""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError
from proa.nn import Layer
from proa.nn.initializer import Constant

from . import functional as F


def check_heads(owner: str, embed_dim: int, num_heads: int) -> None:
    """Raises where heads do not divide a width.

    Raises:
        InvalidArgumentError: a size is not positive, or `num_heads` does not divide `embed_dim`.
    """
    if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
        raise InvalidArgumentError(
            f"{owner}: `embed_dim` is {embed_dim}, `num_heads` {num_heads}",
            expected="positive integers, embed_dim divisible by num_heads",
            fix="change one of them",
        )


class FusedMultiHeadAttention(Layer):
    """The attention half of a transformer layer: self-attention, residual sum, normalisation.

    Args:
        embed_dim: width E of input and output.
        num_heads: number of heads H; divides `embed_dim`.
        dropout_rate: probability of dropping an element of the result.
        attn_dropout_rate: probability of dropping a weight.
        kdim: kept for Paddle's signature: keys come from the queries.
        vdim: kept likewise.
        normalize_before: normalise the input instead of the result.
        need_weights: must be False.
        qkv_weight_attr: settings of the weight [3, H, D, E], see ParamAttr.
        qkv_bias_attr: settings of its bias [3, H, D]; `False` for none.
        linear_weight_attr: settings of the weight [E, E] after the heads.
        linear_bias_attr: settings of its bias; `False` for none.
        pre_ln_scale_attr: settings of the scale, with `normalize_before`.
        pre_ln_bias_attr: settings of the shift there.
        ln_scale_attr: settings of the scale, without `normalize_before`.
        ln_bias_attr: settings of the shift there.
        epsilon: added to the variance.
        nranks: kept for Paddle's signature; sharding is the mesh's matter.
        ring_id: kept likewise.
        transpose_qkv_wb: the weight is [E, 3 * E], its bias [3 * E].
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: sizes that do not fit, or `need_weights`.

    Examples:
        >>> import proa
        >>> layer = proa.incubate.nn.FusedMultiHeadAttention(8, 2)
        >>> layer(proa.ones([1, 3, 8])).shape
        [1, 3, 8]
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout_rate: float = 0.5,
        attn_dropout_rate: float = 0.5,
        kdim: int | None = None,
        vdim: int | None = None,
        normalize_before: bool = False,
        need_weights: bool = False,
        qkv_weight_attr: Any = None,
        qkv_bias_attr: Any = None,
        linear_weight_attr: Any = None,
        linear_bias_attr: Any = None,
        pre_ln_scale_attr: Any = None,
        pre_ln_bias_attr: Any = None,
        ln_scale_attr: Any = None,
        ln_bias_attr: Any = None,
        epsilon: float = 1e-5,
        nranks: int = 1,
        ring_id: int = -1,
        transpose_qkv_wb: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__()
        check_heads("FusedMultiHeadAttention", embed_dim, num_heads)
        if need_weights:
            raise InvalidArgumentError(
                "FusedMultiHeadAttention: `need_weights` is True",
                expected="False: the fused layer keeps no weights",
                fix="use proa.nn.MultiHeadAttention(need_weights=True)",
            )
        self.normalize_before, self.need_weights = normalize_before, need_weights
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.head_dim, self.kdim, self.vdim = embed_dim // num_heads, kdim, vdim
        self.dropout_rate, self.attn_dropout_rate = dropout_rate, attn_dropout_rate
        self._epsilon, self.transpose_qkv_wb, self.name = epsilon, transpose_qkv_wb, name
        heads = [3, num_heads, self.head_dim]
        weight_shape = [embed_dim, 3 * embed_dim] if transpose_qkv_wb else [*heads, embed_dim]
        bias_shape = [3 * embed_dim] if transpose_qkv_wb else heads
        make = self.create_parameter
        self.qkv_weight = make(weight_shape, attr=qkv_weight_attr)
        self.qkv_bias = make(bias_shape, attr=qkv_bias_attr, is_bias=True)
        self.linear_weight = make([embed_dim, embed_dim], attr=linear_weight_attr)
        self.linear_bias = make([embed_dim], attr=linear_bias_attr, is_bias=True)
        self.pre_ln_scale = self.pre_ln_bias = self.ln_scale = self.ln_bias = None
        if normalize_before:
            self.pre_ln_scale, self.pre_ln_bias = self._norm(pre_ln_scale_attr, pre_ln_bias_attr)
        else:
            self.ln_scale, self.ln_bias = self._norm(ln_scale_attr, ln_bias_attr)

    def _norm(self, scale_attr: Any, bias_attr: Any) -> tuple[Any, Any]:
        shape, one = [self.embed_dim], Constant(1.0)
        scale = self.create_parameter(shape, attr=scale_attr, default_initializer=one)
        return scale, self.create_parameter(shape, attr=bias_attr, is_bias=True)

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
            query: [B, S, E].
            key: accepted for Paddle's signature; the queries are the keys.
            value: accepted likewise.
            attn_mask: see `functional.fused_multi_head_attention`.
            cache: keys and values so far, [2, B, H, L, D].

        Returns:
            Tensor [B, S, E], and with a cache the new one.
        """
        return F.fused_multi_head_attention(
            query,
            self.qkv_weight,
            self.linear_weight,
            self.normalize_before,
            self.pre_ln_scale,
            self.pre_ln_bias,
            self.ln_scale,
            self.ln_bias,
            self._epsilon,
            self.qkv_bias,
            self.linear_bias,
            cache,
            attn_mask,
            self.dropout_rate,
            self.attn_dropout_rate,
            self._epsilon,
            self.training,
            num_heads=self.num_heads,
            transpose_qkv_wb=self.transpose_qkv_wb,
        )

    def extra_repr(self) -> str:
        """Returns the settings."""
        parts = {
            "embed_dim": self.embed_dim,
            "num_heads": self.num_heads,
            "dropout_rate": self.dropout_rate,
            "attn_dropout_rate": self.attn_dropout_rate,
            "epsilon": self._epsilon,
            "kdim": self.kdim,
            "vdim": self.vdim,
            "normalize_before": self.normalize_before,
            "need_weights": self.need_weights,
            "dtype": self._dtype,
        }
        return ", ".join(f"{name}={value}" for name, value in parts.items())


class FusedFeedForward(Layer):
    """The feed-forward half of a transformer layer.

    Args:
        d_model: width E of input and output.
        dim_feedforward: width F inside.
        dropout_rate: probability of dropping an element of the result.
        epsilon: added to the variance.
        activation: name of a function of `nn.functional`.
        act_dropout_rate: probability of dropping an activation; `dropout_rate` by default.
        normalize_before: normalise the input instead of the result.
        linear1_weight_attr: settings of the first weight [E, F], see ParamAttr.
        linear1_bias_attr: settings of its bias [F]; `False` for none.
        linear2_weight_attr: settings of the second weight [F, E].
        linear2_bias_attr: settings of its bias [E]; `False` for none.
        ln1_scale_attr: settings of the scale, with `normalize_before`.
        ln1_bias_attr: settings of the shift there.
        ln2_scale_attr: settings of the scale, without `normalize_before`.
        ln2_bias_attr: settings of the shift there.
        nranks: kept for Paddle's signature; sharding is the mesh's matter.
        ring_id: kept likewise.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: a size is not positive.
    """

    def __init__(
        self,
        d_model: int,
        dim_feedforward: int,
        dropout_rate: float = 0.1,
        epsilon: float = 1e-5,
        activation: str = "relu",
        act_dropout_rate: float | None = None,
        normalize_before: bool = False,
        linear1_weight_attr: Any = None,
        linear1_bias_attr: Any = None,
        linear2_weight_attr: Any = None,
        linear2_bias_attr: Any = None,
        ln1_scale_attr: Any = None,
        ln1_bias_attr: Any = None,
        ln2_scale_attr: Any = None,
        ln2_bias_attr: Any = None,
        nranks: int = 1,
        ring_id: int = -1,
        name: str | None = None,
    ) -> None:
        super().__init__()
        if d_model <= 0 or dim_feedforward <= 0:
            raise InvalidArgumentError(
                f"FusedFeedForward: `d_model` is {d_model}, `dim_feedforward` {dim_feedforward}",
                expected="positive integers",
                fix="correct the sizes",
            )
        self._d_model, self._dim_feedforward = d_model, dim_feedforward
        self._dropout_rate, self._epsilon = dropout_rate, epsilon
        self._act_dropout_rate = dropout_rate if act_dropout_rate is None else act_dropout_rate
        self._act_method, self._normalize_before = activation, normalize_before
        self.name = name
        make = self.create_parameter
        self._linear1_weight = make([d_model, dim_feedforward], attr=linear1_weight_attr)
        self._linear1_bias = make([dim_feedforward], attr=linear1_bias_attr, is_bias=True)
        self._linear2_weight = make([dim_feedforward, d_model], attr=linear2_weight_attr)
        self._linear2_bias = make([d_model], attr=linear2_bias_attr, is_bias=True)
        one = Constant(1.0)
        self._ln1_scale = self._ln1_bias = self._ln2_scale = self._ln2_bias = None
        if normalize_before:
            self._ln1_scale = make([d_model], attr=ln1_scale_attr, default_initializer=one)
            self._ln1_bias = make([d_model], attr=ln1_bias_attr, is_bias=True)
        else:
            self._ln2_scale = make([d_model], attr=ln2_scale_attr, default_initializer=one)
            self._ln2_bias = make([d_model], attr=ln2_bias_attr, is_bias=True)

    def forward(self, src: Any, cache: Any = None) -> Any:
        """Returns the result for `src` [B, S, E]; `cache` is not used."""
        return F.fused_feedforward(
            src,
            self._linear1_weight,
            self._linear2_weight,
            self._linear1_bias,
            self._linear2_bias,
            self._ln1_scale,
            self._ln1_bias,
            self._ln2_scale,
            self._ln2_bias,
            self._act_dropout_rate,
            self._dropout_rate,
            self._act_method,
            self._epsilon,
            self._epsilon,
            self._normalize_before,
            self.training,
        )

    def extra_repr(self) -> str:
        """Returns the settings."""
        parts = {
            "d_model": self._d_model,
            "dim_feedforward": self._dim_feedforward,
            "dropout_rate": self._dropout_rate,
            "epsilon": self._epsilon,
            "activation": self._act_method,
            "act_dropout_rate": self._act_dropout_rate,
            "normalize_before": self._normalize_before,
            "dtype": self._dtype,
        }
        return ", ".join(f"{name}={value}" for name, value in parts.items())


def _pair(attr: Any) -> tuple[Any, Any]:
    return tuple(attr) if isinstance(attr, list | tuple) else (attr, attr)  # type: ignore[return-value]


class FusedTransformerEncoderLayer(Layer):
    """A transformer encoder layer of `FusedMultiHeadAttention` and `FusedFeedForward`.

    Args:
        d_model: width E of input and output.
        nhead: number of heads; divides `d_model`.
        dim_feedforward: width inside the feed-forward half.
        dropout_rate: probability of dropping an element of either half's result.
        activation: name of a function of `nn.functional`.
        attn_dropout_rate: the same for attention weights; `dropout_rate` by default.
        act_dropout_rate: the same after the activation; `dropout_rate` by default.
        normalize_before: normalise each half's input instead of its result.
        weight_attr: settings of the weights; a pair for the halves.
        bias_attr: settings of the biases; a pair for the halves; `False` for none.

    Raises:
        InvalidArgumentError: sizes that do not fit.

    Examples:
        >>> import proa
        >>> layer = proa.incubate.nn.FusedTransformerEncoderLayer(8, 2, 16)
        >>> layer(proa.ones([1, 3, 8])).shape
        [1, 3, 8]
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout_rate: float = 0.1,
        activation: str = "relu",
        attn_dropout_rate: float | None = None,
        act_dropout_rate: float | None = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
    ) -> None:
        super().__init__()
        weights, biases = _pair(weight_attr), _pair(bias_attr)
        self.normalize_before = normalize_before
        self.fused_attn = FusedMultiHeadAttention(
            d_model,
            nhead,
            dropout_rate=dropout_rate,
            attn_dropout_rate=dropout_rate if attn_dropout_rate is None else attn_dropout_rate,
            normalize_before=normalize_before,
            qkv_weight_attr=weights[0],
            qkv_bias_attr=biases[0],
            linear_weight_attr=weights[0],
            linear_bias_attr=biases[0],
        )
        self.ffn = FusedFeedForward(
            d_model,
            dim_feedforward,
            dropout_rate=dropout_rate,
            activation=activation,
            act_dropout_rate=act_dropout_rate,
            normalize_before=normalize_before,
            linear1_weight_attr=weights[1],
            linear1_bias_attr=biases[1],
            linear2_weight_attr=weights[1],
            linear2_bias_attr=biases[1],
        )

    def forward(self, src: Any, src_mask: Any = None, cache: Any = None) -> Any:
        """Runs both halves.

        Args:
            src: [B, S, E].
            src_mask: see `functional.fused_multi_head_attention`.
            cache: keys and values so far, [2, B, H, L, D].

        Returns:
            Tensor [B, S, E], and with a cache the new one.
        """
        attended = self.fused_attn(src, attn_mask=src_mask, cache=cache)
        if cache is None:
            return self.ffn(attended)
        out, new_cache = attended
        return self.ffn(out), new_cache
