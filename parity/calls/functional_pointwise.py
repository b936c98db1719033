"""Rows for activations, norms and other parts of `paddle.nn.functional` without windows."""

from __future__ import annotations

from parity.table import (
    Array,
    Call,
    array,
    booleans,
    complexes,
    float64,
    integers,
    normal,
    positive,
    uniform,
)

_F = "paddle.nn.functional."
_ACTIVATIONS = """celu elu gelu hardshrink hardsigmoid hardswish hardtanh leaky_relu log_sigmoid
    logsigmoid mish relu relu6 selu sigmoid silu softplus softshrink softsign swish tanh tanhshrink
    thresholded_relu softmax log_softmax""".split()
_OPTIONS: dict[str, tuple[dict, ...]] = {
    "celu": ({"alpha": 0.5},),
    "elu": ({"alpha": 0.3},),
    "gelu": ({"approximate": True},),
    "hardshrink": ({"threshold": 0.2},),
    "hardsigmoid": ({"slope": 0.3, "offset": 0.4},),
    "hardtanh": ({"min": -0.5, "max": 0.2},),
    "leaky_relu": ({"negative_slope": 0.2},),
    "selu": ({"scale": 1.2, "alpha": 1.1},),
    "softplus": ({"beta": 2.0, "threshold": 1.0},),
    "softshrink": ({"threshold": 0.1},),
    "thresholded_relu": ({"threshold": 0.3, "value": 0.1},),
    "softmax": ({"axis": 0}, {"axis": 1, "dtype": "float64"}),
    "log_softmax": ({"axis": 0}, {"axis": 1, "dtype": "float64"}),
}
_EDGES = array([0.0, -0.0, 100.0, -100.0, 3.0, -3.0, 6.0, 1.0, -1.0, 0.5, -0.5], fixed=True)
_HEADS = (normal(2, 4, 2, 3), normal(2, 4, 2, 3), normal(2, 4, 2, 3))


def _activation(x: Array, *others: str, rtol: float | None = None) -> list[Call]:
    return [Call(_F + name, x, rtol=rtol) for name in _ACTIVATIONS if name not in others]


