from __future__ import annotations

from proa.incubate.cc.typing import DimVar, DTypeVar, Tensor


def test_words_of_annotations():
    assert repr(DimVar("batch", 1, 8)) == "DimVar('batch', min=1, max=8)"
    assert repr(DTypeVar("T", "float32", "float16")) == "DTypeVar('T', 'float32', 'float16')"
    assert repr(Tensor([2], "float32")) == "Tensor([2], 'float32')"
