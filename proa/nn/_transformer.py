"""Transformer blocks, stacks, and the whole encoder-decoder."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError, Tensor
from proa.ops import full, triu

from ._attention import Cache, MultiHeadAttention, StaticCache
from ._common import Linear, activation_function
from ._containers import LayerList
from ._dropout import Dropout
from ._layer import Layer
from ._norm import LayerNorm


def _per_part(attr: Any, count: int, what: str, owner: str) -> list[Any]:
    """Returns one attribute for each part of a block."""
    if not isinstance(attr, list | tuple):
        return [attr] * count
    if len(attr) != count:
        raise InvalidArgumentError(
            f"{owner}: `{what}` holds {len(attr)} attributes",
            expected=f"one for all parts, or {count}: one for each attention and one for the "
            "feed-forward part",
            fix="pass a single ParamAttr, or complete the list",
        )
    return list(attr)


class _Block(Layer):
    """What encoder and decoder blocks share: the feed-forward part and the settings."""

    _config: dict[str, Any]

    def _remember(self, settings: dict[str, Any]) -> None:
        """Keeps the arguments, so that a stack can make more blocks of the same kind."""
        settings = {k: v for k, v in settings.items() if k not in ("self", "__class__")}
        # Not an attribute that is searched for members: it holds plain settings only.
        self.__dict__["_config"] = settings

    def _set_up(self, d_model: int, activation: Any, normalize_before: bool) -> None:
        if d_model <= 0:
            raise InvalidArgumentError(
                f"{type(self).__name__}: `d_model` is {d_model}",
                expected="a positive integer",
                fix="give the width of the model",
            )
        self.normalize_before = normalize_before
        self.activation = activation_function(activation, "activation", type(self).__name__)

    def _feed_forward(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Block):
    """One block of a transformer encoder: self-attention and a feed-forward part.

    Each part is added to its input; layer norm follows, or, with `normalize_before`, precedes.

    Args:
        d_model: width of input and output.
        nhead: number of heads; divides `d_model`.
        dim_feedforward: width inside the feed-forward part.
        dropout: probability of dropping in both parts' outputs.
        activation: name of an activation of `nn.functional`, or a function.
        attn_dropout: the same for attention weights; `dropout` when it is `None`.
        act_dropout: the same after the activation; `dropout` when it is `None`.
        normalize_before: where layer norm stands.
        weight_attr: settings of the weights; a pair for attention and feed-forward part.
        bias_attr: settings of the biases; a pair as above; `False` for none.
        layer_norm_eps: epsilon of the layer norms.

    Raises:
        InvalidArgumentError: a size does not fit, or `activation` is not known.

    Examples:
        >>> import proa
        >>> block = proa.nn.TransformerEncoderLayer(8, 2, 16)
        >>> block(proa.ones([1, 3, 8])).shape
        [1, 3, 8]
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float = 0.1,
        activation: Any = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
        layer_norm_eps: float = 1e-5,
    ) -> None:
        settings = locals()
        super().__init__()
        self._remember(settings)
        self._set_up(d_model, activation, normalize_before)
        owner = type(self).__name__
        weights = _per_part(weight_attr, 2, "weight_attr", owner)
        biases = _per_part(bias_attr, 2, "bias_attr", owner)
        attention_dropout = dropout if attn_dropout is None else attn_dropout
        self.self_attn = MultiHeadAttention(
            d_model, nhead, attention_dropout, weight_attr=weights[0], bias_attr=biases[0]
        )
        self.linear1 = Linear(d_model, dim_feedforward, weights[1], biases[1])
        self.dropout = Dropout(dropout if act_dropout is None else act_dropout)
        self.linear2 = Linear(dim_feedforward, d_model, weights[1], biases[1])
        self.norm1 = LayerNorm(d_model, layer_norm_eps)
        self.norm2 = LayerNorm(d_model, layer_norm_eps)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)

    def forward(self, src: Any, src_mask: Any = None, cache: Any = None) -> Any:
        """Runs the block.

        Args:
            src: `[B, L, d_model]`.
            src_mask: see MultiHeadAttention.
            cache: a cache of `gen_cache`.

        Returns:
            The output, or a pair of it and the new cache when one was given.
        """
        before = self.normalize_before
        normed = self.norm1(src) if before else src
        attended = self.self_attn(normed, normed, normed, src_mask, cache)
        if cache is not None:
            attended, cache = attended
        src = src + self.dropout1(attended)
        src = src if before else self.norm1(src)
        src = src + self.dropout2(self._feed_forward(self.norm2(src) if before else src))
        src = src if before else self.norm2(src)
        return src if cache is None else (src, cache)

    def gen_cache(self, src: Any) -> Any:
        """Makes an empty cache for a batch like `src`."""
        return self.self_attn.gen_cache(src, type=Cache)


