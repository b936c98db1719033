"""Rows for `paddle.incubate`; graphs are in `geometric`, LBFGS in `optimizer`."""

from __future__ import annotations

from parity.table import Call, float64, named, normal

_I = "paddle.incubate"
_SIN = named("paddle.sin")
_PRODUCT = named("paddle.multiply")

CALLS = (
    *(Call(f"{_I}.identity_loss", normal(2, 3), how) for how in (0, 1, 2, "sum", "mean", "none")),
    Call(f"{_I}.identity_loss", normal(2, 3), 3, error=True),
    Call(f"{_I}.identity_loss", normal(2, 3), "max", error=True),
    Call(f"{_I}.softmax_mask_fuse", normal(2, 3, 4, 8), normal(2, 1, 4, 8, fixed=True)),
    Call(f"{_I}.autograd.vjp", _SIN, normal(3)),
    Call(f"{_I}.autograd.vjp", _SIN, normal(2, 2), normal(2, 2)),
    # The real one has no third derivative of these.
    Call(f"{_I}.autograd.jvp", _SIN, normal(3), grad=False),
    Call(f"{_I}.autograd.jvp", _SIN, normal(2, 2), normal(2, 2), grad=False),
    *(Call(f"{_I}.autograd.{name}", _PRODUCT, [normal(3), normal(3)]) for name in ("vjp", "jvp")),
    *(
        Call(f"{_I}.autograd.Jacobian", function, xs, methods=(("shape",), ("__getitem__", index)))
        for function, xs in (
            (_SIN, float64(2, 2)),
            (_PRODUCT, [normal(3), normal(3)]),
            (named("paddle.matmul"), [normal(2, 3), normal(3, 2)]),
        )
        for index in (slice(None), 1, (slice(None), 2), (slice(0, 2), slice(1, 3)))
    ),
    Call(
        f"{_I}.autograd.Jacobian",
        _SIN,
        normal(3, 2),
        True,
        methods=(("shape",), ("__getitem__", slice(None)), ("__getitem__", (0, 1, 1))),
    ),
    *(
        Call(
            f"{_I}.autograd.Hessian",
            function,
            xs,
            methods=(("shape",), ("__getitem__", index)),
            grad=False,
        )
        for function, xs in (
            (named("paddle.matmul"), [normal(3), normal(3)]),
            (named("paddle.sum"), normal(3)),
            (_SIN, normal(1)),
        )
        for index in (slice(None), 0)
    ),
    Call(f"{_I}.autograd.Hessian", _SIN, normal(3), methods=(("shape",),), error=True),
)
