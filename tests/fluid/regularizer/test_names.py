from __future__ import annotations

import proa
import proa.fluid.regularizer as module
from tests.fluid.names import check_names


def test_names_lead_to_their_successors(monkeypatch, capsys):
    same = {"L2Decay": proa.regularizer.L2Decay, "L1DecayRegularizer": proa.regularizer.L1Decay}
    check_names(module, same, monkeypatch, capsys)
