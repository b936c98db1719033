from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.formats.onnx.rows import Row, check, floats

x23, y23 = floats(2, 3), floats(2, 3)
whole = np.array([[7, -7, 3], [-3, 8, 5]], np.int64)
table, wide = floats(5, 3), floats(2, 3, 4)
ids = np.array([[0, 4], [2, 2]])

_ROWS = [
    Row(
        "gather",
        lambda x, i: (proa.gather(x, i), proa.gather(x, i, axis=1)),
        (table, np.array([2, -1, 0])),
    ),
    Row("gather_nd", lambda x, i: proa.gather_nd(x, i), (wide, np.array([[0, 1], [1, 2]]))),
    Row("take_along_axis", lambda x, i: proa.take_along_axis(x, i, 1), (x23, ids % 3)),
    Row("index_sample", lambda x, i: proa.index_sample(x, i), (x23, ids % 3)),
    Row("take", lambda x, i: proa.take(x, i, mode="wrap"), (x23, np.array([[0, 7], [-1, 5]]))),
    Row("embedding", lambda i, w: F.embedding(i, w, padding_idx=2), (ids, table)),
    Row("one_hot", lambda i: F.one_hot(i, 5), (ids,)),
    Row("array index", lambda x, i: (x[i], x[:, i % 2], x[i, i % 2]), (wide, ids % 2)),
    Row("array indices in later axes", lambda x, i: x[:, i, i], (wide, ids % 3)),
    Row(
        "scatter",
        lambda x, i, u: (proa.scatter(x, i, u), proa.scatter(x, i, u, False)),
        (table, np.array([1, 3]), x23),
    ),
    Row("scatter_nd", lambda i, u: proa.scatter_nd(i, u, [4, 3]), (np.array([[1], [3]]), x23)),
    Row("put_along_axis", lambda x, i: proa.put_along_axis(x, i, 9.0, 1), (x23, ids[:, :1] % 3)),
    Row("index_fill", lambda x, i: proa.index_fill(x, i, 1, 5.0), (x23, np.array([0, 2]))),
    Row("isin", lambda x, y: proa.isin(x, y), (ids, np.array([0, 2]))),
    Row("sort", lambda x: (proa.sort(x, 0), proa.argsort(x, 1, descending=True)), (x23,)),
    Row("sort of an open size", lambda x: proa.sort(x, 0), (x23,), {0: (0, 1)}),
    Row("topk", lambda x: proa.topk(x, 2), (floats(3, 5),)),
    Row("kthvalue", lambda x: proa.kthvalue(x, 2), (floats(3, 5),)),
    Row("argmax", lambda x: (proa.argmax(x), proa.argmin(x, 1), proa.argmax(x, 0, True)), (x23,)),
    Row("cumsum", lambda x: (proa.cumsum(x), proa.cumsum(x, 1), proa.cumsum(x, -2)), (x23,)),
    Row(
        "sums",
        lambda x: (
            proa.sum(x),
            proa.sum(x, 1),
            proa.sum(x, [0, 2], keepdim=True),
            proa.mean(x, -1),
            proa.prod(x, 1),
        ),
        (wide,),
    ),
    Row(
        "sums of integers",
        lambda x: (proa.sum(x, 0), proa.mean(x), proa.count_nonzero(x, 1)),
        (whole.astype(np.int32),),
    ),
    Row(
        "extremes",
        lambda x: (
            proa.max(x, 1),
            proa.min(x),
            proa.amax(x, [0, 1]),
            proa.any(x > 0, 1),
            proa.all(x > 0),
        ),
        (x23,),
    ),
    Row(
        "logsumexp",
        lambda x: (proa.logsumexp(x, 1), proa.logsumexp(x)),
        (np.array([[100.0, 101.0], [-np.inf, -np.inf]], np.float32),),
    ),
    Row("var", lambda x: (proa.var(x, 1), proa.std(x), proa.var(x, 0, False, True)), (wide,)),
    Row("var over an open size", lambda x: proa.var(x, 0), (wide,), {0: (0,)}),
    Row(
        "norms",
        lambda x: (proa.norm(x), proa.norm(x, 1, 1), proa.norm(x, np.inf, 1), proa.norm(x, 3, 1)),
        (x23,),
    ),
]


@pytest.mark.parametrize("row", _ROWS, ids=[row.name for row in _ROWS])
def test_a_model_in_onnx_gives_what_the_ops_give(row: Row) -> None:
    check(row)
