from __future__ import annotations

import proa
import proa.fluid.core as module
from tests.fluid.names import check_names


def test_names_lead_to_their_successors(monkeypatch, capsys):
    same = {"CPUPlace": proa.CPUPlace, "is_compiled_with_cuda": proa.is_compiled_with_cuda}
    check_names(module, same, monkeypatch, capsys)


def test_dtypes_have_the_names_of_the_graph_format():
    assert module.VarDesc.VarType.FP32 == proa.float32
    assert module.VarDesc.VarType.INT64 == "int64"
    assert isinstance(proa.ones([1]), module.eager.Tensor)
