from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.suites.tour._network import (
    NARROW,
    WIDE,
    build_network,
    load_data,
    mark,
    normalise,
    prepare,
)


def test_both_preparations_are_the_same():
    images = load_data("bundled", raw=True).test.images[:5]
    one_by_one = np.stack([normalise(image) for image in images])
    np.testing.assert_allclose(prepare(proa.to_tensor(images)).numpy(), one_by_one, atol=1e-6)


def test_the_network_gives_ten_logits():
    network = build_network()
    assert network(proa.ones([2, 1, 28, 28])).shape == [2, 10]
    assert sum(p.size for p in network.parameters()) < 300_000


@pytest.mark.parametrize("mode", ["data", "tensor"])
def test_marks_lay_every_parameter_over_the_devices(mode):
    network = build_network()
    mesh = mark(network, mode, 4)
    assert mesh.shape == ([4] if mode == "data" else [2, 2])
    assert {len(p._data.sharding.device_set) for p in network.parameters()} == {4}
    parts = {s.data.shape for s in network[WIDE].weight._data.addressable_shards}
    assert parts == ({(1568, 128)} if mode == "data" else {(1568, 64)})
    rows = {s.data.shape for s in network[NARROW].weight._data.addressable_shards}
    assert rows == ({(128, 10)} if mode == "data" else {(64, 10)})
