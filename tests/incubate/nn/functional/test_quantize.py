from __future__ import annotations

import proa
from proa.incubate.nn.functional._quantize import maybe_int8, to_int8


def test_ties_and_limits():
    x = proa.to_tensor([0.5, 1.5, -2.5, 300.0])
    assert to_int8(x, 0.1, 0, 10.0, -2.0).tolist() == [0, 2, -2, 10]
    assert to_int8(x, 0.1, 1, 10.0, -3.0).tolist() == [1, 2, -3, 10]
    assert to_int8(x, 0.1, 1, 10.0, -3.0).dtype == "int8"


def test_no_scale_changes_nothing():
    x = proa.to_tensor([0.5])
    assert maybe_int8(x, -1, 0, 127.0, -127.0) is x
