"""Rows for the layers of `paddle.nn` and what initializes them."""

from __future__ import annotations

from typing import Any

from parity.table import Array, Call, array, integers, normal, positive, uniform

_N, _I = "paddle.nn.", "paddle.nn.initializer."
_LINE, _PLANE, _CUBE = normal(2, 4, 6), normal(2, 4, 6, 5), normal(1, 4, 3, 4, 3)
_SHARE = uniform(3, 4, low=0.1, high=0.9)
_SIGNS = array([[1.0, -1.0, 1.0, 1.0], [-1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, 1.0]], fixed=True)
_SEQUENCE = normal(2, 4, 3)


def _layers(x: Array, *rows: tuple) -> list[Call]:
    """One row for each name, arguments and, perhaps, keyword arguments."""
    calls = []
    for name, *arguments in rows:
        options: dict[str, Any] = {}
        if arguments and isinstance(arguments[-1], dict):
            options = arguments.pop()
        calls.append(Call(_N + name, *arguments, forward=(x,), also=options))
    return calls


def _losses(*rows: tuple) -> list[Call]:
    return [Call(_N + name, forward=arguments) for name, *arguments in rows]


_ACTIVATIONS = """CELU ELU GELU Hardshrink Hardsigmoid Hardswish Hardtanh Identity LeakyReLU
    LogSigmoid LogSoftmax Mish PReLU ReLU ReLU6 SELU SiLU Sigmoid Silu Softmax Softplus
    Softshrink Softsign Swish Tanh Tanhshrink ThresholdedReLU GLU""".split()
_RECURRENT = ("SimpleRNN", "GRU", "LSTM")
_BILINEAR = "the kernel of bilinear interpolation; the real one mixes rows and columns up"
_INITIAL = """Constant KaimingNormal KaimingUniform Normal TruncatedNormal Uniform XavierNormal
    XavierUniform Orthogonal""".split()


def _parameter(shape: list[int], initializer: Call, **options: Any) -> Call:
    """A row whose options are those of `Call`."""
    return Call(
        "paddle.create_parameter",
        shape,
        "float32",
        default_initializer=initializer,
        grad=False,
        **options,
    )


