from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import proa
from tests.ops.harness import same


@pytest.mark.parametrize(("shape", "axis"), [([2], 0), ([2, 3], 1), ([2, 3, 4], 0)])
def test_the_axis_without_dim(shape, axis):
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    same(proa.special.softmax(proa.to_tensor(x)), scipy.special.softmax(x, axis))


def test_arguments():
    out = proa.zeros([2])
    assert proa.special.softmax(proa.ones([2]), 0, out=out) is out
    same(out, [0.5, 0.5])
    assert proa.special.softmax(proa.ones([2]), dim=0, dtype="float64").dtype.name == "float64"


def test_errors():
    with pytest.raises(proa.core.ProaError, match="axis"):
        proa.special.softmax(proa.ones([2]), dim=1)


NAMES = {"erf": 0.5, "i0e": 1.5, "i1": 1.5, "gammaln": 2.5, "expm1": 0.3, "logit": 0.2}


@pytest.mark.parametrize("name", list(NAMES))
def test_other_names_are_the_ops(name):
    found = float(getattr(proa.special, name)(proa.to_tensor(NAMES[name])))
    assert found == pytest.approx(getattr(scipy.special, name)(NAMES[name]), rel=1e-5)
