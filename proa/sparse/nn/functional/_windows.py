"""Which stored elements stand under a window at which place: the table that convolutions use.

A window has `K` offsets. For `n` results the table has shape [K, n] and holds numbers of stored
elements, or the number of elements where nothing is stored. It is worked out on the host, once
per tensor of places and window, and everything after it is ordinary gathering, on the tape.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, Tensor, to_tensor
from proa.ops._windows import expand, expand_padding, output_size, resolve_padding
from proa.sparse._shape import coalesce
from proa.sparse._tensor import SparseTensor, as_coo, coordinates, need_sparse

FORMATS = {2: "NHWC", 3: "NDHWC"}


@dataclass(frozen=True)
class Window:
    """A window over the axes between batch and channels.

    Args:
        kernel: extents.
        stride: steps.
        pads: padding before and after each axis, or `"SAME"` or `"VALID"`.
        dilation: distances between offsets.
        ceil: whether a last, incomplete window counts.
        keeps_places: whether results stand at the places of the input only, the window's
            centre on each.
    """

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    pads: Any
    dilation: tuple[int, ...]
    ceil: bool = False
    keeps_places: bool = False


@dataclass(frozen=True)
class Meeting:
    """The table for a tensor and a window, and where the results are.

    Args:
        table: int32 Tensor of shape [K, n].
        places: coordinates of the results, [axes, n].
        dims: batch and spatial extents of the results.
    """

    table: Tensor
    places: np.ndarray
    dims: tuple[int, ...]


def read_input(x: Any, rank: int, function: str, data_format: str) -> SparseTensor:
    """Returns a COO tensor whose last axis is dense, each place stored once.

    Raises:
        InvalidTypeError: `x` is dense.
        InvalidArgumentError: another format, or other axes.
    """
    if data_format != FORMATS[rank]:
        raise InvalidArgumentError(
            f"`data_format` of `sparse.nn.functional.{function}` is {data_format!r}",
            expected=f"{FORMATS[rank]!r}: channels are the dense axis, the last one",
            fix="transpose the tensor before making it sparse",
        )
    given = as_coo(need_sparse(x, "x", f"nn.functional.{function}"))
    if given.ndim != rank + 2 or given.dense_dim() != 1:
        raise InvalidArgumentError(
            f"`x` of `sparse.nn.functional.{function}` has shape {given.shape} with "
            f"{given.dense_dim()} dense axes",
            expected=f"{rank + 2} axes ({FORMATS[rank]}), of which the last one is dense",
            fix=f"make it with to_sparse_coo({rank + 1})",
        )
    if "is_unique" not in given._known:
        flat = _flat(coordinates(given), given._dims[:-1])
        given._known["is_unique"] = len(np.unique(flat)) == len(flat)
    return given if given._known["is_unique"] else coalesce(given)


def read_window(
    sizes: tuple[Any, Any, Any, Any], rank: int, function: str, **settings: Any
) -> Window:
    """Returns the window of (kernel, stride, padding, dilation) as Paddle writes them.

    Raises:
        InvalidArgumentError: one of them is wrong.
    """
    kernel, stride, padding, dilation = sizes
    return Window(
        expand(kernel, rank, "kernel_size", function),
        expand(stride, rank, "stride", function),
        expand_padding(padding, rank, True, function),
        expand(dilation, rank, "dilation", function),
        **settings,
    )


def meet(x: SparseTensor, window: Window) -> Meeting:
    """Returns the table of a tensor and a window; it is made once per set of places.

    Raises:
        InvalidArgumentError: the window is larger than the padded input.
    """
    found = x._known.get(window)
    if found is None:
        found = x._known[window] = _meet(coordinates(x), x._dims[:-1], window)
    return found


def _flat(places: np.ndarray, dims: tuple[int, ...]) -> np.ndarray:
    flat: Any = np.ravel_multi_index(tuple(places), dims) if places.size else np.zeros(0, int)
    return flat


def _extents(dims: tuple[int, ...], window: Window) -> tuple[tuple[int, ...], Any]:
    """Spatial extents of the results, and the padding before each axis."""
    reach = tuple(d * (k - 1) + 1 for k, d in zip(window.kernel, window.dilation, strict=True))
    if window.keeps_places:
        return dims, tuple(
            d * (k // 2) for k, d in zip(window.kernel, window.dilation, strict=True)
        )
    pads = resolve_padding(window.pads, dims, reach, window.stride)
    sizes = zip(dims, reach, pads, window.stride, strict=True)
    extents = tuple(output_size(n, e, p, s, window.ceil) for n, e, p, s in sizes)
    if min(extents) < 1:
        raise InvalidArgumentError(
            f"a window of extent {list(reach)} over an input of extent {list(dims)} "
            f"with padding {list(pads)}",
            expected="a window that fits into the padded input",
            fix="take a smaller kernel or dilation, or more padding",
        )
    return extents, tuple(before for before, _ in pads)


def _meet(places: np.ndarray, dims: tuple[int, ...], window: Window) -> Meeting:
    batch, spatial = places[0], places[1:]
    extents, before = _extents(dims[1:], window)
    stride = np.ones(len(extents), np.int64) if window.keeps_places else np.array(window.stride)
    made = (dims[0], *extents)
    shifted = spatial + np.array(before)[:, None]
    reached: list[tuple[np.ndarray, np.ndarray]] = []
    for offset in itertools.product(*(range(k) for k in window.kernel)):
        start = shifted - (np.array(offset) * np.array(window.dilation))[:, None]
        target = start // stride[:, None]
        fits = (start % stride[:, None] == 0) & (target >= 0)
        fits &= target < np.array(extents)[:, None]
        source = np.nonzero(fits.all(axis=0))[0]
        reached.append((source, _flat(np.stack([batch, *target])[:, source], made)))
    own = _flat(places, dims)
    # Results in order of their places; where places are kept, in the order of the input.
    order = np.argsort(own, kind="stable") if window.keeps_places else np.arange(0)
    wanted = (
        own[order] if window.keeps_places else np.unique(np.concatenate([t for _, t in reached]))
    )
    table = np.full((len(reached), len(wanted)), places.shape[1], np.int32)
    for row, (source, target) in zip(table, reached, strict=True):
        at = np.searchsorted(wanted, target)
        is_wanted = wanted[np.minimum(at, len(wanted) - 1)] == target if len(wanted) else at < 0
        at = order[at[is_wanted]] if window.keeps_places else at[is_wanted]
        row[at] = source[is_wanted]
    if window.keeps_places:
        return Meeting(to_tensor(table), places, made)
    return Meeting(to_tensor(table), np.stack(np.unravel_index(wanted, made)), made)
