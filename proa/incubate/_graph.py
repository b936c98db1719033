"""Functions on graphs under their older names; `proa.geometric` has the ones that do the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from proa.core import Tensor, composite, concrete, to_tensor
from proa.geometric import reindex_graph, sample_neighbors, send_u_recv
from proa.ops import concat, unsqueeze


@composite
def graph_send_recv(
    x: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    pool_type: str = "sum",
    out_size: int | Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Sends rows of `x` along edges, combined where they arrive: `geometric.send_u_recv`.

    Args:
        x: node values of shape [n, ...].
        src_index: int32 or int64 vector, the source of each edge.
        dst_index: vector of the same length, the destination of each edge.
        pool_type: `"sum"`, `"mean"`, `"min"` or `"max"`.
        out_size: rows of the result; `None` or not positive for as many as `x` has.
        name: not used.

    Returns:
        Tensor of shape [out_size, ...]; zeros where nothing arrives.

    Raises:
        InvalidArgumentError: an unknown reduction, or index vectors that do not match.
        OutOfRangeError: an index outside its rows.
    """
    return send_u_recv(x, src_index, dst_index, pool_type, out_size)


@composite
def graph_reindex(
    x: Tensor,
    neighbors: Tensor,
    count: Tensor,
    value_buffer: Tensor | None = None,
    index_buffer: Tensor | None = None,
    flag_buffer_hashtable: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Numbers nodes and their neighbours from 0: `geometric.reindex_graph`.

    Args:
        x: int32 or int64 vector of nodes, each once.
        neighbors: vector of the neighbours of all of them, one node after the other.
        count: int32 vector, the number of neighbours of each node, per kind of edge.
        value_buffer: working memory that Paddle's GPU code can use; not needed here.
        index_buffer: as `value_buffer`.
        flag_buffer_hashtable: whether Paddle uses that memory; not needed here.
        name: not used.

    Returns:
        Sources and destinations of the edges in new numbers, and the old number of each new.

    Raises:
        InvalidArgumentError: a node named twice, or counts that do not fit.
    """
    return reindex_graph(x, neighbors, count)


@composite
def graph_sample_neighbors(
    row: Tensor,
    colptr: Tensor,
    input_nodes: Tensor,
    eids: Tensor | None = None,
    perm_buffer: Tensor | None = None,
    sample_size: int = -1,
    return_eids: bool = False,
    flag_perm_buffer: bool = False,
    name: str | None = None,
) -> Any:
    """Draws neighbours of nodes: `geometric.sample_neighbors` in another order of arguments.

    Args:
        row: int32 or int64 vector: the neighbours of node 0, of node 1, and so on.
        colptr: vector of length (number of nodes + 1): where each node's neighbours start.
        input_nodes: vector of the nodes whose neighbours are wanted.
        eids: number of each edge, as long as `row`.
        perm_buffer: working memory that Paddle's GPU code can use; not needed here.
        sample_size: how many neighbours of a node at most; -1 for all.
        return_eids: give the drawn edges' numbers too.
        flag_perm_buffer: whether Paddle uses that memory; not needed here.
        name: not used.

    Returns:
        The neighbours, the number of them per node (int32), and, if asked for, their edges.

    Raises:
        InvalidArgumentError: `colptr` does not fit `row`, or `eids` is missing.
        OutOfRangeError: a node that `colptr` does not have.
    """
    return sample_neighbors(row, colptr, input_nodes, sample_size, eids, return_eids)


@composite
def graph_khop_sampler(
    row: Tensor,
    colptr: Tensor,
    input_nodes: Tensor,
    sample_sizes: Sequence[int],
    sorted_eids: Tensor | None = None,
    return_eids: bool = False,
    name: str | None = None,
) -> Any:
    """Draws neighbours, their neighbours, and so on, and numbers what was met from 0.

    Each hop starts at the nodes that the one before met for the first time, so that a node's
    neighbours are drawn once.

    Args:
        row: int32 or int64 vector: the neighbours of node 0, of node 1, and so on.
        colptr: vector of length (number of nodes + 1): where each node's neighbours start.
        input_nodes: vector of the nodes to start from, each once.
        sample_sizes: how many neighbours of a node at most, per hop; -1 for all.
        sorted_eids: number of each edge, as long as `row`.
        return_eids: give the drawn edges' numbers too.
        name: not used.

    Returns:
        Sources and destinations of the edges in new numbers, both of shape [edges, 1], the old
        number of each new, the new numbers of `input_nodes`, and, if asked for, the edges.

    Raises:
        InvalidArgumentError: `colptr` does not fit `row`, a node named twice, or no `sorted_eids`.
        OutOfRangeError: a node that `colptr` does not have.

    Examples:
        >>> import proa
        >>> row, colptr = proa.to_tensor([1, 2, 0]), proa.to_tensor([0, 1, 2, 3])
        >>> found = proa.incubate.graph_khop_sampler(row, colptr, proa.to_tensor([0]), [1, 1])
        >>> [t.tolist() for t in found]
        [[[1], [2]], [[0], [1]], [0, 1, 2], [0]]
    """
    frontier = np.asarray(concrete(input_nodes, "graph_khop_sampler")).reshape(-1)
    starts, neighbors, counts, edges = [], [], [], []
    met = set(frontier.tolist())
    for size in sample_sizes:
        starts.append(to_tensor(frontier))
        drawn = sample_neighbors(row, colptr, starts[-1], size, sorted_eids, return_eids)
        neighbors.append(drawn[0])
        counts.append(drawn[1])
        edges += drawn[2:]
        fresh = [n for n in dict.fromkeys(drawn[0].tolist()) if n not in met]
        met.update(fresh)
        frontier = np.asarray(fresh, frontier.dtype)
    made = reindex_graph(concat(starts), concat(neighbors), concat(counts))
    start = to_tensor(np.arange(input_nodes.size, dtype=frontier.dtype))
    result = (unsqueeze(made[0], -1), unsqueeze(made[1], -1), made[2], start)
    return (*result, concat(edges)) if return_eids else result
