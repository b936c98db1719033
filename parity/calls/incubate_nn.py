"""Rows for what of `paddle.incubate.nn` the real wheel has on CPUs."""

from __future__ import annotations

from parity.table import Call, float64, normal, positive

_F = "paddle.incubate.nn.functional."
_X, _W, _B = normal(2, 3, 4), positive(4), normal(4)

CALLS = (
    Call(_F + "fused_matmul_bias", _X, normal(4, 5)),
    Call(_F + "fused_matmul_bias", normal(3, 2), normal(4, 3), None, True, True),
    Call(_F + "fused_dropout_add", _X, normal(2, 3, 4), training=False),
    Call(_F + "fused_dropout_add", _X, normal(2, 3, 4), 0.0),
    Call(_F + "fused_dropout_add", _X, normal(2, 3, 4), 1.0),
    Call(_F + "fused_dropout_add", _X, normal(2, 3, 4), 0.4, False, "downscale_in_infer"),
    Call(_F + "fused_dropout_add", _X, normal(2, 3, 4)),
    Call(_F + "swiglu", normal(3, 4)),
    Call(_F + "swiglu", normal(3, 4), normal(3, 4)),
    Call(_F + "swiglu", normal(3, 5), error=True),
    # The real ones have no gradients on CPUs.
    Call(_F + "fused_rms_norm", _X, _W, _B, 1e-5, 2, _B, normal(2, 3, 4), grad=False),
    Call(_F + "fused_rms_norm", _X, _W, _B, 1e-5, 2, None, normal(2, 3, 4), grad=False),
    Call(
        _F + "fused_layer_norm",
        *(_X, _W, _B, 1e-5, 0.5, 2, _B, normal(2, 3, 4)),
        grad=False,
    ),
    Call("paddle.incubate.nn.FusedDropoutAdd", 0.3, forward=(_X, _X), evaluation=True),
    Call("paddle.incubate.nn.FusedDropoutAdd", 0.0, forward=(float64(2, 3), float64(2, 3))),
)
