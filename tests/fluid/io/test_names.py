from __future__ import annotations

import proa
import proa.fluid.io as module
from tests.fluid.names import check_names


def test_names_lead_to_their_successors(monkeypatch, capsys):
    same = {"DataLoader": proa.io.DataLoader, "load_params": module.load_persistables}
    check_names(module, same, monkeypatch, capsys)
