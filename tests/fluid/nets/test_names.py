from __future__ import annotations

import proa.fluid.nets as module
from proa.fluid.nets import _groups
from tests.fluid.names import check_names


def test_names_lead_to_their_successors(monkeypatch, capsys):
    check_names(module, {"glu": _groups.glu}, monkeypatch, capsys)
