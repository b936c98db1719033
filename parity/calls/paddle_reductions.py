"""Rows for reductions, scans, orders and searches of `paddle`."""

from __future__ import annotations

from parity.table import (
    Call,
    array,
    bfloat16,
    booleans,
    complexes,
    float64,
    integers,
    normal,
    positive,
)

_NAN = float("nan")
_FLOATS = "sum mean max min amax amin prod logsumexp nansum nanmean".split()
_AXES = (
    {},
    {"axis": 0},
    {"axis": -1, "keepdim": True},
    {"axis": [0, 2]},
    {"axis": (1, 2), "keepdim": True},
)
_NAN_GRADIENT = "an extreme that is NaN passes no gradient on; the real one's is NaN"
_WITH_NAN = array([[1.0, _NAN, 3.0], [2.0, 5.0, 4.0]])
_TIES = array([[1.0, 3.0, 3.0], [2.0, 2.0, 1.0]])
_ONE_AXIS = ({}, {"axis": 0}, {"axis": -1, "keepdim": True})
_EMPTY = normal(2, 0, 3)

CALLS = (
    *(Call(f"paddle.{name}", normal(2, 3, 4), **axes) for name in _FLOATS for axes in _AXES),
    *(Call(f"paddle.{name}", normal()) for name in _FLOATS),
    *(Call(f"paddle.{name}", float64(3, 2), axis=1) for name in _FLOATS),
    *(Call(f"paddle.{name}", _TIES, axis=1) for name in "max min amax amin".split()),
    *(
        Call(f"paddle.{name}", _WITH_NAN, axis=1)
        for name in "sum mean logsumexp nansum nanmean".split()
    ),
    *(
        Call(f"paddle.{name}", _WITH_NAN, axis=1, differs=_NAN_GRADIENT)
        for name in "max min amax amin median".split()
    ),
    Call("paddle.prod", _WITH_NAN, axis=1, differs="TRAPS 7: the product of the others"),
    *(Call(f"paddle.{name}", _EMPTY, axis=2) for name in "sum mean prod".split()),
    *(Call(f"paddle.{name}", _EMPTY, axis=1) for name in "sum mean prod".split()),
    *(Call(f"paddle.{name}", _EMPTY, axis=1, error=True) for name in "max min".split()),
    *(Call(f"paddle.{name}", integers(3, 4), axis=1) for name in "sum max min prod".split()),
    *(
        Call(f"paddle.{name}", integers(3, 4, dtype="int32"), axis=1)
        for name in "sum max min prod amax amin".split()
    ),
    *(Call(f"paddle.{name}", normal(3, 4), axis=5, error=True) for name in _FLOATS),
    Call("paddle.sum", booleans(3, 4)),
    Call("paddle.sum", booleans(3, 4), axis=0),
    Call("paddle.sum", array([100, 100], "int8"), differs="TRAPS 15: narrow integers widen"),
    Call("paddle.sum", normal(3), dtype="float64"),
    Call("paddle.sum", complexes(3, 2), axis=0),
    Call("paddle.mean", complexes(3, 2), axis=0),
    Call("paddle.sum", bfloat16(3, 4), axis=0),
    Call("paddle.sum", normal(2, 3), axis=[]),
    Call("paddle.prod", positive(3), dtype="float64"),
    Call("paddle.prod", array([0.0, 2.0, 3.0]), differs="TRAPS 7: gradient with a zero"),
    *(
        Call(f"paddle.{name}", booleans(3, 4), **axes)
        for name in ("all", "any")
        for axes in _ONE_AXIS
    ),
    Call("paddle.any", integers(3, high=2)),
    Call("paddle.all", normal(0)),
    *(
        Call(f"paddle.{name}", normal(3, 4), **axes, **more)
        for name in ("var", "std")
        for axes in _AXES[:3]
        for more in ({}, {"unbiased": False})
    ),
    Call("paddle.var", normal(2, 3, 4), axis=[0, 2]),
    Call("paddle.var", normal(3, 4), axis=1, correction=0),
    *(
        Call(f"paddle.{name}", normal(3, 5), **axes)
        for name in ("median", "nanmedian")
        for axes in _ONE_AXIS
    ),
    *(
        Call(f"paddle.{name}", normal(3, 4), mode="min", **axes)
        for name in ("median", "nanmedian")
        for axes in _ONE_AXIS
    ),
    Call("paddle.median", normal(3, 4)),
    Call("paddle.median", normal(3, 4), axis=1),
    Call("paddle.nanmedian", _WITH_NAN, axis=1),
    *(
        Call(f"paddle.{name}", normal(3, 5), q, **axes)
        for name in ("quantile", "nanquantile")
        for q in (0.3, [0.25, 0.5, 1.0])
        for axes in _ONE_AXIS
    ),
    *(
        Call("paddle.quantile", normal(3, 5), 0.3, axis=1, interpolation=word)
        for word in "lower higher midpoint nearest".split()
    ),
    Call("paddle.nanquantile", _WITH_NAN, 0.5, axis=1),
    *(Call("paddle.count_nonzero", integers(3, 4, high=3), **axes) for axes in _ONE_AXIS),
    *(
        Call(f"paddle.{name}", x, **axes)
        for name in ("argmax", "argmin")
        for x in (normal(3, 4), integers(3, 4), _TIES)
        for axes in _ONE_AXIS
    ),
    Call("paddle.argmax", normal(3, 4), axis=1, dtype="int32"),
    Call("paddle.argmax", array([1.0, _NAN, 2.0]), differs="TRAPS 11: agrees with max"),
    *(
        Call(f"paddle.{name}", normal(3, 5), **options)
        for name in ("sort", "argsort")
        for options in ({}, {"axis": 0}, {"descending": True}, {"axis": 1, "stable": True})
    ),
    Call("paddle.sort", integers(6)),
    Call("paddle.argsort", integers(12, high=3), stable=True),
    Call("paddle.argsort", integers(12, high=3), stable=True, descending=True),
    Call("paddle.msort", normal(4, 3)),
    *(
        Call("paddle.topk", normal(3, 5), 2, **options)
        for options in ({}, {"axis": 0}, {"largest": False}, {"axis": -1, "sorted": True})
    ),
    Call("paddle.topk", integers(8, high=100), 3),
    Call("paddle.topk", normal(3), 4, error=True),
    *(Call("paddle.kthvalue", normal(3, 5), 2, **axes) for axes in _ONE_AXIS),
    *(
        Call("paddle.mode", array([[1.0, 2.0, 2.0], [3.0, 3.0, 1.0]]), **axes)
        for axes in ({}, {"axis": 0}, {"keepdim": True})
    ),
    *(
        Call(f"paddle.{name}", normal(3, 4), **axes)
        for name in ("cumsum", "logcumsumexp")
        for axes in ({}, {"axis": 0}, {"axis": -1}, {"axis": 1, "dtype": "float64"})
    ),
    *(
        Call(f"paddle.{name}", normal(3, 4), **axes)
        for name in ("cummax", "cummin")
        for axes in ({}, {"axis": 0}, {"axis": -1, "dtype": "int32"})
    ),
    Call("paddle.cummax", integers(6)),
    Call("paddle.cumsum", integers(3, 4), axis=0),
    Call("paddle.cumsum", normal(0, 3), axis=0),
    *(Call("paddle.cumprod", positive(3, 4), dim=dim) for dim in (0, -1, None)),
    Call("paddle.cumprod", array([2.0, 0.0, 3.0]), dim=0),
    Call("paddle.cumprod", normal(3), dim=0, dtype="float64"),
    Call("paddle.diff", normal(3, 5)),
    Call("paddle.diff", normal(3, 5), n=2, axis=0),
    Call("paddle.diff", normal(3, 5), prepend=normal(3, 1), append=normal(3, 2)),
    Call("paddle.diff", integers(5)),
    Call("paddle.searchsorted", array([1.0, 3.0, 5.0]), normal(2, 3)),
    Call("paddle.searchsorted", array([1, 3, 5]), array([3, 5, 0]), right=True, out_int32=True),
    Call("paddle.bucketize", normal(2, 3), array([-1.0, 0.0, 1.0])),
    Call("paddle.bucketize", array([0.0, 1.0]), array([-1.0, 0.0, 1.0]), right=True),
    Call("paddle.nonzero", booleans(3, 4)),
    Call("paddle.nonzero", integers(3, 4, high=2), as_tuple=True),
    Call("paddle.nonzero", array([0, 0])),
    Call("paddle.argwhere", booleans(3, 4)),
    Call("paddle.bincount", integers(9, high=5)),
    Call("paddle.bincount", integers(9, high=5), minlength=8),
    Call("paddle.bincount", integers(4, high=3), weights=normal(4), grad=False),
    Call("paddle.bincount", array([-1, 0]), error=True),
    Call("paddle.histogram", normal(20), bins=5),
    Call("paddle.histogram", normal(20), bins=4, min=-1.0, max=1.0),
    Call("paddle.histogram", normal(20, fixed=True), bins=4, weight=positive(20, fixed=True)),
    Call("paddle.histogram", normal(20), bins=4, min=-1.0, max=1.0, density=True),
    Call("paddle.histogram_bin_edges", normal(20), bins=4),
    Call("paddle.histogramdd", normal(20, 2), bins=[3, 2], grad=False),
    Call("paddle.unique", integers(9, high=4)),
    Call(
        "paddle.unique",
        integers(9, high=4),
        return_index=True,
        return_inverse=True,
        return_counts=True,
    ),
    Call("paddle.unique", integers(4, 2, high=2), axis=0, return_counts=True),
    Call("paddle.unique", array([2.0, 1.0, 2.0]), dtype="int32", return_inverse=True, grad=False),
    Call("paddle.unique_consecutive", integers(9, high=2), return_inverse=True, return_counts=True),
    Call("paddle.unique_consecutive", integers(4, 2, high=2), axis=0),
    Call("paddle.isin", integers(3, 4), integers(3)),
    Call("paddle.isin", integers(3, 4), integers(3), invert=True, assume_unique=False),
    Call("paddle.dist", normal(3, 4), normal(4), p=2),
    *(Call("paddle.dist", normal(3, 4), normal(3, 4), p=p) for p in (0, 1, 3.0, float("inf"))),
    *(Call("paddle.cdist", normal(3, 4), normal(2, 4), p=p) for p in (1.0, 2.0, 3.0)),
    Call("paddle.cdist", normal(2, 3, 4), normal(2, 5, 4), p=float("inf")),
    *(Call("paddle.pdist", normal(4, 3), p=p) for p in (1.0, 2.0)),
    *(Call("paddle.renorm", normal(3, 2, 4), p=p, axis=1, max_norm=1.0) for p in (1.0, 2.0)),
    Call("paddle.reduce_as", normal(2, 3, 4), normal(3, 1)),
    Call("paddle.vander", normal(3)),
    Call("paddle.vander", normal(3), n=2, increasing=True),
)
