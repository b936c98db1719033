from __future__ import annotations

import numpy as np
import pytest
import scipy.special as reference

import proa
from tests.ops.harness import Case, case_ids, check_case, positive, randn, same, uniform

# XLA's single-precision series are good to about five digits.
SERIES = {"float32": (5e-5, 5e-6)}
SERIES_REASON = "rounding of the series in float32"
# The incomplete gamma integrals and their derivatives are iterated.
ITERATED = {"float32": (1e-4, 1e-5), "gradient": (1e-5, 1e-7), "second": (1e-4, 1e-5)}

CASES = [
    Case(proa.erf, (randn(4, 3),), ref=reference.erf),
    Case(proa.erfinv, (uniform(-0.9, 0.9, 4),), ref=reference.erfinv),
    Case(proa.lgamma, (positive(4, 3),), ref=reference.gammaln),
    Case(proa.gammaln, (positive(4),), ref=reference.gammaln),
    Case(proa.digamma, (positive(4),), ref=reference.digamma),
    Case(proa.polygamma, (positive(4), 0), ref=lambda x, n: reference.polygamma(n, x)),
    Case(
        proa.polygamma,
        (positive(4), 2),
        ref=lambda x, n: reference.polygamma(n, x),
        tolerance=SERIES,
        reason=SERIES_REASON,
    ),
    Case(proa.multigammaln, (positive(4) + 2, 3), ref=reference.multigammaln),
    Case(
        proa.gammainc,
        (positive(4), positive(4)),
        ref=reference.gammainc,
        orders=4,
        low=(),
        tolerance=ITERATED,
        reason="iterated",
    ),
    Case(
        proa.gammaincc,
        (positive(4), positive(4)),
        ref=reference.gammaincc,
        orders=4,
        low=(),
        tolerance=ITERATED,
        reason="iterated",
    ),
    Case(proa.i0, (randn(4),), ref=reference.i0),
    Case(proa.i0e, (randn(4),), ref=reference.i0e),
    Case(proa.i1, (randn(4),), ref=reference.i1),
    Case(proa.i1e, (randn(4),), ref=reference.i1e),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_special(case):
    check_case(case)


def test_integers_give_float32():
    for name in ("erf", "erfinv", "lgamma", "digamma", "i0", "i0e", "i1", "i1e"):
        assert getattr(proa, name)(proa.to_tensor([0, 1])).dtype == "float32"


def test_edges():
    inf = float("inf")
    same(proa.erfinv(proa.to_tensor([-1.0, 1.0, 2.0])), [-inf, inf, float("nan")])
    same(proa.lgamma(proa.to_tensor([0.0])), [inf])
    same(proa.digamma(proa.to_tensor([0.0, -0.0, -1.0])), [-inf, inf, float("nan")])


@pytest.mark.parametrize("name", ["erf", "erfinv", "lgamma", "gammaln", "digamma", "i0"])
def test_in_place_forms(name):
    x = proa.to_tensor([0.5])
    want = getattr(proa, name)(x).numpy()
    assert getattr(proa.ops, f"{name}_")(x) is x
    same(x, want)


def test_in_place_forms_with_arguments():
    same(proa.to_tensor([2.0]).polygamma_(1), [np.pi**2 / 6 - 1])
    same(proa.to_tensor([2.0]).gammainc_(proa.to_tensor([1.0])), [0.2642411])
    same(proa.to_tensor([2.0]).gammaincc_(proa.to_tensor([1.0])), [0.7357589])
    same(proa.to_tensor([3.0]).multigammaln_(2), [1.550195])


def test_errors():
    with pytest.raises(ValueError, match="`n` of `polygamma` is -1"):
        proa.polygamma(proa.ones([1]), -1)
    with pytest.raises(ValueError, match="`p` of `multigammaln` is 0"):
        proa.multigammaln(proa.ones([1]), 0)
