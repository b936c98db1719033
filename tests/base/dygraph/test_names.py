from __future__ import annotations

import proa
import proa.base.dygraph as module
from tests.fluid.names import check_names


def test_names_lead_to_their_successors(monkeypatch, capsys):
    same = {"Layer": proa.nn.Layer, "to_variable": proa.fluid.dygraph.to_variable}
    check_names(module, same, monkeypatch, capsys)
