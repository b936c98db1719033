"""Rows for `paddle.nn.quant` and its layers."""

from __future__ import annotations

from typing import Any

from parity.table import Call, float16, float64, normal

_Q = "paddle.nn.quant."
_L = _Q + "quant_layers."
_X = normal(2, 4)
_WATCHED = "MovingAverageAbsMaxScale FakeQuantMovingAverageAbsMax FakeQuantAbsMax QuantStub".split()
_KINDS: dict[str, Any] = {
    "weight_quantize_type": "channel_wise_abs_max",
    "activation_quantize_type": "moving_average_abs_max",
}
_PLAIN: dict[str, Any] = {}
_GPU = "integers in plain order; the real one permutes them for its GPU kernels"


def _linear() -> Call:
    return Call("paddle.nn.Linear", 4, 3)


CALLS = (
    *(Call(_L + name, forward=(_X,), methods=(("__call__", _X),)) for name in _WATCHED),
    *(Call(_L + name, forward=(_X,), evaluation=True) for name in _WATCHED),
    Call(_L + "FakeQuantAbsMax", quant_bits=4, forward=(_X,)),
    Call(_L + "FakeQuantAbsMax", quant_on_weight=True, forward=(_X,)),
    *(
        Call(
            _L + "FakeQuantChannelWiseAbsMax",
            channel_num=count,
            quant_axis=axis,
            quant_on_weight=True,
            forward=(_X,),
        )
        for axis, count in ((0, 2), (1, 4))
    ),
    Call(_L + "FakeQuantChannelWiseAbsMax", channel_num=4, error=True),
    Call(_L + "MAOutputScaleLayer", Call("paddle.nn.ReLU"), forward=(_X,)),
    Call(_L + "FakeQuantMAOutputScaleLayer", Call("paddle.nn.ReLU"), forward=(_X,)),
    Call(_L + "QuantizedLinear", _linear(), forward=(_X,)),
    Call(_L + "QuantizedLinear", _linear(), **_KINDS, forward=(_X,)),
    Call(_L + "QuantizedLinear", _linear(), weight_quantize_type="foo", error=True),
    *(
        Call(
            f"{_L}Quantized{name}",
            Call(f"paddle.nn.{name}", 2, 3, 2, padding=1),
            **kinds,
            forward=(normal(1, 2, 4, 4),),
        )
        for name in ("Conv2D", "Conv2DTranspose")
        for kinds in (_PLAIN, _KINDS)
    ),
    Call(_L + "QuantizedMatmul", forward=(_X, normal(4, 3))),
    Call(_L + "QuantizedMatmul", forward=(_X, normal(3, 4), False, True)),
    Call(_Q + "Stub", forward=(float64(2, 3),)),
    Call(_Q + "weight_quantize", float16(64, 32), "llm.int8", 80, grad=False),
    Call(_Q + "weight_quantize", float16(64, 32), "weight_only_int8", 80, differs=_GPU),
    Call(_Q + "weight_quantize", float16(64, 32), "weight_only_int4", 80, differs=_GPU),
    Call(_Q + "weight_quantize", float16(64, 32), "foo", 80, error=True),
)
