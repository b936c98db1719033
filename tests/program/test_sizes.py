"""Unknown sizes beside tensors are numbers that the Program computes."""

from __future__ import annotations

import numpy as np

import proa
from proa.program import make_dimension as dimension
from proa.program import recording, size_tensor


def test_sizes_are_operands():
    with recording() as recorder:
        x = recorder.add_input((dimension("batch"), 2), np.dtype("float32"), "x")
        n = x.shape[0]
        outputs = [x / n, x.sum() * n + n, proa.full([2], n), proa.to_tensor(x.shape)]
        outputs += [proa.maximum(x, n), size_tensor([n, proa.to_tensor(7)])]
        program, _ = recorder.finish(outputs)
    found = program.function()(np.ones([4, 2], np.float32))
    assert [np.asarray(f).ravel()[0].item() for f in found] == [0.25, 36.0, 4.0, 4, 4.0, 4]
    assert found[0].dtype == np.float32
    assert found[3].tolist() == [4, 2]
