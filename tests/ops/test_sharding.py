from __future__ import annotations

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import proa
from proa.ops import with_sharding


def test_values_stay_and_parts_move_with_a_gradient():
    mesh = Mesh(np.array(jax.devices()), ("data",))
    x = proa.to_tensor(np.arange(8.0, dtype=np.float32).reshape(4, 2), stop_gradient=False)
    laid = with_sharding(x, NamedSharding(mesh, PartitionSpec("data")))
    np.testing.assert_array_equal(laid.numpy(), x.numpy())
    assert {s.data.shape for s in laid._data.addressable_shards} == {(1, 2)}
    (laid * laid).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * x.numpy())
