from __future__ import annotations

import proa
import proa.fluid as module
from tests.fluid.names import check_names


def test_names_lead_to_their_successors(monkeypatch, capsys):
    same = {"CPUPlace": proa.CPUPlace, "ParamAttr": proa.ParamAttr, "data": proa.static.data}
    check_names(module, same, monkeypatch, capsys)
