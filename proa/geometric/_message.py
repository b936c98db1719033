"""Messages along the edges of a graph: taken at the source, combined at the destination."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, composite, op

from ._segment import REDUCTIONS, check_count, reduce_rows

if TYPE_CHECKING:
    from proa.core._types import Array, Index

MESSAGES = ("add", "sub", "mul", "div")


def _combined(x: Any, y: Any, how: str) -> Any:
    if how == "add":
        return x + y
    if how == "sub":
        return x - y
    if how == "mul":
        return x * y
    return x / y if jnp.issubdtype(x.dtype, jnp.inexact) else x // y


def _edge_rows(x: Any, y: Any) -> tuple[Any, Any]:
    """Both with as many axes, the missing ones after the first: edges stay edges."""
    rank = max(x.ndim, y.ndim)

    def padded(a: Any) -> Any:
        return a.reshape(a.shape[:1] + (1,) * (rank - a.ndim) + a.shape[1:])

    return padded(x), padded(y)


def _check_send(x: Any, src_index: Any, dst_index: Any, count: int, how: str) -> None:
    check_count(src_index, x.shape[0], "src_index")
    check_count(dst_index, count, "dst_index")


def _check_edges(
    x: Any, y: Any, src_index: Any, dst_index: Any, count: int, message: str, how: str
) -> None:
    _check_send(x, src_index, dst_index, count, how)


def _check_pair(x: Any, y: Any, src_index: Any, dst_index: Any, message: str) -> None:
    check_count(src_index, x.shape[0], "src_index")
    check_count(dst_index, y.shape[0], "dst_index")


@op(name="geometric_send", method=None, public=False, check=_check_send)
def _send(x: Array, src_index: Index, dst_index: Index, count: int, how: str):
    """Source rows combined at their destinations."""
    return reduce_rows(x[src_index], dst_index, count, how)


@op(name="geometric_send_edges", method=None, public=False, check=_check_edges)
def _send_edges(
    x: Array, y: Array, src_index: Index, dst_index: Index, count: int, message: str, how: str
):
    """Source rows with their edges' values, combined at their destinations."""
    rows, edges = _edge_rows(x[src_index], y)
    return reduce_rows(_combined(rows, edges, message), dst_index, count, how)


@op(name="geometric_pair", method=None, public=False, check=_check_pair)
def _pair(x: Array, y: Array, src_index: Index, dst_index: Index, message: str):
    """A value per edge from the rows at both ends."""
    rows, others = _edge_rows(x[src_index], y[dst_index])
    return _combined(rows, others, message)


def _check_name(value: str, known: tuple[str, ...], name: str) -> None:
    if value not in known:
        raise InvalidArgumentError(
            f"`{name}` is {value!r}", expected="one of " + ", ".join(known), fix="choose one"
        )


def _check_ends(src_index: Tensor, dst_index: Tensor) -> None:
    if src_index.ndim != 1 or list(src_index.shape) != list(dst_index.shape):
        raise InvalidArgumentError(
            f"`src_index` of shape {src_index.shape}, `dst_index` of shape {dst_index.shape}",
            expected="two vectors of the same length, an entry per edge",
            fix="reshape them, or complete the shorter one",
        )


def _count(x: Tensor, out_size: Any) -> int:
    size = int(out_size) if out_size is not None else 0
    return size if size > 0 else x.shape[0]