class TransformerDecoderLayer(_Block):
    """One block of a transformer decoder: self-attention, attention to the encoder, feed-forward.

    Args:
        d_model: width of input and output.
        nhead: number of heads; divides `d_model`.
        dim_feedforward: width inside the feed-forward part.
        dropout: probability of dropping in the parts' outputs.
        activation: name of an activation of `nn.functional`, or a function.
        attn_dropout: the same for attention weights; `dropout` when it is `None`.
        act_dropout: the same after the activation; `dropout` when it is `None`.
        normalize_before: layer norm before each part instead of after it.
        weight_attr: settings of the weights; three for both attentions and feed-forward part.
        bias_attr: settings of the biases; three as above; `False` for none.
        layer_norm_eps: epsilon of the layer norms.

    Raises:
        InvalidArgumentError: a size does not fit, or `activation` is not known.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float = 0.1,
        activation: Any = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
        layer_norm_eps: float = 1e-5,
    ) -> None:
        settings = locals()
        super().__init__()
        self._remember(settings)
        self._set_up(d_model, activation, normalize_before)
        owner = type(self).__name__
        weights = _per_part(weight_attr, 3, "weight_attr", owner)
        biases = _per_part(bias_attr, 3, "bias_attr", owner)
        attention_dropout = dropout if attn_dropout is None else attn_dropout
        self.self_attn = MultiHeadAttention(
            d_model, nhead, attention_dropout, weight_attr=weights[0], bias_attr=biases[0]
        )
        self.cross_attn = MultiHeadAttention(
            d_model, nhead, attention_dropout, weight_attr=weights[1], bias_attr=biases[1]
        )
        self.linear1 = Linear(d_model, dim_feedforward, weights[2], biases[2])
        self.dropout = Dropout(dropout if act_dropout is None else act_dropout)
        self.linear2 = Linear(dim_feedforward, d_model, weights[2], biases[2])
        self.norm1 = LayerNorm(d_model, layer_norm_eps)
        self.norm2 = LayerNorm(d_model, layer_norm_eps)
        self.norm3 = LayerNorm(d_model, layer_norm_eps)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        cache: Any = None,
    ) -> Any:
        """Runs the block.

        Args:
            tgt: `[B, T, d_model]`.
            memory: the encoder's output `[B, L, d_model]`.
            tgt_mask: mask of the self-attention.
            memory_mask: mask of the attention to the encoder.
            cache: a pair of caches of `gen_cache`.

        Returns:
            The output, or a pair of it and the new caches when they were given.
        """
        before = self.normalize_before
        own, static = (None, None) if cache is None else cache
        normed = self.norm1(tgt) if before else tgt
        attended = self.self_attn(normed, normed, normed, tgt_mask, own)
        if cache is not None:
            attended, own = attended
        tgt = tgt + self.dropout1(attended)
        tgt = tgt if before else self.norm1(tgt)
        normed = self.norm2(tgt) if before else tgt
        attended = self.cross_attn(normed, memory, memory, memory_mask, static)
        if cache is not None:
            attended, static = attended
        tgt = tgt + self.dropout2(attended)
        tgt = tgt if before else self.norm2(tgt)
        tgt = tgt + self.dropout3(self._feed_forward(self.norm3(tgt) if before else tgt))
        tgt = tgt if before else self.norm3(tgt)
        return tgt if cache is None else (tgt, (own, static))

    def gen_cache(self, memory: Any) -> tuple[Any, Any]:
        """Makes an empty cache for the targets and a full one for the encoder's output."""
        growing = self.self_attn.gen_cache(memory, type=Cache)
        return growing, self.cross_attn.gen_cache(memory, memory, StaticCache)


class _Stack(Layer):
    """A row of blocks made like the first one."""

    def _stack(self, block: Any, num_layers: int, norm: Any) -> None:
        more = [type(block)(**block._config) for _ in range(num_layers - 1)]
        self.layers = LayerList([block, *more])
        self.num_layers = num_layers
        self.norm = norm


class TransformerEncoder(_Stack):
    """A stack of encoder blocks.

    Args:
        encoder_layer: the first block; the others are made with the same arguments.
        num_layers: number of blocks.
        norm: layer that follows the last block.

    Examples:
        >>> import proa
        >>> block = proa.nn.TransformerEncoderLayer(8, 2, 16)
        >>> len(proa.nn.TransformerEncoder(block, 3).layers)
        3
    """

    def __init__(self, encoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self._stack(encoder_layer, num_layers, norm)

    def forward(self, src: Any, src_mask: Any = None, cache: Any = None) -> Any:
        """Runs all blocks.

        Args:
            src: `[B, L, d_model]`.
            src_mask: see MultiHeadAttention.
            cache: the list of caches of `gen_cache`.

        Returns:
            The output, or a pair of it and the new caches when they were given.
        """
        made = []
        for i, block in enumerate(self.layers):
            if cache is None:
                src = block(src, src_mask)
            else:
                src, grown = block(src, src_mask, cache[i])
                made.append(grown)
        src = src if self.norm is None else self.norm(src)
        return src if cache is None else (src, made)

    def gen_cache(self, src: Any) -> list[Any]:
        """Makes an empty cache for each block."""
        return [block.gen_cache(src) for block in self.layers]


class TransformerDecoder(_Stack):
    """A stack of decoder blocks.

    Args:
        decoder_layer: the first block; the others are made with the same arguments.
        num_layers: number of blocks.
        norm: layer that follows the last block.
    """

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self._stack(decoder_layer, num_layers, norm)

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        cache: Any = None,
    ) -> Any:
        """Runs all blocks.

        Args:
            tgt: `[B, T, d_model]`.
            memory: the encoder's output `[B, L, d_model]`.
            tgt_mask: mask of the self-attention.
            memory_mask: mask of the attention to the encoder.
            cache: the list of pairs of caches of `gen_cache`.

        Returns:
            The output, or a pair of it and the new caches when they were given.
        """
        made = []
        for i, block in enumerate(self.layers):
            if cache is None:
                tgt = block(tgt, memory, tgt_mask, memory_mask)
            else:
                tgt, grown = block(tgt, memory, tgt_mask, memory_mask, cache[i])
                made.append(grown)
        tgt = tgt if self.norm is None else self.norm(tgt)
        return tgt if cache is None else (tgt, made)

    def gen_cache(self, memory: Any, do_zip: bool = False) -> list[Any]:
        """Makes the pair of caches for each block.

        Args:
            memory: the encoder's output `[B, L, d_model]`.
            do_zip: returns all growing caches and all static ones instead of pairs.
        """
        made = [block.gen_cache(memory) for block in self.layers]
        return list(zip(*made, strict=True)) if do_zip else made


