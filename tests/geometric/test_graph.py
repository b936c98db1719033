from __future__ import annotations

import pytest

import proa
from proa.core import InvalidArgumentError

G = proa.geometric
NODES, NEIGHBOURS = [0, 1, 2], [8, 9, 0, 4, 7, 6, 7]


def counts(values):
    return proa.to_tensor(values, dtype="int32")


def test_nodes_come_first():
    found = G.reindex_graph(proa.to_tensor(NODES), proa.to_tensor(NEIGHBOURS), counts([2, 3, 2]))
    assert [t.tolist() for t in found] == [
        [3, 4, 0, 5, 6, 7, 6],
        [0, 0, 1, 1, 1, 2, 2],
        [0, 1, 2, 8, 9, 4, 7, 6],
    ]
    assert {t.dtype.name for t in found} == {"int64"}


def test_kinds_of_edges_share_numbers():
    found = G.reindex_heter_graph(
        proa.to_tensor(NODES),
        [proa.to_tensor(NEIGHBOURS), proa.to_tensor([0, 2, 3, 5, 1])],
        [counts([2, 3, 2]), counts([1, 3, 1])],
    )
    assert [t.tolist() for t in found] == [
        [3, 4, 0, 5, 6, 7, 6, 0, 2, 8, 9, 1],
        [0, 0, 1, 1, 1, 2, 2, 0, 1, 1, 1, 2],
        [0, 1, 2, 8, 9, 4, 7, 6, 3, 5],
    ]


@pytest.mark.parametrize(
    ("nodes", "count", "message"),
    [
        ([0, 0, 2], [2, 3, 2], "of which 2 differ"),
        (NODES, [2, 3, 3], "with sum 8"),
        (NODES, [2, 5], "2 entries"),
    ],
)
def test_wrong_graphs(nodes, count, message):
    with pytest.raises(InvalidArgumentError, match=message):
        G.reindex_graph(proa.to_tensor(nodes), proa.to_tensor(NEIGHBOURS), counts(count))


def test_one_count_per_kind():
    with pytest.raises(InvalidArgumentError, match="1 vectors of neighbours and 0"):
        G.reindex_heter_graph(proa.to_tensor(NODES), [proa.to_tensor(NEIGHBOURS)], [])
