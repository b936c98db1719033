from __future__ import annotations

import math

import proa


def test_constants():
    assert (proa.e, proa.pi, proa.inf) == (math.e, math.pi, math.inf)
    assert math.isnan(proa.nan)
    assert proa.newaxis is None
