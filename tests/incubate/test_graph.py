from __future__ import annotations

import pytest

import proa

ROW = [3, 7, 0, 9, 1, 4, 2, 9, 3, 9, 1, 9, 7]
STARTS = [0, 2, 4, 5, 6, 7, 9, 11, 11, 13, 13]
incubate = proa.incubate


def lists(tensors):
    return [t.tolist() for t in tensors]


def graph(*nodes):
    return proa.to_tensor(ROW), proa.to_tensor(STARTS), proa.to_tensor(nodes)


def test_values_are_sent_along_edges():
    x = proa.to_tensor([[0.0, 2.0, 3.0], [1.0, 4.0, 5.0], [2.0, 6.0, 7.0]])
    source, target = proa.to_tensor([0, 2, 0]), proa.to_tensor([1, 1, 0])
    send = incubate.graph_send_recv
    assert send(x, source, target).tolist() == [[0, 2, 3], [2, 8, 10], [0, 0, 0]]
    assert send(x, source, target, "max", 2).tolist() == [[0, 2, 3], [2, 6, 7]]
    with pytest.raises(proa.core.InvalidArgumentError, match="'med'"):
        send(x, source, target, "med")


def test_kinds_of_edges_share_the_numbering():
    nodes = proa.to_tensor([0, 1, 2])
    neighbors = proa.to_tensor([8, 9, 0, 4, 7, 6, 7, 0, 2, 3, 5, 1])
    count = proa.to_tensor([2, 3, 2, 1, 3, 1], dtype="int32")
    assert lists(incubate.graph_reindex(nodes, neighbors, count)) == [
        [3, 4, 0, 5, 6, 7, 6, 0, 2, 8, 9, 1],
        [0, 0, 1, 1, 1, 2, 2, 0, 1, 1, 1, 2],
        [0, 1, 2, 8, 9, 4, 7, 6, 3, 5],
    ]


def test_neighbours_are_drawn():
    numbers = proa.arange(13) * 2
    made = incubate.graph_sample_neighbors(*graph(0, 8), eids=numbers, return_eids=True)
    assert lists(made) == [[3, 7, 9, 7], [2, 2], [0, 2, 22, 24]]
    proa.seed(3)
    some = incubate.graph_sample_neighbors(*graph(5, 6), sample_size=1)
    assert some[1].tolist() == [1, 1]
    assert some[0][0].item() in (9, 3)


def test_one_hop():
    found = incubate.graph_khop_sampler(*graph(0, 8, 1, 2), [3], proa.arange(13) * 2, True)
    assert lists(found) == [
        [[4], [5], [6], [5], [0], [6], [2]],
        [[0], [0], [1], [1], [2], [2], [3]],
        [0, 8, 1, 2, 3, 7, 9],
        [0, 1, 2, 3],
        [0, 2, 22, 24, 4, 6, 8],
    ]


def test_later_hops_start_at_new_nodes_only():
    source, target, nodes, start = incubate.graph_khop_sampler(*graph(0, 3), [-1, -1])
    assert nodes.tolist() == [0, 3, 7, 4, 2]
    assert source.flatten().tolist() == [1, 2, 3, 4]
    assert target.flatten().tolist() == [0, 0, 1, 3]
    assert start.tolist() == [0, 1]


def test_segments():
    data, ids = proa.to_tensor([[1.0, 2.0], [3.0, 4.0]]), proa.to_tensor([0, 0])
    assert incubate.segment_mean(data, ids).tolist() == [[2.0, 3.0]]
    assert incubate.segment_sum is proa.geometric.segment_sum
