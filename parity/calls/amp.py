"""Rows for `paddle.amp`. On a CPU the real wheel leaves mixed precision out, and so do the rows."""

from __future__ import annotations

from parity.table import Call, array, bfloat16, float64, named, normal

_D = "paddle.amp.debugging"
_ALL = named(f"{_D}.DebugMode.CHECK_ALL")
_INF = float("inf")

CALLS = (
    *(
        Call(f"{_D}.check_numerics", x, "op", "x", _ALL, grad=False)
        for x in (
            normal(3, 4),
            float64(5),
            bfloat16(4),
            array([0.0, 0.0, 2.0]),
            array([1.0, _INF]),
            array([_INF, -_INF, 1.0]),
            array([float("nan"), 1.0]),
        )
    ),
    Call(f"{_D}.check_numerics", array([1.0, _INF]), "op", "x", error=True),
    Call("paddle.amp.is_float16_supported", "cpu"),
    Call("paddle.amp.is_bfloat16_supported", "cpu"),
    Call(
        "paddle.amp.GradScaler",
        enable=False,
        methods=(
            ("scale", normal(2)),
            ("is_enable",),
            ("is_use_dynamic_loss_scaling",),
            ("get_init_loss_scaling",),
            ("state_dict",),
        ),
    ),
    Call(
        "paddle.amp.decorate",
        models=Call("paddle.nn.Linear", 2, 3),
        level="O1",
        grad=False,
        values=False,
    ),
    Call("paddle.amp.decorate", Call("paddle.nn.Linear", 2, 3), level="O3", error=True),
)
