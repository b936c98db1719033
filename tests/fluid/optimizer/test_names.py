from __future__ import annotations

import proa.fluid.optimizer as module
from tests.fluid.names import check_names


def test_names_lead_to_their_successors(monkeypatch, capsys):
    same = {"Adam": module.AdamOptimizer, "SGD": module.SGDOptimizer}
    check_names(module, same, monkeypatch, capsys)