CALLS = (
    *_activation(normal(3, 4)),
    *_activation(normal(2, 0)),
    # The real one keeps constants in float32.
    *_activation(float64(2, 3), rtol=1e-6),
    *_activation(_EDGES, "hardshrink", "log_softmax"),
    Call(_F + "hardshrink", _EDGES, differs="0 at the threshold itself, as its formula says"),
    Call(_F + "log_softmax", _EDGES, differs="no lower bound; the real one stops at -64"),
    *(Call(_F + name, normal(3, 4), **each) for name in _OPTIONS for each in _OPTIONS[name]),
    *(
        Call(f"{_F}{name}_", normal(3, 4))
        for name in "elu hardtanh leaky_relu relu softmax tanh thresholded_relu".split()
    ),
    Call(_F + "softmax", normal()),
    Call(_F + "glu", normal(3, 4)),
    Call(_F + "glu", normal(4, 3), axis=0),
    Call(_F + "glu", normal(3), error=True),
    Call(_F + "swiglu", normal(3, 4)),
    Call(_F + "swiglu", normal(3, 4), normal(3, 4)),
    Call(_F + "maxout", normal(2, 4, 3, 3), 2),
    Call(_F + "maxout", normal(2, 3, 3, 4), 2, axis=3),
    Call(_F + "prelu", normal(2, 3, 4), positive(1)),
    Call(_F + "prelu", normal(2, 3, 4), positive(3)),
    Call(_F + "prelu", normal(2, 4, 3), positive(3), data_format="NLC"),
    Call(_F + "rrelu", normal(3, 4), training=False),
    Call(_F + "rrelu", normal(3, 4), values=False),
    Call(_F + "gumbel_softmax", normal(3, 4), values=False),
    Call(_F + "gumbel_softmax", normal(3, 4), hard=True, values=False),
    # dropout
    *(
        Call(_F + name, normal(2, 3, 4, 4), training=False)
        for name in "dropout dropout2d alpha_dropout feature_alpha_dropout".split()
    ),
    *(
        Call(_F + name, normal(2, 3, 4, 4), 0.4, values=False)
        for name in "dropout dropout2d alpha_dropout feature_alpha_dropout".split()
    ),
    Call(_F + "dropout", normal(3, 4), 0.0),
    Call(_F + "dropout", normal(3, 4), 1.0),
    Call(_F + "dropout", normal(3, 4), 0.3, training=False, mode="downscale_in_infer"),
    Call(_F + "dropout", normal(3, 4), 0.5, axis=0, values=False),
    Call(_F + "dropout3d", normal(1, 2, 2, 2, 2), training=False),
    Call(_F + "dropout", normal(3), 1.5, error=True),
    # products
    Call(_F + "linear", normal(2, 3), normal(3, 4)),
    Call(_F + "linear", normal(2, 2, 3), normal(3, 4), normal(4)),
    Call(_F + "bilinear", normal(3, 2), normal(3, 4), normal(5, 2, 4), normal(1, 5)),
    Call(_F + "embedding", integers(2, 3, high=5), normal(5, 4)),
    Call(_F + "embedding", array([0, 2, 2]), normal(5, 4), padding_idx=2),
    Call(_F + "embedding", array([0, 4]), normal(5, 4), padding_idx=-1),
    Call(
        _F + "embedding",
        array([5]),
        normal(5, 4),
        error=True,
    ),
    Call(_F + "one_hot", array([0, 2, 1]), 3),
    Call(_F + "one_hot", array([[0, 2], [1, 3]]), 4),
    Call(_F + "one_hot", array([3]), 3, error=True),
    Call(_F + "cosine_similarity", normal(3, 4), normal(3, 4)),
    Call(_F + "cosine_similarity", normal(3, 4), normal(3, 4), axis=0),
    Call(_F + "pairwise_distance", normal(3, 4), normal(3, 4)),
    Call(_F + "pairwise_distance", normal(3, 4), normal(3, 4), p=1.0, keepdim=True),
    Call(_F + "label_smooth", positive(2, 3)),
    Call(_F + "label_smooth", positive(2, 3), epsilon=0.3),
    Call(_F + "sequence_mask", array([1, 3, 2])),
    Call(_F + "sequence_mask", array([1, 3, 2]), maxlen=5, dtype="float32"),
    Call(_F + "gather_tree", integers(3, 2, 2, high=5), integers(3, 2, 2, high=2)),
    Call(_F + "class_center_sample", integers(5, high=8), 8, 6, values=False),
    # norms
    Call(_F + "normalize", normal(3, 4)),
    Call(_F + "normalize", normal(3, 4), p=1, axis=0),
    Call(_F + "normalize", array([[0.0, 0.0], [3.0, 4.0]]), grad=False),
    Call(_F + "layer_norm", normal(2, 3, 4), 4),
    Call(_F + "layer_norm", normal(2, 3, 4), [3, 4], positive(12), normal(12)),
    Call(_F + "layer_norm", normal(2, 4), [4], positive(4), normal(4), epsilon=0.001),
    Call(_F + "group_norm", normal(2, 4, 3), 2, weight=positive(4), bias=normal(4)),
    Call(
        _F + "group_norm",
        normal(2, 4, 3),
        2,
        differs="gradients of a group sum to 0; the real one's do not without weight and bias",
    ),
    Call(_F + "group_norm", normal(2, 3, 3, 4), 2, weight=positive(4), data_format="NHWC"),
    Call(_F + "instance_norm", normal(2, 3, 4, 4)),
    Call(_F + "instance_norm", normal(2, 3, 5), weight=positive(3), bias=normal(3)),
    *(
        Call(
            _F + "batch_norm",
            normal(4, 3, 5),
            normal(3, fixed=True),
            positive(3, fixed=True),
            positive(3),
            normal(3),
            training=training,
        )
        for training in (False, True)
    ),
    Call(
        _F + "batch_norm",
        normal(4, 3),
        normal(3, fixed=True),
        positive(3, fixed=True),
        training=True,
    ),
    Call(_F + "local_response_norm", normal(2, 6, 3, 3), 3),
    Call(_F + "local_response_norm", positive(2, 6, 4), 2, alpha=0.1, beta=0.5, k=2.0),
    # attention
    Call(_F + "scaled_dot_product_attention", *_HEADS),
    Call(_F + "scaled_dot_product_attention", *_HEADS, is_causal=True),
    Call(_F + "scaled_dot_product_attention", *_HEADS, normal(2, 1, 4, 4, fixed=True)),
    # shuffles
    Call(_F + "pixel_shuffle", normal(1, 8, 2, 3), 2),
    Call(_F + "pixel_shuffle", normal(1, 2, 3, 8), 2, data_format="NHWC"),
    Call(_F + "pixel_unshuffle", normal(1, 2, 4, 6), 2),
    Call(_F + "channel_shuffle", normal(1, 6, 2, 2), 3),
    Call(_F + "temporal_shift", normal(4, 4, 2, 2), 2, 0.25),
    Call("paddle.special.softmax", normal(2, 3), -1),
    Call("paddle.special.expm1", normal(3)),
    Call("paddle.special.logsumexp", normal(2, 3), 1),
    # signals
    Call("paddle.signal.stft", normal(2, 64), 16),
    Call("paddle.signal.stft", normal(64), 16, hop_length=4, win_length=12, window=positive(12)),
    Call("paddle.signal.stft", normal(64), 16, center=False, normalized=True),
    Call("paddle.signal.stft", normal(64), 16, onesided=False),
    Call("paddle.signal.stft", complexes(64), 16, onesided=False),
    Call("paddle.signal.stft", normal(64), 16, pad_mode="constant"),
    Call("paddle.signal.istft", complexes(9, 8), 16),
    Call("paddle.signal.istft", complexes(2, 9, 8), 16, hop_length=4, length=20),
    Call(_F + "log_softmax", uniform(2, 3, low=50.0, high=90.0)),
    Call("paddle.masked_select", normal(3), booleans(3)),
)
