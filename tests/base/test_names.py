from __future__ import annotations

import proa
import proa.base as module
from tests.fluid.names import check_names


def test_names_lead_to_their_successors(monkeypatch, capsys):
    same = {"ParamAttr": proa.ParamAttr, "unique_name": proa.utils.unique_name}
    check_names(module, same, monkeypatch, capsys)
