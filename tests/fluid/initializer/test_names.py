from __future__ import annotations

import pytest

import proa
import proa.fluid.initializer as module
from tests.fluid.names import check_names

KINDS = {
    "Constant": ((2.0,), "Constant"),
    "MSRA": ((), "KaimingUniform"),
    "Normal": ((1.0, 0.5, 3), "Normal"),
    "TruncatedNormal": ((), "TruncatedNormal"),
    "Uniform": ((-2.0, 2.0), "Uniform"),
    "Xavier": ((), "XavierUniform"),
}


def test_names_lead_to_their_successors(monkeypatch, capsys):
    check_names(module, {"Bilinear": proa.nn.initializer.Bilinear}, monkeypatch, capsys)


@pytest.mark.parametrize(("name", "given", "kind"), [(n, *each) for n, each in KINDS.items()])
def test_arguments_are_those_of_old(name, given, kind):
    made = getattr(module, name)(*given)
    assert type(made) is getattr(proa.nn.initializer, kind)
    assert getattr(module, f"{name}Initializer") is getattr(module, name)


def test_normal_kinds_and_values():
    assert type(module.MSRA(uniform=False)) is proa.nn.initializer.KaimingNormal
    assert type(module.Xavier(uniform=False)) is proa.nn.initializer.XavierNormal
    layer = proa.nn.Linear(2, 1, weight_attr=module.Constant(3.0))
    assert layer.weight.tolist() == [[3.0], [3.0]]
    drawn = proa.nn.Linear(50, 1, weight_attr=module.Uniform(-2.0, -1.0)).weight
    assert -2.0 <= drawn.min().item() <= drawn.max().item() <= -1.0
