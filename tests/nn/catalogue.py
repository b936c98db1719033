"""One case per layer, and what paddle 3.3.1 prints, names and computes for it.

`python -m tests.nn.catalogue`, with an interpreter that has paddle 3.3.1, writes `recorded.json`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).with_name("recorded.json")


def f(*shape):
    """Floats between -1 and 1, all different."""
    count = int(np.prod(shape))
    return (np.sin(np.arange(count) * 1.7 + 0.3) * 0.9).reshape(shape).astype(np.float32)


def p(*shape):
    """Floats between 0 and 1."""
    return (f(*shape) * 0.5 + 0.5).astype(np.float32)


def i(limit, *shape):
    """Integers below a limit."""
    return (np.arange(int(np.prod(shape))) * 7 % limit).reshape(shape).astype(np.int64)


def s(*shape):
    """Signs."""
    return np.where(f(*shape) > 0, 1.0, -1.0).astype(np.float32)


_MAP = f(2, 4, 6)
_IMAGE = f(2, 4, 6, 6)
_VOLUME = f(1, 4, 3, 4, 4)
_WORDS = f(2, 3, 4)
_TRANSDUCED = [np.array(a, np.int32) for a in ([[1, 2]], [3], [2])]
_PATHS = [np.array([[0, 2, -1], [1, 3, 4]]), np.array([[0, 1, -1], [1, 0, 1]])]
_LENGTHS, _LENGTHS_3 = np.array([2, 3]), np.array([2, 1, 2])

#: (constructor, inputs); no inputs where the outputs are random or left to other tests.
CASES = [
    ("Linear(4, 3)", [_MAP[..., :4]]),
    ("Linear(4, 3, bias_attr=False, name='x')", [_MAP[..., :4]]),
    ("Identity(1, a=2)", [_MAP]),
    ("Bilinear(2, 3, 4)", [f(5, 2), f(5, 3)]),
    ("Flatten()", [_MAP]),
    ("Unflatten(1, [2, -1])", [_MAP]),
    ("Embedding(5, 3)", [i(5, 2, 2)]),
    ("Embedding(5, 3, padding_idx=-1, scale_grad_by_freq=True)", [i(5, 4)]),
    ("Dropout()", []),
    ("Dropout(0.3, axis=[0], mode='downscale_in_infer')", []),
    ("Dropout2D()", []),
    ("Dropout3D(0.2)", []),
    ("AlphaDropout(0.1)", []),
    ("FeatureAlphaDropout(0.1)", []),
    ("Conv1D(4, 6, 3)", [_MAP]),
    ("Conv1D(4, 6, 3, padding=1, padding_mode='circular', stride=2)", [_MAP]),
    ("Conv2D(4, 6, 3)", [_IMAGE]),
    ("Conv2D(4, 6, (3, 2), stride=2, padding=1, dilation=2, groups=2, bias_attr=False)", [_IMAGE]),
    ("Conv2D(6, 4, 3, padding='SAME', data_format='NHWC')", [_IMAGE]),
    ("Conv2D(4, 6, 3, padding=[[0, 0], [0, 0], [1, 2], [3, 4]])", [_IMAGE]),
    ("Conv2D(4, 6, 3, padding=[1, 2, 3, 4])", [_IMAGE]),
    ("Conv2D(4, 6, 3, padding=1, padding_mode='reflect')", [_IMAGE]),
    ("Conv2D(4, 6, 3, bias=False)", [_IMAGE]),
    ("Conv2D(4, 4, 3, padding=1, groups=4)", [_IMAGE]),
    ("Conv3D(4, 6, 2)", [_VOLUME]),
    ("Conv3D(4, 6, 2, padding=1, padding_mode='replicate', stride=2)", [_VOLUME]),
    ("Conv1DTranspose(4, 6, 3)", [_MAP]),
    ("Conv1DTranspose(4, 6, 3, 2, 1, 1, 2, 1)", [_MAP]),
    ("Conv2DTranspose(4, 6, 3, stride=2, output_padding=1, groups=2)", [_IMAGE]),
    ("Conv3DTranspose(4, 6, 2)", [_VOLUME]),
    ("BatchNorm(4, act='relu')", [_IMAGE]),
    ("BatchNorm1D(4)", [_MAP]),
    ("BatchNorm2D(6, momentum=0.8, epsilon=1e-3, data_format='NHWC')", [_IMAGE]),
    ("BatchNorm2D(4, weight_attr=False, bias_attr=False)", [_IMAGE]),
    ("BatchNorm2D(4, use_global_stats=True, name='bb')", [_IMAGE]),
    ("BatchNorm3D(4)", [_VOLUME]),
    ("SyncBatchNorm(3)", []),
    ("LayerNorm(6)", [_MAP]),
    ("LayerNorm([4, 6], epsilon=1e-3)", [_MAP]),
    ("LayerNorm(6, elementwise_affine=False)", [_MAP]),
    ("LayerNorm(6, bias=False)", [_MAP]),
    ("GroupNorm(2, 4)", [_IMAGE]),
    ("GroupNorm(2, 4, affine=False)", [_IMAGE]),
    ("InstanceNorm1D(4)", [_MAP]),
    ("InstanceNorm2D(4)", [_IMAGE]),
    ("InstanceNorm2D(4, weight_attr=False, bias_attr=False)", [_IMAGE]),
    ("InstanceNorm3D(4)", [_VOLUME]),
    ("LocalResponseNorm(3)", [_IMAGE]),
    ("SpectralNorm([3, 4], power_iters=2)", [f(3, 4)]),
    ("MaxPool1D(2)", [_MAP]),
    ("MaxPool2D(2)", [_IMAGE]),
    ("MaxPool2D(3, stride=1, padding=1, return_mask=True, ceil_mode=True)", [_IMAGE]),
    ("MaxPool3D(2)", [_VOLUME]),
    ("AvgPool1D(2)", [_MAP]),
    ("AvgPool2D(3, 2, 1)", [_IMAGE]),
    ("AvgPool3D(2)", [_VOLUME]),
    ("AdaptiveAvgPool1D(4)", [_MAP]),
    ("AdaptiveAvgPool2D((4, None))", [_IMAGE]),
    ("AdaptiveAvgPool3D(2)", [_VOLUME]),
    ("AdaptiveMaxPool1D(4)", [_MAP]),
    ("AdaptiveMaxPool2D(4, True)", [_IMAGE]),
    ("AdaptiveMaxPool3D(2)", [_VOLUME]),
    ("MaxUnPool1D(2)", [f(1, 2, 3), np.array([[[0, 3, 5], [1, 2, 4]]])]),
    ("MaxUnPool2D(2)", [f(1, 1, 2, 2), np.array([[[[0, 3], [9, 15]]]])]),
    ("MaxUnPool3D(2)", []),
    ("LPPool1D(2, 2)", [_MAP]),
    ("LPPool2D(2, 2, 2)", [_IMAGE]),
    ("FractionalMaxPool2D(3, random_u=0.3, return_mask=True)", [_IMAGE]),
    ("FractionalMaxPool2D((2, 3), 2, 0.7)", [_IMAGE]),
    ("FractionalMaxPool3D(2, 2, 0.4)", [_VOLUME]),
    ("Pad1D(1)", [_MAP]),
    ("Pad2D([1, 2, 3, 4], mode='reflect')", [_IMAGE]),
    ("Pad3D(1)", [_VOLUME]),
    ("ZeroPad1D(1)", [_MAP]),
    ("ZeroPad2D([1, 0, 2, 0])", [_IMAGE]),
    ("ZeroPad3D(1)", [_VOLUME]),
    ("ConstantPad1D(1, 2.0)", [_MAP]),
    ("ConstantPad2D(1, 2.0)", [_IMAGE]),
    ("ConstantPad3D(1, 2.0)", [_VOLUME]),
    ("ReflectionPad1D(1)", [_MAP]),
    ("ReflectionPad2D(1)", [_IMAGE]),
    ("ReflectionPad3D(1)", [_VOLUME]),
    ("ReplicationPad1D(1)", [_MAP]),
    ("ReplicationPad2D(1)", [_IMAGE]),
    ("ReplicationPad3D(1)", [_VOLUME]),
    ("CircularPad1D(1)", [_MAP]),
    ("CircularPad2D(1)", [_IMAGE]),
    ("CircularPad3D(1)", [_VOLUME]),
    ("Upsample(scale_factor=2)", [_IMAGE]),
    ("Upsample(size=[9, 4], mode='bilinear', align_corners=True)", [_IMAGE]),
    ("UpsamplingBilinear2D(scale_factor=2)", [_IMAGE]),
    ("UpsamplingNearest2D(size=[3, 4])", [_IMAGE]),
    ("PixelShuffle(2)", [_IMAGE]),
    ("PixelUnshuffle(2)", [_IMAGE]),
    ("ChannelShuffle(2)", [_IMAGE]),
    ("Fold([4, 4], 2)", [f(1, 8, 9)]),
    ("Unfold(2)", [_IMAGE]),
    ("CELU(0.7)", [_MAP * 4]),
    ("ELU(0.7, name='e')", [_MAP * 4]),
    ("GELU()", [_MAP * 4]),
    ("GELU(True)", [_MAP * 4]),
    ("GLU()", [_MAP]),
    ("Hardshrink()", [_MAP * 4]),
    ("Hardsigmoid()", [_MAP * 4]),
    ("Hardswish()", [_MAP * 4]),
    ("Hardtanh(-0.5, 0.7)", [_MAP * 4]),
    ("LeakyReLU(0.2)", [_MAP * 4]),
    ("LogSigmoid()", [_MAP * 4]),
    ("LogSoftmax()", [_MAP * 4]),
    ("Maxout(2)", [_IMAGE]),
    ("Mish()", [_MAP * 4]),
    ("PReLU()", [_MAP * 4]),
    ("PReLU(4)", [_MAP * 4]),
    ("RReLU()", []),
    ("ReLU()", [_MAP * 4]),
    ("ReLU6()", [_MAP * 9]),
    ("SELU()", [_MAP * 4]),
    ("Sigmoid()", [_MAP * 4]),
    ("Silu()", [_MAP * 4]),
    ("Softmax()", [_MAP * 4]),
    ("Softmax(0)", [_MAP * 4]),
    ("Softmax2D()", [_IMAGE]),
    ("Softplus(2.0, 3.0)", [_MAP * 4]),
    ("Softshrink()", [_MAP * 4]),
    ("Softsign()", [_MAP * 4]),
    ("Swish()", [_MAP * 4]),
    ("Tanh()", [_MAP * 4]),
    ("Tanhshrink()", [_MAP * 4]),
    ("ThresholdedReLU()", [_MAP * 4]),
    ("CrossEntropyLoss()", [f(5, 3), i(3, 5)]),
    ("CrossEntropyLoss(ignore_index=1, reduction='sum', label_smoothing=0.1)", [f(5, 3), i(3, 5)]),
    ("MSELoss()", [f(5, 3), p(5, 3)]),
    ("L1Loss('sum')", [f(5, 3), p(5, 3)]),
    ("NLLLoss()", [f(5, 3), i(3, 5)]),
    ("BCELoss()", [p(5, 3), p(5, 3)[::-1].copy()]),
    ("BCEWithLogitsLoss()", [f(5, 3), p(5, 3)]),
    ("KLDivLoss()", [f(5, 3), p(5, 3)]),
    ("SmoothL1Loss(delta=0.5)", [f(5, 3), p(5, 3)]),
    ("MarginRankingLoss(0.1)", [f(5), p(5), s(5)]),
    (
        "CTCLoss()",
        [f(4, 2, 3), i(2, 2, 2).astype(np.int32) + 1, np.array([4, 4]), np.array([2, 1])],
    ),
    ("RNNTLoss(reduction='sum')", [f(1, 3, 3, 4), *_TRANSDUCED]),
    ("HSigmoidLoss(3, 6)", [f(5, 3), i(6, 5)]),
    ("HSigmoidLoss(3, 5, bias_attr=False, is_custom=True)", [f(2, 3), i(5, 2), *_PATHS]),
    ("CosineEmbeddingLoss(0.1)", [f(5, 3), p(5, 3), s(5)]),
    ("HingeEmbeddingLoss()", [f(5, 3), s(5, 3)]),
    ("TripletMarginLoss()", [f(5, 3), p(5, 3), p(5, 3)[::-1].copy()]),
    ("TripletMarginWithDistanceLoss()", [f(5, 3), p(5, 3), p(5, 3)[::-1].copy()]),
    ("MultiLabelSoftMarginLoss()", [f(5, 3), i(2, 5, 3).astype(np.float32)]),
    ("SoftMarginLoss()", [f(5, 3), s(5, 3)]),
    ("PoissonNLLLoss()", [f(5, 3), p(5, 3)]),
    ("GaussianNLLLoss()", [f(5, 3), p(5, 3), p(5, 3) + 0.1]),
    ("MultiMarginLoss()", [f(5, 3), i(3, 5)]),
    ("MultiLabelMarginLoss()", []),
    ("CosineSimilarity()", [f(5, 3), p(5, 3)]),
    ("PairwiseDistance(3.0, 1e-3, True, 'x')", [f(5, 3), p(5, 3)]),
    ("MultiHeadAttention(4, 2)", [_WORDS]),
    (
        "MultiHeadAttention(4, 2, kdim=3, vdim=5, need_weights=True)",
        [_WORDS, f(2, 5, 3), f(2, 5, 5)],
    ),
    ("TransformerEncoderLayer(4, 2, 8, 0.0)", [_WORDS, f(3, 3)]),
    ("TransformerEncoderLayer(4, 2, 8, 0.0, 'gelu', normalize_before=True)", [_WORDS]),
    ("TransformerEncoder(TransformerEncoderLayer(4, 2, 8, 0.0), 2)", [_WORDS]),
    ("TransformerDecoderLayer(4, 2, 8, 0.0)", [_WORDS, f(2, 5, 4), f(3, 3), f(3, 5)]),
    ("TransformerDecoder(TransformerDecoderLayer(4, 2, 8, 0.0), 2, LayerNorm(4))", []),
    (
        "Transformer(4, 2, 1, 1, 8, 0.0, normalize_before=True, bias_attr=False)",
        [_WORDS, f(2, 5, 4)],
    ),
    ("SimpleRNNCell(4, 3)", [_MAP[0, :, :4]]),
    ("SimpleRNNCell(4, 3, 'relu', bias_hh_attr=False)", [_MAP[0, :, :4], f(4, 3)]),
    ("LSTMCell(4, 3)", [_MAP[0, :, :4]]),
    ("LSTMCell(4, 3, proj_size=2)", []),
    ("GRUCell(4, 3)", [_MAP[0, :, :4], f(4, 3)]),
    ("RNN(GRUCell(4, 3), is_reverse=True)", [_WORDS, None, _LENGTHS]),
    ("RNN(LSTMCell(4, 3), time_major=True)", [_WORDS.swapaxes(0, 1).copy(), None, _LENGTHS]),
    ("BiRNN(LSTMCell(4, 3), LSTMCell(4, 3))", [_WORDS, None, _LENGTHS]),
    ("RNNCellBase()", []),
    ("SimpleRNN(4, 3, 2)", [_WORDS]),
    ("SimpleRNN(4, 3, 2, 'bidirect', activation='relu')", [_WORDS, f(4, 2, 3), _LENGTHS]),
    ("LSTM(4, 3)", [_WORDS]),
    ("LSTM(4, 3, 2, 'bidirect')", [_WORDS, None, _LENGTHS]),
    # Paddle 3.3.1 reads freed memory when this one runs.
    ("LSTM(4, 3, 2, time_major=True, bias_ih_attr=False)", []),
    ("LSTM(4, 3, 2, 'bidirectional', proj_size=2)", [_WORDS]),
    ("GRU(4, 3, 2)", [_WORDS, f(2, 2, 3)]),
    ("GRU(4, 3, 2, 'bidirect', time_major=True)", [_WORDS, None, _LENGTHS_3]),
    ("GRU(4, 3, 2, dropout=0.5, name='x')", []),
    ("Sequential(Linear(1, 1), ReLU())", []),
    ("Sequential(('a', Linear(1, 1)), ('b', ReLU()))", []),
    ("LayerList([ReLU(), Linear(1, 1)])", []),
    ("LayerDict({'a': ReLU()})", []),
    ("ParameterList([])", []),
]


def digest(array):
    """The shape, and up to six values spread over the array."""
    flat = np.asarray(array, dtype=np.float64).reshape(-1)
    chosen = flat[:: max(1, flat.size // 6)][:6]
    return [list(np.shape(array)), [float(f"{value:.6g}") for value in chosen]]


def leaves(value):
    """The tensors of a nest."""
    return [t for v in value for t in leaves(v)] if isinstance(value, list | tuple) else [value]


def observe(framework, expression, inputs):
    """Makes the layer with known weights, runs it forward and back, and tells what is seen."""
    with framework.utils.unique_name.guard():
        layer = eval(expression, {**vars(framework.nn)})
        state = layer.state_dict()
    seen = {
        "repr": repr(layer),
        "full_name": layer.full_name(),
        "state": {k: [list(v.shape), v.name, v.stop_gradient] for k, v in state.items()},
        "parameters": [name for name, _ in layer.named_parameters()],
    }
    if not inputs:
        return seen
    for number, tensor in enumerate(state.values()):
        count = int(np.prod(tensor.shape))
        values = np.cos(np.arange(count) * 0.9 + number) * 0.4 + 0.2
        tensor.set_value(np.abs(values).reshape(tensor.shape).astype(np.float32))
    tensors = [None if array is None else framework.to_tensor(array) for array in inputs]
    floating = inputs[0].dtype == np.float32
    tensors[0].stop_gradient = not floating
    outputs = leaves(layer(*tensors))
    seen["outputs"] = [digest(o.numpy()) for o in outputs]
    if not outputs[0].stop_gradient:
        weights = framework.to_tensor(f(*outputs[0].shape, 1).reshape(outputs[0].shape))
        (outputs[0] * weights).sum().backward()
        if floating:
            seen["input gradient"] = digest(tensors[0].grad.numpy())
        for name, tensor in state.items():
            if tensor.grad is not None:
                seen[f"gradient of {name}"] = digest(tensor.grad.numpy())
    for name, tensor in state.items():
        if tensor.stop_gradient:
            seen[f"{name} after"] = digest(tensor.numpy())
    layer.eval()
    seen["evaluated"] = digest(leaves(layer(*tensors))[0].numpy())
    return seen


def record():
    """Writes what paddle does."""
    import paddle

    found = {}
    for expression, inputs in CASES:
        try:
            found[expression] = observe(paddle, expression, inputs)
        except Exception as error:
            print(expression, type(error).__name__, str(error)[-300:])
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(found)} of {len(CASES)} cases recorded with paddle {paddle.__version__}")


if __name__ == "__main__":
    record()
