from __future__ import annotations

import proa


def test_a_stub_hands_on():
    x = proa.to_tensor([1.0])
    stub = proa.nn.quant.Stub(observer=None)
    assert stub(x) is x
    assert list(proa.nn.Sequential(stub).state_dict()) == []
