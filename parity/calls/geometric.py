"""Rows for `paddle.geometric` and its older names in `paddle.incubate`."""

from __future__ import annotations

from parity.table import Call, array, float64, integers, normal

_IDS = array([0, 0, 1, 1, 1, 3])
_SOURCE, _TARGET = array([0, 1, 2, 0, 3]), array([1, 2, 1, 0, 0])
_ROW = array([3, 7, 0, 9, 1, 4, 2, 9, 3, 9, 1, 9, 7])
_STARTS = array([0, 2, 4, 5, 6, 7, 9, 11, 11, 13, 13])
_NODES = array([0, 8, 1, 2])
_NEIGHBORS, _COUNT = array([8, 9, 0, 4, 7, 6, 7]), array([2, 3, 2], "int32")
_OTHERS, _OTHER_COUNT = array([0, 2, 3, 5, 1]), array([1, 3, 1], "int32")
_WEIGHTS = array([0.1 * (i + 1) for i in range(13)], fixed=True)
_REDUCE, _MESSAGE = ("sum", "mean", "min", "max"), ("add", "sub", "mul", "div")
_G, _I = "paddle.geometric", "paddle.incubate"

CALLS = (
    *(
        Call(f"{room}.segment_{how}", data, _IDS)
        for room in (_G, _I)
        for how in _REDUCE
        for data in (normal(6, 2), float64(6), integers(6, 3))
    ),
    *(Call(f"{_G}.segment_{how}", normal(3, 2), array([0, 1, 1], "int32")) for how in _REDUCE),
    *(
        Call(f"{_G}.send_u_recv", normal(4, 3), _SOURCE, _TARGET, how, size)
        for how in _REDUCE
        for size in (None, 3, 6)
    ),
    Call(f"{_G}.send_u_recv", normal(4, 2, 2), _SOURCE, _TARGET),
    Call(f"{_G}.send_u_recv", normal(4, 2), _SOURCE, _TARGET, "prod", error=True),
    *(
        Call(f"{_G}.send_ue_recv", normal(4, 3), normal(5, 3), _SOURCE, _TARGET, message, how)
        for message in _MESSAGE
        for how in _REDUCE
    ),
    Call(f"{_G}.send_ue_recv", normal(4, 3), normal(5, 1), _SOURCE, _TARGET, "mul", "sum", 3),
    Call(f"{_G}.send_ue_recv", normal(4, 3), normal(5), _SOURCE, _TARGET, "add", "max"),
    *(
        Call(f"{_G}.send_uv", normal(4, 3), normal(3, 3), _SOURCE, _TARGET, message)
        for message in _MESSAGE
    ),
    Call(f"{_G}.send_uv", normal(4, 3), normal(3, 1), _SOURCE, _TARGET, "mul"),
    *(Call(f"{_I}.graph_send_recv", normal(4, 3), _SOURCE, _TARGET, how) for how in _REDUCE),
    Call(f"{_I}.graph_send_recv", normal(4, 3), _SOURCE, _TARGET, "sum", 3),
    *(
        Call(f"{room}", array([0, 1, 2]), _NEIGHBORS, _COUNT)
        for room in (f"{_G}.reindex_graph", f"{_I}.graph_reindex")
    ),
    Call(
        f"{_G}.reindex_heter_graph",
        array([0, 1, 2]),
        [_NEIGHBORS, _OTHERS],
        [_COUNT, _OTHER_COUNT],
    ),
    # The real one crashes without a size.
    Call(f"{_G}.sample_neighbors", _ROW, _STARTS, _NODES, 5),
    Call(f"{_G}.weighted_sample_neighbors", _ROW, _STARTS, _WEIGHTS, _NODES, 5),
    Call(f"{_I}.graph_sample_neighbors", _ROW, _STARTS, _NODES, sample_size=5),
    # Nodes with three neighbours at most: nothing is left to chance.
    Call(f"{_I}.graph_khop_sampler", _ROW, _STARTS, _NODES, [3]),
)
