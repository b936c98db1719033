from __future__ import annotations

import proa
import proa.fluid.layers as module
from tests.fluid.names import check_names


def test_names_lead_to_their_successors(monkeypatch, capsys):
    same = {"relu": proa.nn.functional.relu, "concat": proa.concat, "range": proa.range}
    check_names(module, same, monkeypatch, capsys)
