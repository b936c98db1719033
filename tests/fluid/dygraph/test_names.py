from __future__ import annotations

import proa
import proa.fluid.dygraph as module
from tests.fluid.names import check_names


def test_names_lead_to_their_successors(monkeypatch, capsys):
    same = {"Layer": proa.nn.Layer, "no_grad": proa.no_grad, "BatchNorm": proa.nn.BatchNorm}
    check_names(module, same, monkeypatch, capsys)
