from __future__ import annotations

import pytest

import proa
from proa.distribution import Gumbel, TransformedDistribution


def test_it_is_a_transformed_uniform_distribution_as_in_paddle():
    made = Gumbel([0.0, 1.0], 2.0)
    assert isinstance(made, TransformedDistribution)
    assert made.transforms == ()
    assert made.base_dist.low.tolist() == [0.0, 0.0]
    assert made.batch_shape == (2,)


def test_only_rsample_passes_gradients():
    loc = proa.to_tensor(1.0, stop_gradient=False)
    made = Gumbel(loc, 2.0)
    assert made.sample([3]).stop_gradient
    made.rsample([3]).sum().backward()
    assert loc.grad.item() == pytest.approx(3.0)
