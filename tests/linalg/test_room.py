from __future__ import annotations

import proa


def test_the_room_shows_the_ops():
    assert proa.linalg.matmul is proa.matmul
    assert proa.linalg.norm is proa.norm
    assert proa.linalg.inv(proa.to_tensor([[2.0]])).item() == 0.5
