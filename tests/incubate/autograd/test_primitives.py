from __future__ import annotations

from proa.incubate import autograd


def test_the_switch_is_noted():
    autograd.enable_prim()
    assert autograd.prim_enabled()
    autograd.disable_prim()
    assert not autograd.prim_enabled()
    assert autograd.prim2orig() is None
