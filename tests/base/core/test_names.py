from __future__ import annotations

import proa
import proa.base.core as module
from tests.fluid.names import check_names


def test_names_lead_to_their_successors(monkeypatch, capsys):
    same = {"CUDAPlace": proa.CUDAPlace, "Place": proa.Place}
    check_names(module, same, monkeypatch, capsys)