class Transformer(Layer):
    """Encoder and decoder.

    Args:
        d_model: width of the model.
        nhead: number of heads; divides `d_model`.
        num_encoder_layers: number of encoder blocks.
        num_decoder_layers: number of decoder blocks.
        dim_feedforward: width inside the feed-forward parts.
        dropout: probability of dropping in the parts' outputs.
        activation: name of an activation of `nn.functional`, or a function.
        attn_dropout: the same for attention weights; `dropout` when it is `None`.
        act_dropout: the same after the activation; `dropout` when it is `None`.
        normalize_before: layer norm before each part instead of after it.
        weight_attr: settings of the weights: one, or two (attention, feed-forward), or three
            (self-attention, attention to the encoder, feed-forward).
        bias_attr: settings of the biases, as above.
        custom_encoder: used instead of an encoder of these sizes.
        custom_decoder: used instead of a decoder of these sizes.

    Raises:
        InvalidArgumentError: a size does not fit, or `activation` is not known.

    References:
        Vaswani et al., "Attention is all you need", 2017.

    Examples:
        >>> import proa
        >>> model = proa.nn.Transformer(8, 2, 1, 1, 16)
        >>> model(proa.ones([1, 3, 8]), proa.ones([1, 2, 8])).shape
        [1, 2, 8]
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
        custom_encoder: Layer | None = None,
        custom_decoder: Layer | None = None,
    ) -> None:
        super().__init__()
        self.d_model, self.nhead = d_model, nhead
        sizes = (d_model, nhead, dim_feedforward, dropout, activation)
        rest = (attn_dropout, act_dropout, normalize_before)
        for_encoder = [_shared_attr(attr, 2) for attr in (weight_attr, bias_attr)]
        for_decoder = [_shared_attr(attr, 3) for attr in (weight_attr, bias_attr)]
        if custom_encoder is None:
            block = TransformerEncoderLayer(*sizes, *rest, *for_encoder)
            custom_encoder = TransformerEncoder(block, num_encoder_layers, LayerNorm(d_model))
        if custom_decoder is None:
            other = TransformerDecoderLayer(*sizes, *rest, *for_decoder)
            custom_decoder = TransformerDecoder(other, num_decoder_layers, LayerNorm(d_model))
        self.encoder, self.decoder = custom_encoder, custom_decoder

    def forward(
        self,
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
    ) -> Any:
        """Runs encoder and decoder.

        Args:
            src: `[B, L, d_model]`.
            tgt: `[B, T, d_model]`.
            src_mask: mask of the encoder's self-attention.
            tgt_mask: mask of the decoder's self-attention.
            memory_mask: mask of the attention to the encoder.

        Returns:
            The decoder's output `[B, T, d_model]`.
        """
        memory = self.encoder(src, src_mask)
        return self.decoder(tgt, memory, tgt_mask, memory_mask)

    def generate_square_subsequent_mask(self, length: Any) -> Any:
        """Makes the mask that lets each place attend to itself and those before.

        Args:
            length: number of places.

        Returns:
            `[length, length]`: 0 where attention is allowed, minus infinity elsewhere.
        """
        size = int(length) if isinstance(length, Tensor) else length
        return triu(full([size, size], float("-inf"), "float32"), 1)


def _shared_attr(attr: Any, parts: int) -> Any:
    """Returns the attributes of a block of `parts` parts out of one, two or three."""
    if not isinstance(attr, list | tuple) or len(attr) in (1, parts):
        return attr[0] if isinstance(attr, list | tuple) and len(attr) == 1 else attr
    if len(attr) == 3 and parts == 2:
        return [attr[0], attr[2]]
    if len(attr) == 2 and parts == 3:
        return [attr[0], attr[0], attr[1]]
    return attr
