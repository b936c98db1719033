"""The table of divergences, and the formula of any exponential family."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.distribution import (
    Beta,
    Dirichlet,
    Distribution,
    Exponential,
    Gamma,
    Normal,
    kl_divergence,
    register_kl,
)
from proa.distribution.kl import kl_exponential_family
from tests.distribution.checks import close, tensor


class Root(Distribution):
    pass


class Leaf(Root):
    pass


def test_the_nearest_formula_is_taken():
    register_kl(Root, Root)(lambda p, q: "root")
    assert kl_divergence(Leaf(), Leaf()) == "root"
    register_kl(Leaf, Root)(lambda p, q: "leaf")
    assert kl_divergence(Leaf(), Leaf()) == Leaf().kl_divergence(Root()) == "leaf"
    assert kl_divergence(Root(), Leaf()) == "root"


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (Gamma(np.array([1.0, 2.0]), 2.0), Gamma(np.array([2.0, 2.5]), 3.0)),
        (Exponential(np.array([1.0, 2.0])), Exponential(np.array([2.0, 0.5]))),
        (Beta(np.array([1.0, 2.0]), 2.0), Beta(np.array([2.0, 2.5]), 3.0)),
        (Dirichlet(np.array([1.0, 2.0, 3.0])), Dirichlet(np.array([2.0, 2.5, 0.5]))),
    ],
    ids=lambda made: type(made).__name__,
)
def test_families_agree_with_their_closed_forms(p, q):
    close(kl_exponential_family(p, q), p.kl_divergence(q).numpy(), rtol=1e-8)


def test_gradients_pass():
    rate = tensor([1.0, 2.0], train=True)
    (slope,) = proa.grad(kl_exponential_family(Exponential(rate), Exponential(2.0)).sum(), [rate])
    close(slope, 1 / rate.numpy() - 2 / rate.numpy() ** 2)


@pytest.mark.parametrize(
    ("p", "q"), [(Normal(0.0, 1.0), Beta(1.0, 1.0)), (Exponential(1.0), Gamma(1.0, 1.0))]
)
def test_unknown_pairs_are_refused(p, q):
    with pytest.raises(NotImplementedError, match=f"{type(p).__name__}(.|\n)*register_kl"):
        kl_divergence(p, q)


def test_only_classes_are_registered():
    with pytest.raises(TypeError, match="`cls_q` of `register_kl`"):
        register_kl(Root, Leaf())  # type: ignore[arg-type]
