"""Graphs numbered anew, so that a sampled part of a big one starts at zero."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proa.core import InvalidArgumentError, Tensor, composite, to_tensor

from ._segment import host_vector


def _renumbered(
    nodes: np.ndarray, neighbors: list[np.ndarray], counts: list[np.ndarray]
) -> tuple[Tensor, Tensor, Tensor]:
    number: dict[int, int] = {}
    for node in nodes.tolist():
        number.setdefault(node, len(number))
    if len(number) != len(nodes):
        raise InvalidArgumentError(
            f"`x` names {len(nodes)} nodes, of which {len(number)} differ",
            expected="each node once",
            fix="take unique(x)",
        )
    sources: list[int] = []
    targets: list[np.ndarray] = []
    for found, count in zip(neighbors, counts, strict=True):
        if len(count) % max(len(nodes), 1) or int(count.sum()) != len(found):
            raise InvalidArgumentError(
                f"`count` has {len(count)} entries with sum {int(count.sum())}, for {len(nodes)} "
                f"nodes and {len(found)} neighbours",
                expected="the number of neighbours of each node",
                fix="pass the counts that sample_neighbors gave",
            )
        sources.extend(number.setdefault(node, len(number)) for node in found.tolist())
        targets.append(np.repeat(np.arange(len(count)) % max(len(nodes), 1), count))
    dtype = nodes.dtype
    return (
        to_tensor(np.asarray(sources, dtype)),
        to_tensor(np.concatenate(targets).astype(dtype)),
        to_tensor(np.fromiter(number, dtype, len(number))),
    )


@composite
def reindex_graph(
    x: Tensor,
    neighbors: Tensor,
    count: Tensor,
    value_buffer: Tensor | None = None,
    index_buffer: Tensor | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Numbers nodes and their neighbours from 0: the nodes first, then what is new.

    Args:
        x: int32 or int64 vector of nodes, each once.
        neighbors: vector of the neighbours of all of them, one node after the other.
        count: int32 vector, the number of neighbours of each node; with several kinds of
            edges, one block of `neighbors` and of `count` after the other.
        value_buffer: working memory that Paddle's GPU code can use; not needed here.
        index_buffer: as `value_buffer`.
        name: not used.

    Returns:
        Sources and destinations of the edges in new numbers, and the old number of each new.

    Raises:
        InvalidArgumentError: a node named twice, or counts that do not fit.

    Examples:
        >>> import proa
        >>> nodes, neighbours = proa.to_tensor([5, 9]), proa.to_tensor([9, 7, 5])
        >>> count = proa.to_tensor([2, 1], dtype="int32")
        >>> [t.tolist() for t in proa.geometric.reindex_graph(nodes, neighbours, count)]
        [[1, 2, 0], [0, 0, 1], [5, 9, 7]]
    """
    where = "reindex_graph"
    found = host_vector(neighbors, "neighbors", where)
    return _renumbered(host_vector(x, "x", where), [found], [host_vector(count, "count", where)])


@composite
def reindex_heter_graph(
    x: Tensor,
    neighbors: Sequence[Tensor],
    count: Sequence[Tensor],
    value_buffer: Tensor | None = None,
    index_buffer: Tensor | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """As `reindex_graph`, for several kinds of edges: the new numbers are common to all.

    Args:
        x: int32 or int64 vector of nodes, each once.
        neighbors: a vector of neighbours per kind of edge.
        count: a vector of counts per kind of edge.
        value_buffer: not needed here.
        index_buffer: not needed here.
        name: not used.

    Returns:
        Sources and destinations of the edges (all kinds, one after the other) in new
        numbers, and the old number of each new.

    Raises:
        InvalidArgumentError: a node named twice, or counts that do not fit.

    Examples:
        >>> import proa
        >>> nodes, one = proa.to_tensor([5, 9]), proa.to_tensor([1, 1], dtype="int32")
        >>> kinds = [proa.to_tensor([9, 7]), proa.to_tensor([8, 5])]
        >>> edges = proa.geometric.reindex_heter_graph(nodes, kinds, [one, one])
        >>> [t.tolist() for t in edges]
        [[1, 2, 3, 0], [0, 1, 0, 1], [5, 9, 7, 8]]
    """
    where = "reindex_heter_graph"
    if len(neighbors) != len(count):
        raise InvalidArgumentError(
            f"{len(neighbors)} vectors of neighbours and {len(count)} of counts",
            expected="one of each per kind of edge",
            fix="complete the shorter list",
        )
    found = [host_vector(t, "neighbors", where) for t in neighbors]
    counts = [host_vector(t, "count", where) for t in count]
    return _renumbered(host_vector(x, "x", where), found, counts)
