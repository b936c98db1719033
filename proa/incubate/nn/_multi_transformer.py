"""A stack of transformer layers whose parameters are lists, for generation."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError
from proa.nn import Layer
from proa.nn.initializer import Constant

from . import functional as F
from ._fused_transformer import check_heads

#: Lists of parameters in the order in which a layer's are made: (list, settings).
_LISTS = (
    *("ln_scales", "ln_biases", "qkv_weights", "qkv_biases", "linear_weights", "linear_biases"),
    *("ffn_ln_scales", "ffn_ln_biases"),
    *("ffn1_weights", "ffn1_biases", "ffn2_weights", "ffn2_biases"),
)


class FusedMultiTransformer(Layer):
    """A stack of transformer layers with caches, see `functional.fused_multi_transformer`.

    Each setting is a ParamAttr for all layers or a list of one per layer. A bias is there only
    where its settings are given.

    Args:
        embed_dim: width E of input and output.
        num_heads: number of heads; divides `embed_dim`.
        dim_feedforward: width inside the feed-forward parts.
        dropout_rate: probability of a zero, everywhere.
        activation: name of a function of `nn.functional`.
        normalize_before: normalise before each part instead of after it.
        ln_scale_attrs: settings of the attentions' scales.
        ln_bias_attrs: settings of the attentions' shifts.
        qkv_weight_attrs: settings of the weights [3, H, D, E]; a list says how many layers.
        qkv_bias_attrs: settings of their biases.
        linear_weight_attrs: settings of the weights [E, E].
        linear_bias_attrs: settings of their biases.
        ffn_ln_scale_attrs: settings of the feed-forward parts' scales.
        ffn_ln_bias_attrs: settings of the feed-forward parts' shifts.
        ffn1_weight_attrs: settings of the weights [E, F].
        ffn1_bias_attrs: settings of their biases.
        ffn2_weight_attrs: settings of the weights [F, E].
        ffn2_bias_attrs: settings of their biases.
        epsilon: added to the variance.
        residual_alpha: factor of the residual.
        num_layers: number of layers, where no list says it.
        nranks: kept for Paddle's signature; sharding is the mesh's matter.
        trans_qkvw: the weights end with E; else they begin with it.
        ring_id: kept likewise.
        norm_type: `"layernorm"` or `"rmsnorm"`.
        use_neox_rotary_style: neighbours turn together; else channels i and i + D / 2.
        gqa_group_size: number of key heads; as many as query heads by default.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: sizes that do not fit, or no number of layers.

    Examples:
        >>> import proa
        >>> stack = proa.incubate.nn.FusedMultiTransformer(8, 2, 16, num_layers=1)
        >>> stack(proa.ones([1, 3, 8])).shape
        [1, 3, 8]
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dim_feedforward: int,
        dropout_rate: float = 0.0,
        activation: str = "gelu",
        normalize_before: bool = True,
        ln_scale_attrs: Any = None,
        ln_bias_attrs: Any = None,
        qkv_weight_attrs: Any = None,
        qkv_bias_attrs: Any = None,
        linear_weight_attrs: Any = None,
        linear_bias_attrs: Any = None,
        ffn_ln_scale_attrs: Any = None,
        ffn_ln_bias_attrs: Any = None,
        ffn1_weight_attrs: Any = None,
        ffn1_bias_attrs: Any = None,
        ffn2_weight_attrs: Any = None,
        ffn2_bias_attrs: Any = None,
        epsilon: float = 1e-5,
        residual_alpha: float = 1.0,
        num_layers: int = -1,
        nranks: int = 1,
        trans_qkvw: bool = True,
        ring_id: int = -1,
        norm_type: str = "layernorm",
        use_neox_rotary_style: bool = False,
        gqa_group_size: int = -1,
        name: str | None = None,
    ) -> None:
        given = dict(locals())
        super().__init__()
        check_heads("FusedMultiTransformer", embed_dim, num_heads)
        if isinstance(qkv_weight_attrs, list | tuple):
            num_layers = len(qkv_weight_attrs)
        if num_layers < 1 or dim_feedforward <= 0:
            raise InvalidArgumentError(
                f"FusedMultiTransformer: {num_layers} layers, `dim_feedforward` {dim_feedforward}",
                expected="at least one layer, and a positive width",
                fix="pass num_layers, or a list of settings per layer",
            )
        self.normalize_before = normalize_before
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout_rate, self.activation, self.name = dropout_rate, activation, name
        self._settings = {
            "epsilon": epsilon,
            "residual_alpha": residual_alpha,
            "trans_qkvw": trans_qkvw,
            "norm_type": norm_type,
            "use_neox_rotary_style": use_neox_rotary_style,
            "gqa_group_size": gqa_group_size,
        }
        shapes = self._shapes(dim_feedforward, trans_qkvw, gqa_group_size)
        lists: dict[str, list[Any]] = {title: [] for title in _LISTS}
        for i in range(num_layers):
            for title in _LISTS:
                singular = title[:-2] if title.endswith("biases") else title[:-1]
                lists[title].append(self._made(title, shapes[title], given[f"{singular}_attrs"], i))
        for title, made in lists.items():
            setattr(self, title, None if made[0] is None else made)

    def _shapes(self, inner: int, transposed: bool, key_heads: int) -> dict[str, list[int]]:
        width, heads = self.embed_dim, [3, self.num_heads, self.head_dim]
        if key_heads > 0:
            heads = [self.num_heads + 2 * key_heads, self.head_dim]
        return {
            **dict.fromkeys(_LISTS, [width]),
            "qkv_weights": [*heads, width] if transposed else [width, *heads],
            "qkv_biases": heads,
            "linear_weights": [width, width],
            "ffn1_weights": [width, inner],
            "ffn1_biases": [inner],
            "ffn2_weights": [inner, width],
        }

    def _made(self, title: str, shape: list[int], attrs: Any, i: int) -> Any:
        """Makes layer `i`'s parameter of a list and adds it under its own name."""
        attr = attrs[i] if isinstance(attrs, list | tuple) else attrs
        is_bias = title.endswith("biases")
        if attr is False or (is_bias and attr is None):
            return None
        start = Constant(1.0) if title.endswith("scales") else None
        made = self.create_parameter(shape, attr=attr, is_bias=is_bias, default_initializer=start)
        # Paddle files them under their own names, which have a dot: no attribute can.
        self._parameters[made.name] = made
        return made

    def forward(
        self,
        src: Any,
        attn_mask: Any = None,
        caches: Any = None,
        pre_caches: Any = None,
        rotary_embs: Any = None,
        rotary_emb_dims: int = 0,
        beam_offset: Any = None,
        seq_lens: Any = None,
        time_step: Any = None,
    ) -> Any:
        """Runs the stack; see `functional.fused_multi_transformer` for the arguments.

        Returns:
            Tensor [B, S, E], and with `caches` a pair of it and them.
        """
        return F.fused_multi_transformer(
            src,
            *(getattr(self, title) for title in _LISTS),
            pre_layer_norm=self.normalize_before,
            cache_kvs=caches,
            beam_offset=beam_offset,
            pre_caches=pre_caches,
            seq_lens=seq_lens,
            rotary_embs=rotary_embs,
            time_step=time_step,
            attn_mask=attn_mask,
            dropout_rate=self.dropout_rate,
            rotary_emb_dims=rotary_emb_dims,
            activation=self.activation,
            training=self.training,
            **self._settings,
        )
