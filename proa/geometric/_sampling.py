"""Neighbours drawn at random from a graph in compressed columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, OutOfRangeError, Tensor, composite, concrete, to_tensor
from proa.ops import randint

from ._segment import host_vector

_LARGEST_SEED = 2**31 - 1


def _sampled(
    graph: tuple[Tensor, Tensor, Tensor],
    function: str,
    size: int,
    eids: tuple[Tensor | None, bool],
    choose: Callable[[np.random.Generator, int, int], np.ndarray],
) -> Any:
    row, starts, nodes = (
        host_vector(t, name, function)
        for t, name in zip(graph, ("row", "colptr", "input_nodes"), strict=True)
    )
    numbers, wants_eids = eids
    if wants_eids and numbers is None:
        raise InvalidArgumentError(
            "`return_eids` is true and `eids` is None",
            expected="the number of each edge in `eids`",
            fix="pass eids=proa.arange(len(row)), or return_eids=False",
        )
    _check_graph(row, starts, nodes)
    # One draw from Proa's generator seeds the host's, so that `proa.seed` decides here too.
    generator = np.random.default_rng(int(randint(0, _LARGEST_SEED, [1])))
    picked: list[np.ndarray] = []
    for node in nodes.tolist():
        first, last = int(starts[node]), int(starts[node + 1])
        if size < 0 or last - first <= size:
            picked.append(np.arange(first, last))
        else:
            picked.append(np.sort(choose(generator, first, last)))
    places = np.concatenate([*picked, np.zeros(0, np.int64)]).astype(np.int64)
    found = to_tensor(row[places])
    count = to_tensor(np.asarray([len(p) for p in picked], np.int32))
    if not wants_eids or numbers is None:
        return found, count
    return found, count, to_tensor(host_vector(numbers, "eids", function)[places])


def _check_graph(row: np.ndarray, starts: np.ndarray, nodes: np.ndarray) -> None:
    falls = len(starts) and (np.diff(starts) < 0).any()
    if not len(starts) or falls or starts[0] < 0 or starts[-1] > len(row):
        raise InvalidArgumentError(
            f"`colptr` of length {len(starts)} does not lead through {len(row)} edges",
            expected="places in `row` that never fall, from 0 to its length",
            fix="build it as the running sum of the numbers of neighbours, with a 0 before",
        )
    if len(nodes) and (nodes.min() < 0 or nodes.max() >= len(starts) - 1):
        raise OutOfRangeError(
            f"`input_nodes` lie in [{nodes.min()}, {nodes.max()}]",
            expected=f"nodes in [0, {len(starts) - 1}), as `colptr` has them",
            fix="correct the nodes",
        )


@composite
def sample_neighbors(
    row: Tensor,
    colptr: Tensor,
    input_nodes: Tensor,
    sample_size: int = -1,
    eids: Tensor | None = None,
    return_eids: bool = False,
    perm_buffer: Tensor | None = None,
    name: str | None = None,
) -> Any:
    """Draws neighbours of nodes, each neighbour at most once and all equally likely.

    Args:
        row: int32 or int64 vector: the neighbours of node 0, of node 1, and so on.
        colptr: vector of length (number of nodes + 1): where each node's neighbours start.
        input_nodes: vector of the nodes whose neighbours are wanted.
        sample_size: how many neighbours of a node at most; -1 for all.
        eids: number of each edge, as long as `row`.
        return_eids: give the drawn edges' numbers too.
        perm_buffer: working memory that Paddle's GPU code can use; not needed here.
        name: not used.

    Returns:
        The neighbours, the number of them per node (int32), and, if asked for, their edges.

    Raises:
        InvalidArgumentError: `colptr` does not fit `row`, or `eids` is missing.
        OutOfRangeError: a node that `colptr` does not have.

    Examples:
        >>> import proa
        >>> row, colptr = proa.to_tensor([1, 2, 0]), proa.to_tensor([0, 2, 3, 3])
        >>> nodes = proa.to_tensor([0, 2, 1])
        >>> [t.tolist() for t in proa.geometric.sample_neighbors(row, colptr, nodes)]
        [[1, 2, 0], [2, 0, 1]]
    """

    def choose(generator: np.random.Generator, first: int, last: int) -> np.ndarray:
        return first + generator.choice(last - first, sample_size, replace=False)

    graph = (row, colptr, input_nodes)
    return _sampled(graph, "sample_neighbors", sample_size, (eids, return_eids), choose)


@composite
def weighted_sample_neighbors(
    row: Tensor,
    colptr: Tensor,
    edge_weight: Tensor,
    input_nodes: Tensor,
    sample_size: int = -1,
    eids: Tensor | None = None,
    return_eids: bool = False,
    name: str | None = None,
) -> Any:
    """Draws neighbours of nodes, each at most once, heavier edges more often.

    Args:
        row: int32 or int64 vector: the neighbours of node 0, of node 1, and so on.
        colptr: vector of length (number of nodes + 1): where each node's neighbours start.
        edge_weight: non-negative weight of each edge, as long as `row`; more are not used.
        input_nodes: vector of the nodes whose neighbours are wanted.
        sample_size: how many neighbours of a node at most; -1 for all.
        eids: number of each edge, as long as `row`.
        return_eids: give the drawn edges' numbers too.
        name: not used.

    Returns:
        The neighbours, the number of them per node (int32), and, if asked for, their edges.

    Raises:
        InvalidArgumentError: `colptr` or the weights do not fit `row`, a negative weight,
            or `eids` is missing.
        OutOfRangeError: a node that `colptr` does not have.

    Examples:
        >>> import proa
        >>> row, colptr = proa.to_tensor([1, 2, 3]), proa.to_tensor([0, 3])
        >>> weight, nodes = proa.to_tensor([0.0, 1.0, 0.0]), proa.to_tensor([0])
        >>> draw = proa.geometric.weighted_sample_neighbors
        >>> draw(row, colptr, weight, nodes, sample_size=1)[0].tolist()
        [2]
    """
    weights = np.asarray(concrete(edge_weight, "weighted_sample_neighbors"), np.float64).reshape(-1)
    if len(weights) < row.shape[0] or (weights < 0).any():
        raise InvalidArgumentError(
            f"`edge_weight` of shape {edge_weight.shape} for {row.shape[0]} edges",
            expected="a weight per edge, none negative",
            fix="complete or clip the weights",
        )

    def choose(generator: np.random.Generator, first: int, last: int) -> np.ndarray:
        # The largest `log(u) / w` are a draw without replacement by weight (Efraimidis, 2006).
        with np.errstate(divide="ignore"):
            keys = np.log(generator.random(last - first)) / weights[first:last]
        return first + np.argsort(-keys, kind="stable")[:sample_size]

    graph = (row, colptr, input_nodes)
    name_of = "weighted_sample_neighbors"
    return _sampled(graph, name_of, sample_size, (eids, return_eids), choose)