@composite
def send_u_recv(
    x: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    reduce_op: str = "sum",
    out_size: int | Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Sends rows of `x` along edges, combined where they arrive.

    `out[i] = reduce_op of x[src_index[e]] over the edges e with dst_index[e] == i`.

    Args:
        x: node values of shape [n, ...].
        src_index: int32 or int64 vector, the source of each edge.
        dst_index: vector of the same length, the destination of each edge.
        reduce_op: `"sum"`, `"mean"`, `"min"` or `"max"`.
        out_size: rows of the result; `None` or 0 for as many as `x` has.
        name: not used.

    Returns:
        Tensor of shape [out_size, ...]; zeros where nothing arrives.

    Raises:
        InvalidArgumentError: an unknown reduction, or index vectors that do not match.
        OutOfRangeError: an index outside its rows (compiled code drops it).

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([[1.0], [2.0], [3.0]])
        >>> source, target = proa.to_tensor([0, 1, 2]), proa.to_tensor([1, 1, 0])
        >>> proa.geometric.send_u_recv(x, source, target).tolist()
        [[3.0], [3.0], [0.0]]
    """
    _check_name(reduce_op, REDUCTIONS, "reduce_op")
    _check_ends(src_index, dst_index)
    return _send(x, src_index, dst_index, _count(x, out_size), reduce_op)


@composite
def send_ue_recv(
    x: Tensor,
    y: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    message_op: str = "add",
    reduce_op: str = "sum",
    out_size: int | Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Sends rows of `x`, each combined with the value of its edge.

    Args:
        x: node values of shape [n, ...].
        y: edge values of shape [number of edges, ...]; axes after the first broadcast.
        src_index: int32 or int64 vector, the source of each edge.
        dst_index: vector of the same length, the destination of each edge.
        message_op: `"add"`, `"sub"`, `"mul"` or `"div"` of node and edge.
        reduce_op: `"sum"`, `"mean"`, `"min"` or `"max"`.
        out_size: rows of the result; `None` or 0 for as many as `x` has.
        name: not used.

    Returns:
        Tensor of shape [out_size, ...]; zeros where nothing arrives.

    Raises:
        InvalidArgumentError: an unknown operation, or lengths that do not match.
        OutOfRangeError: an index outside its rows (compiled code drops it).

    Examples:
        >>> import proa
        >>> x, y = proa.to_tensor([[1.0], [2.0]]), proa.to_tensor([[10.0], [20.0]])
        >>> ends = proa.to_tensor([0, 1]), proa.to_tensor([1, 1])
        >>> proa.geometric.send_ue_recv(x, y, *ends, "mul", "max").tolist()
        [[0.0], [40.0]]
    """
    _check_name(message_op, MESSAGES, "message_op")
    _check_name(reduce_op, REDUCTIONS, "reduce_op")
    _check_ends(src_index, dst_index)
    if not y.ndim or y.shape[0] != src_index.shape[0]:
        raise InvalidArgumentError(
            f"`y` of shape {y.shape} for {src_index.shape[0]} edges",
            expected="a row of `y` per edge",
            fix="give a value per entry of `src_index`",
        )
    count = _count(x, out_size)
    return _send_edges(x, y, src_index, dst_index, count, message_op, reduce_op)


@composite
def send_uv(
    x: Tensor,
    y: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    message_op: str = "add",
    name: str | None = None,
) -> Tensor:
    """A value per edge: `message_op(x[src_index[e]], y[dst_index[e]])`.

    Args:
        x: values at the sources, of shape [n, ...].
        y: values at the destinations, of shape [m, ...]; axes after the first broadcast.
        src_index: int32 or int64 vector, the source of each edge.
        dst_index: vector of the same length, the destination of each edge.
        message_op: `"add"`, `"sub"`, `"mul"` or `"div"`.
        name: not used.

    Returns:
        Tensor of shape [number of edges, ...].

    Raises:
        InvalidArgumentError: an unknown operation, or index vectors that do not match.
        OutOfRangeError: an index outside its rows (compiled code takes the last row).

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([[1.0], [2.0]])
        >>> ends = proa.to_tensor([0, 1]), proa.to_tensor([1, 1])
        >>> proa.geometric.send_uv(x, x, *ends).tolist()
        [[3.0], [4.0]]
    """
    _check_name(message_op, MESSAGES, "message_op")
    _check_ends(src_index, dst_index)
    return _pair(x, y, src_index, dst_index, message_op)
