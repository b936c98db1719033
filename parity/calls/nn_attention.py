"""Rows for attention: functions, layers and the transformer."""

from __future__ import annotations

from parity.table import Call, array, booleans, float64, named, normal

_ATTEND = "paddle.nn.functional.scaled_dot_product_attention"
_FLASH = "paddle.nn.functional.flash_attention.flash_attention"
_Q, _K = normal(2, 3, 4, 8), normal(2, 5, 4, 8)
_FEW = normal(2, 5, 2, 8)
_MASK = array([[True, True, False, True, True], [True] * 5, [False, True, True, False, False]])
_TRIANGLE = array([[True, False, False], [True, True, False], [True, True, True]])
_EMPTY_ROW = array([[True, True, True, True, True], [False] * 5, [True] * 5])
_X, _MEMORY = normal(2, 3, 8), normal(2, 5, 8)
_BEAM = Call(
    "paddle.nn.BeamSearchDecoder",
    Call("paddle.nn.GRUCell", 4, 4),
    0,
    1,
    2,
    Call("paddle.nn.Embedding", 6, 4),
    Call("paddle.nn.Linear", 4, 6),
)

CALLS = (
    Call(_ATTEND, _Q, _K, _K),
    Call(_ATTEND, _Q, _K, normal(2, 5, 4, 6)),
    Call(_ATTEND, float64(1, 2, 1, 4), float64(1, 3, 1, 4), float64(1, 3, 1, 4)),
    Call(_ATTEND, normal(3, 4, 8), normal(5, 4, 8), normal(5, 4, 8)),
    Call(_ATTEND, _Q, _K, _K, _MASK),
    Call(_ATTEND, _Q, _K, _K, booleans(2, 1, 3, 5), differs="TRAPS 8: a fully masked row"),
    Call(_ATTEND, _Q, _K, _K, _EMPTY_ROW, differs="TRAPS 8: a fully masked row"),
    Call(_ATTEND, _Q, _K, _K, normal(2, 4, 3, 5)),
    Call(_ATTEND, _Q, _K, _K, normal(3, 5, fixed=True)),
    Call(_ATTEND, _Q, _K, _K, is_causal=True),
    Call(_ATTEND, _K, _Q, _Q, is_causal=True),
    Call(_ATTEND, _Q, _K, _K, _MASK, is_causal=True),
    Call(_ATTEND, _Q, _K, _K, scale=0.7),
    Call(_ATTEND, _Q, _FEW, _FEW),
    Call(_ATTEND, _Q, _FEW, _FEW, enable_gqa=False, error=True),
    Call(_ATTEND, _Q, _K, _K, dropout_p=0.5, training=False),
    Call(_ATTEND, _Q, _K, _K, dropout_p=0.5),
    Call(_ATTEND, _Q, _K, _K, dropout_p=1.0),
    Call(_ATTEND, normal(1, 0, 2, 4), normal(1, 3, 2, 4), normal(1, 3, 2, 4)),
    Call(_ATTEND, normal(1, 2, 2, 4), normal(1, 0, 2, 4), normal(1, 0, 2, 4)),
    Call(_ATTEND, _Q, normal(2, 5, 4, 6), _K, error=True),
    Call(_FLASH, _Q, _K, _K),
    Call(_FLASH, _Q, _K, _K, causal=True, return_softmax=True),
    Call(
        _FLASH,
        *(_Q, _K, _K),
        softmax_scale=0.3,
        differs="the factor counts; the real one leaves it out on CPUs",
    ),
    Call("paddle.nn.MultiHeadAttention", 8, 2, 0.3, forward=(_X,)),
    Call(_FLASH, _Q, _K, _K, 0.5, training=False),
    Call(_FLASH, _Q, _K, _K, dropout=0.5, return_softmax=True),
    Call("paddle.nn.functional.flash_attn_qkvpacked", normal(2, 3, 3, 2, 4)),
    Call("paddle.nn.functional.flash_attn_qkvpacked", normal(2, 3, 3, 2, 4), causal=True),
    Call("paddle.nn.MultiHeadAttention", 8, 2, forward=(_X,), evaluation=True),
    Call("paddle.nn.MultiHeadAttention", 8, 2, forward=(_X, _MEMORY, _MEMORY)),
    Call("paddle.nn.MultiHeadAttention", 8, 2, forward=(_X, _X, _X, _TRIANGLE)),
    Call("paddle.nn.MultiHeadAttention", 8, 2, forward=(_X, _X, _X, normal(2, 2, 3, 3))),
    Call(
        "paddle.nn.MultiHeadAttention",
        *(8, 4, 0.0, 6, 5, True),
        forward=(_X, normal(2, 5, 6), normal(2, 5, 5)),
    ),
    Call("paddle.nn.MultiHeadAttention", 8, 2, bias_attr=False, forward=(_X,)),
    Call("paddle.nn.MultiHeadAttention", 8, 3, error=True),
    Call("paddle.nn.MultiHeadAttention", 8, 2, methods=(("gen_cache", _X),), grad=False),
    Call(
        "paddle.nn.MultiHeadAttention",
        *(8, 2),
        methods=(
            ("gen_cache", _MEMORY, _MEMORY, named("paddle.nn.MultiHeadAttention.StaticCache")),
            ("gen_cache", normal(2, 2, 5, 4), normal(2, 2, 5, 4)),
            ("compute_kv", _X, _X),
        ),
        grad=False,
    ),
    Call(
        "paddle.nn.TransformerEncoderLayer", *(8, 2, 16), methods=(("gen_cache", _X),), grad=False
    ),
    Call(
        "paddle.nn.TransformerDecoderLayer",
        *(8, 2, 16),
        methods=(("gen_cache", _MEMORY),),
        grad=False,
    ),
    *(
        Call(
            "paddle.nn.TransformerDecoder",
            Call("paddle.nn.TransformerDecoderLayer", 8, 2, 16, 0.0),
            2,
            methods=(("gen_cache", _MEMORY, do_zip),),
            grad=False,
        )
        for do_zip in (False, True)
    ),
    Call("paddle.nn.TransformerEncoderLayer", 8, 2, 16, 0.0, forward=(_X,)),
    Call("paddle.nn.TransformerEncoderLayer", 8, 2, 16, 0.2, forward=(_X,)),
    Call("paddle.nn.TransformerEncoderLayer", 8, 2, 16, 0.1, forward=(_X,), evaluation=True),
    Call(
        "paddle.nn.TransformerEncoderLayer",
        *(8, 2, 16, 0.0, "gelu"),
        normalize_before=True,
        forward=(_X, _TRIANGLE),
    ),
    Call("paddle.nn.TransformerDecoderLayer", 8, 2, 16, 0.0, forward=(_X, _MEMORY)),
    Call("paddle.nn.TransformerDecoderLayer", 8, 2, 16, 0.2, forward=(_X, _MEMORY)),
    Call(
        "paddle.nn.TransformerDecoderLayer",
        *(8, 2, 16, 0.0, "gelu"),
        normalize_before=True,
        forward=(_X, _MEMORY, _TRIANGLE, normal(3, 5)),
    ),
    Call(
        "paddle.nn.TransformerEncoder",
        Call("paddle.nn.TransformerEncoderLayer", 8, 2, 16, 0.0),
        2,
        forward=(_X,),
        evaluation=True,
    ),
    Call(
        "paddle.nn.TransformerEncoder",
        Call("paddle.nn.TransformerEncoderLayer", 8, 2, 16, 0.0),
        2,
        Call("paddle.nn.LayerNorm", 8),
        forward=(_X, _TRIANGLE),
    ),
    Call(
        "paddle.nn.TransformerDecoder",
        Call("paddle.nn.TransformerDecoderLayer", 8, 2, 16, 0.0),
        2,
        Call("paddle.nn.LayerNorm", 8),
        forward=(_X, _MEMORY),
    ),
    Call("paddle.nn.Transformer", *(8, 2, 1, 1, 16, 0.0), forward=(_MEMORY, _X)),
    Call(
        "paddle.nn.Transformer",
        *(8, 2, 2, 1, 16, 0.1, "gelu"),
        normalize_before=True,
        forward=(_MEMORY, _X, normal(5, 5, fixed=True), _TRIANGLE, normal(3, 5, fixed=True)),
    ),
    Call("paddle.nn.Transformer", 7, 2, error=True),
    Call("paddle.nn.TransformerEncoderLayer", 8, 2, 16, activation="bump", error=True),
    Call("paddle.nn.TransformerEncoderLayer", 8, 2, 16, bias_attr=False, forward=(_X,)),
    Call(
        "paddle.nn.Transformer",
        *(8, 2, 1, 1, 16, 0.0),
        methods=(("generate_square_subsequent_mask", 4),),
        grad=False,
    ),
    Call("paddle.nn.BeamSearchDecoder.tile_beam_merge_with_batch", normal(2, 3), 2),
    Call(
        "paddle.nn.dynamic_decode",
        *(_BEAM, normal(2, 4, fixed=True)),
        max_step_num=6,
        output_time_major=True,
        impute_finished=True,
        grad=False,
    ),
    Call(
        "paddle.nn.dynamic_decode",
        *(_BEAM, normal(3, 4, fixed=True)),
        max_step_num=3,
        return_length=True,
        grad=False,
    ),
)
