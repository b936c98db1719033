"""Rows for arithmetic of `paddle`."""

from __future__ import annotations

from parity.table import Call, bfloat16, normal

CALLS = (
    Call("paddle.add", normal(3, 4), normal(4)),
    Call("paddle.add", normal(3, 4), bfloat16(3, 4)),
)