CALLS = (
    *_layers(normal(3, 4), *((name,) for name in _ACTIVATIONS)),
    *_layers(
        normal(3, 4),
        ("Linear", 4, 5),
        ("Linear", 4, 5, {"bias_attr": False}),
        ("LayerNorm", 4),
        ("LayerNorm", [4], {"epsilon": 1e-4}),
        ("BatchNorm1D", 4),
        ("BatchNorm1D", 4, {"momentum": 0.5, "use_global_stats": True}),
        ("BatchNorm", 4),
        ("BatchNorm", 4, {"act": "relu"}),
        ("Dropout", 0.0),
        ("Softmax", 0),
        ("Flatten",),
        ("Unflatten", 1, [2, 2]),
        ("Sequential", Call(_N + "Linear", 4, 3), Call(_N + "ReLU"), Call(_N + "Linear", 3, 2)),
    ),
    *_layers(
        _LINE,
        ("Conv1D", 4, 6, 3),
        ("Conv1D", 4, 6, 3, {"padding": 1, "padding_mode": "reflect"}),
        ("Conv1DTranspose", 4, 3, 3, {"stride": 2}),
        ("BatchNorm1D", 4),
        ("InstanceNorm1D", 4),
        ("GroupNorm", 2, 4),
        ("AvgPool1D", 2),
        ("MaxPool1D", 2),
        ("MaxPool1D", 2, {"return_mask": True}),
        ("AdaptiveAvgPool1D", 3),
        ("AdaptiveMaxPool1D", 3),
        ("LPPool1D", 2.0, 2),
        ("Pad1D", [1, 2]),
        ("Pad1D", [1, 2], {"mode": "reflect"}),
        ("ZeroPad1D", [1, 0]),
        ("ConstantPad1D", [1, 0], 2.0),
        ("ReflectionPad1D", [1, 2]),
        ("ReplicationPad1D", [1, 2]),
        ("CircularPad1D", [1, 2]),
    ),
    *_layers(
        _PLANE,
        ("Conv2D", 4, 6, 3),
        ("Conv2D", 4, 6, [3, 2], {"stride": 2, "padding": 1, "dilation": 1, "groups": 2}),
        ("Conv2D", 4, 4, 3, {"groups": 4, "bias_attr": False, "padding": "SAME"}),
        ("Conv2D", 4, 2, 3, {"padding": 1, "padding_mode": "circular"}),
        ("Conv2DTranspose", 4, 3, 3, {"stride": 2, "output_padding": 1}),
        ("BatchNorm2D", 4),
        ("InstanceNorm2D", 4),
        ("GroupNorm", 2, 4),
        ("LocalResponseNorm", 3),
        ("AvgPool2D", 2),
        ("MaxPool2D", 2, {"padding": 1}),
        ("AdaptiveAvgPool2D", 3),
        ("AdaptiveMaxPool2D", [2, 3]),
        ("LPPool2D", 2.0, 2),
        ("Softmax2D",),
        ("Maxout", 2),
        ("PReLU", 4),
        ("ChannelShuffle", 2),
        ("PixelShuffle", 2),
        ("Pad2D", [1, 0, 2, 1], {"mode": "replicate"}),
        ("ZeroPad2D", [1, 0, 2, 1]),
        ("ReflectionPad2D", [1, 0, 2, 1]),
        ("ReplicationPad2D", [1, 0, 2, 1]),
        ("CircularPad2D", [1, 0, 2, 1]),
        ("ConstantPad2D", [1, 0, 2, 1], 0.5),
        ("Upsample", None, 2),
        ("Upsample", {"size": [4, 4], "mode": "bilinear"}),
        ("UpsamplingNearest2D", {"scale_factor": 2}),
        ("UpsamplingBilinear2D", {"size": [8, 8]}),
        ("Unfold", [2, 2]),
        ("Dropout2D", 0.0),
    ),
    *_layers(
        _CUBE,
        ("Conv3D", 4, 2, 2),
        ("Conv3DTranspose", 4, 2, 2),
        ("BatchNorm3D", 4),
        ("InstanceNorm3D", 4),
        ("AvgPool3D", 2),
        ("MaxPool3D", 2),
        ("AdaptiveAvgPool3D", 2),
        ("AdaptiveMaxPool3D", 2),
        ("Pad3D", [1, 0, 0, 1, 1, 0]),
        ("ZeroPad3D", [1, 0, 0, 1, 1, 0]),
        ("ReflectionPad3D", [1, 0, 0, 1, 1, 0]),
        ("ReplicationPad3D", [1, 0, 0, 1, 1, 0]),
        ("ConstantPad3D", [1, 0, 0, 1, 1, 0], 1.5),
        ("CircularPad3D", [1, 0, 0, 1, 1, 0]),
        ("Dropout3D", 0.0),
    ),
    *(
        Call(_N + name, 4, forward=(x,), evaluation=True)
        for name, x in (
            ("BatchNorm1D", normal(3, 4)),
            ("BatchNorm2D", _PLANE),
            ("BatchNorm3D", _CUBE),
        )
    ),
    *(
        Call(_N + name, 0.5, forward=(normal(3, 4),), evaluation=True)
        for name in ("Dropout", "AlphaDropout", "FeatureAlphaDropout")
    ),
    *(
        Call(_N + name, 0.5, forward=(normal(3, 4),), values=False)
        for name in ("Dropout", "AlphaDropout")
    ),
    Call(_N + "RReLU", forward=(normal(3, 4),), evaluation=True),
    Call(_N + "PixelUnshuffle", 2, forward=(normal(1, 2, 4, 4),)),
    Call(_N + "Fold", [4, 5], [2, 2], forward=(normal(2, 8, 12),)),
    Call(_N + "Embedding", 5, 3, forward=(integers(2, 3, high=5),)),
    Call(_N + "Embedding", 5, 3, padding_idx=1, forward=(array([1, 1, 2]),)),
    Call(_N + "Bilinear", 2, 3, 4, forward=(normal(5, 2), normal(5, 3))),
    Call(_N + "CosineSimilarity", forward=(normal(3, 4), normal(3, 4))),
    Call(_N + "PairwiseDistance", forward=(normal(3, 4), normal(3, 4))),
    Call(
        _N + "SpectralNorm",
        [3, 4],
        forward=(normal(3, 4),),
        differs="the gradient through the singular value is exact",
    ),
    # losses
    *_losses(
        ("BCELoss", _SHARE, uniform(3, 4, low=0.1, high=0.9, fixed=True)),
        ("BCEWithLogitsLoss", normal(3, 4), uniform(3, 4, low=0.0, high=1.0, fixed=True)),
        ("MSELoss", normal(3, 4), normal(3, 4)),
        ("L1Loss", normal(3, 4), normal(3, 4)),
        ("SmoothL1Loss", normal(3, 4), normal(3, 4)),
        ("KLDivLoss", normal(3, 4), positive(3, 4, fixed=True)),
        ("CrossEntropyLoss", normal(3, 4), array([0, 2, 1])),
        ("NLLLoss", normal(3, 4), array([0, 2, 1])),
        ("SoftMarginLoss", normal(3, 4), _SIGNS),
        ("HingeEmbeddingLoss", normal(3, 4), _SIGNS),
        ("MarginRankingLoss", normal(3), normal(3), array([1.0, -1.0, 1.0], fixed=True)),
        ("CosineEmbeddingLoss", normal(3, 4), normal(3, 4), array([1, -1, 1])),
        ("TripletMarginLoss", normal(3, 4), normal(3, 4), normal(3, 4)),
        ("TripletMarginWithDistanceLoss", normal(3, 4), normal(3, 4), normal(3, 4)),
        ("MultiMarginLoss", normal(3, 4), array([0, 2, 1])),
        ("MultiLabelMarginLoss", normal(2, 3), array([[1, -1, 0], [0, 2, -1]])),
        ("MultiLabelSoftMarginLoss", normal(2, 3), array([[1.0, 0.0, 1.0]] * 2, fixed=True)),
        ("GaussianNLLLoss", normal(3, 4), normal(3, 4), positive(3, 4, fixed=True)),
        ("PoissonNLLLoss", normal(3, 4), positive(3, 4, fixed=True)),
        ("CTCLoss", normal(5, 1, 4), array([[1, 2]], "int32"), array([5]), array([2])),
    ),
    Call(_N + "HSigmoidLoss", 4, 5, forward=(normal(3, 4), array([[0], [4], [2]]))),
    # over time
    *(
        Call(_N + name, 3, 5, forward=(_SEQUENCE,), also=options)
        for name in _RECURRENT
        for options in ({}, {"num_layers": 2, "direction": "bidirect"}, {"time_major": True})
    ),
    *(Call(_N + name, 3, 5, forward=(_SEQUENCE, None, array([4, 2]))) for name in _RECURRENT),
    *(Call(f"{_N}{name}Cell", 3, 5, forward=(normal(2, 3),)) for name in _RECURRENT),
    Call(_N + "RNN", Call(_N + "GRUCell", 3, 5), is_reverse=True, forward=(_SEQUENCE,)),
    Call(
        _N + "BiRNN",
        Call(_N + "LSTMCell", 3, 5),
        Call(_N + "LSTMCell", 3, 5),
        forward=(_SEQUENCE,),
    ),
    # attention
    Call(_N + "MultiHeadAttention", 6, 2, forward=(normal(2, 3, 6),)),
    Call(
        _N + "MultiHeadAttention", 6, 3, forward=(normal(2, 3, 6), normal(2, 4, 6), normal(2, 4, 6))
    ),
    Call(_N + "MultiHeadAttention", 6, 2, need_weights=True, forward=(normal(1, 3, 6),)),
    *(
        Call(
            _N + "TransformerEncoderLayer",
            6,
            2,
            8,
            0.0,
            activation=activation,
            normalize_before=before,
            forward=(normal(2, 3, 6),),
        )
        for activation in ("relu", "gelu")
        for before in (False, True)
    ),
    Call(
        _N + "TransformerEncoder",
        Call(_N + "TransformerEncoderLayer", 6, 2, 8, 0.0),
        2,
        forward=(normal(2, 3, 6),),
    ),
    Call(_N + "TransformerDecoderLayer", 6, 2, 8, 0.0, forward=(normal(2, 3, 6), normal(2, 4, 6))),
    Call(_N + "Transformer", 6, 2, 1, 1, 8, 0.0, forward=(normal(1, 3, 6), normal(1, 2, 6))),
    # first values
    *(_parameter([3, 4], Call(_I + name), values=name == "Constant") for name in _INITIAL),
    _parameter([3, 4], Call(_I + "Constant", 2.5)),
    _parameter([2, 2], Call(_I + "Assign", [[1.0, 2.0], [3.0, 4.0]])),
    _parameter([4, 3, 3, 3], Call(_I + "Dirac")),
    _parameter([4, 2, 3], Call(_I + "Dirac", groups=2)),
    _parameter([2, 2, 4, 4], Call(_I + "Bilinear"), differs=_BILINEAR),
    *(
        Call(_I + "calculate_gain", name)
        for name in "sigmoid linear conv2d tanh relu leaky_relu selu".split()
    ),
    Call(_I + "calculate_gain", "leaky_relu", 0.3),
)
