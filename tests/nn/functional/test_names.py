from __future__ import annotations

import proa
import proa.nn.functional as F
from tests.ops.harness import same


def test_unfold_cuts_patches():
    same(F.unfold(proa.ones([1, 1, 2, 2]), 2), [[[1], [1], [1], [1]]])
