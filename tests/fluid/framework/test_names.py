from __future__ import annotations

import proa
import proa.fluid.framework as module
from tests.fluid.names import check_names


def test_names_lead_to_their_successors(monkeypatch, capsys):
    same = {"Variable": proa.Tensor, "in_dygraph_mode": proa.in_dynamic_mode}
    check_names(module, same, monkeypatch, capsys)


def test_places_and_dtypes():
    assert module._current_expected_place() == proa.CPUPlace()
    assert module.convert_np_dtype_to_dtype_("float64") == proa.float64
