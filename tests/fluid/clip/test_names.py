from __future__ import annotations

import proa
import proa.fluid.clip as module
from tests.fluid.names import check_names


def test_names_lead_to_their_successors(monkeypatch, capsys):
    same = {"GradientClipByGlobalNorm": proa.nn.ClipGradByGlobalNorm}
    check_names(module, same, monkeypatch, capsys)
