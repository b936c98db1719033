from __future__ import annotations

import pytest

import proa
from proa.core import InvalidArgumentError, OutOfRangeError

G = proa.geometric
ROW = [3, 7, 0, 9, 1, 4, 2, 9, 3, 9, 1, 9, 7]
COLPTR = [0, 2, 4, 5, 6, 7, 9, 11, 11, 13, 13]
NODES = [0, 8, 1, 2, 7]


def graph():
    return proa.to_tensor(ROW), proa.to_tensor(COLPTR), proa.to_tensor(NODES)


def draw(**options):
    return G.sample_neighbors(*graph(), **options)


def test_all_neighbours():
    found, count, edges = draw(eids=proa.arange(13), return_eids=True)
    assert found.tolist() == [3, 7, 9, 7, 0, 9, 1]
    assert count.tolist() == [2, 2, 2, 1, 0]
    assert count.dtype.name == "int32"
    assert edges.tolist() == [0, 1, 11, 12, 2, 3, 4]


def test_the_seed_decides():
    drawn = []
    for _ in range(2):
        proa.seed(3)
        drawn.append([draw(sample_size=1)[0].tolist() for _ in range(8)])
    assert drawn[0] == drawn[1]
    assert len({tuple(d) for d in drawn[0]}) > 1
    assert all(d[0] in (3, 7) and d[1] in (9, 7) and d[3] == 1 for d in drawn[0])


def test_heavy_edges_are_drawn():
    row, colptr, nodes = graph()
    weight = proa.to_tensor([1.0 if i in (1, 12, 2) else 0.0 for i in range(13)])
    found, count = G.weighted_sample_neighbors(row, colptr, weight, nodes, sample_size=1)
    assert found.tolist() == [7, 7, 0, 1]
    assert count.tolist() == [1, 1, 1, 1, 0]


def test_weights_decide_how_often():
    proa.seed(0)
    row, colptr, nodes = proa.to_tensor([5, 6]), proa.to_tensor([0, 2]), proa.to_tensor([0] * 400)
    weight = proa.to_tensor([3.0, 1.0])
    found = G.weighted_sample_neighbors(row, colptr, weight, nodes, sample_size=1)[0].numpy()
    assert 0.68 < (found == 5).mean() < 0.82


def test_no_nodes():
    row, colptr, _ = graph()
    found, count = G.sample_neighbors(row, colptr, proa.zeros([0], dtype="int64"))
    assert (found.shape, count.shape) == ([0], [0])


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"colptr": proa.to_tensor([0, 20])}, InvalidArgumentError, "does not lead through 13"),
        ({"colptr": proa.to_tensor([3, 1])}, InvalidArgumentError, "does not lead"),
        ({"input_nodes": proa.to_tensor([10])}, OutOfRangeError, r"`input_nodes` lie in \[10"),
        ({"return_eids": True}, InvalidArgumentError, "`eids` is None"),
    ],
)
def test_wrong_graphs(changed, error, message):
    row, colptr, nodes = graph()
    with pytest.raises(error, match=message):
        G.sample_neighbors(**{"row": row, "colptr": colptr, "input_nodes": nodes, **changed})


@pytest.mark.parametrize("weight", [[1.0], [-1.0] * 13])
def test_wrong_weights(weight):
    row, colptr, nodes = graph()
    with pytest.raises(InvalidArgumentError, match="`edge_weight` of shape"):
        G.weighted_sample_neighbors(row, colptr, proa.to_tensor(weight), nodes)
