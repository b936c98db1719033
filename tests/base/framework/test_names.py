from __future__ import annotations

import proa
import proa.base.framework as module
from tests.fluid.names import check_names


def test_names_lead_to_their_successors(monkeypatch, capsys):
    same = {"EagerParamBase": proa.Parameter, "core": proa.fluid.core}
    check_names(module, same, monkeypatch, capsys)
