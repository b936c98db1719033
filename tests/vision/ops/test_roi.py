from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import proa
from proa.vision import ops
from proa.vision.ops import _roi
from tests.ops.harness import Case, case_ids, check_case, distinct, randn, same

BOXES = np.array(
    [[1.2, 0.6, 5.1, 4.3], [-3.0, -2.5, 3, 2.2], [3.1, 2.2, 30, 40], [2.2, 2.2, 2.3, 2.25]]
)
COUNTS = np.array([1, 3], "int32")
IMAGES = [0, 1, 1, 1]
SIZE = (3, 2)


def bilinear(plane, y, x):
    height, width = plane.shape
    if not (-1 <= y <= height and -1 <= x <= width):
        return 0.0
    y, x = np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)
    rows = np.maximum(1 - np.abs(y - np.arange(height)), 0)
    columns = np.maximum(1 - np.abs(x - np.arange(width)), 0)
    return rows @ plane @ columns


def align(x, boxes, scale=1.0, ratio=-1, aligned=True, size=SIZE):
    y = np.zeros((len(boxes), x.shape[1], *size))
    for r, box in enumerate(boxes):
        left, top, right, bottom = box * scale - (0.5 if aligned else 0)
        height, width = bottom - top, right - left
        if not aligned:
            height, width = max(height, 1), max(width, 1)
        bins = height / size[0], width / size[1]
        samples = [ratio if ratio > 0 else int(np.ceil(b)) for b in bins]
        for c, i, j in np.ndindex(*y.shape[1:]):
            values = [
                bilinear(
                    x[IMAGES[r], c],
                    top + (i + (k + 0.5) / samples[0]) * bins[0],
                    left + (j + (m + 0.5) / samples[1]) * bins[1],
                )
                for k in range(samples[0])
                for m in range(samples[1])
            ]
            y[r, c, i, j] = np.mean(values)
    return y


def rounded(value):
    return np.sign(value) * np.floor(np.abs(value) + 0.5)


def bins_of(box, size, extents, i, j):
    """Slices of rows and columns of bin (i, j)."""
    left, top, right, bottom = box
    lines = []
    for begin, end, count, number, extent in (
        (top, bottom, size[0], i, extents[0]),
        (left, right, size[1], j, extents[1]),
    ):
        each = (end - begin) / count
        low, high = np.floor(number * each + begin), np.ceil((number + 1) * each + begin)
        lines.append(slice(int(np.clip(low, 0, extent)), int(np.clip(high, 0, extent))))
    return tuple(lines)


def pool(x, boxes, scale=1.0):
    y = np.zeros((len(boxes), x.shape[1], *SIZE))
    for r, c, i, j in np.ndindex(*y.shape):
        left, top, right, bottom = rounded(boxes[r] * scale)
        box = (left, top, max(right + 1, left + 1), max(bottom + 1, top + 1))
        values = x[IMAGES[r], c][bins_of(box, SIZE, x.shape[2:], i, j)]
        y[r, c, i, j] = values.max() if values.size else 0
    return y


def own_channel(x, boxes, scale=1.0):
    y = np.zeros((len(boxes), x.shape[1] // 6, *SIZE))
    for r, c, i, j in np.ndindex(*y.shape):
        left, top = rounded(boxes[r][:2]) * scale
        right, bottom = (rounded(boxes[r][2:]) + 1) * scale
        box = (left, top, max(right, left + 0.1), max(bottom, top + 0.1))
        values = x[IMAGES[r], (c * 3 + i) * 2 + j][bins_of(box, SIZE, x.shape[2:], i, j)]
        y[r, c, i, j] = values.mean() if values.size else 0
    return y


def case(name, x, ref, *options, **settings):
    """The op as a function of the feature map; gradients flow to it alone."""
    function = getattr(ops, name)

    def call(given):
        boxes = proa.to_tensor(BOXES).astype(given.dtype)
        return function(given, boxes, proa.to_tensor(COUNTS), SIZE, *options)

    return Case(call, (x,), ref=lambda x: ref(x, BOXES, *options), id=name, low=(), **settings)


CASES = [
    case("roi_align", randn(2, 4, 6, 7), align),
    case("roi_pool", distinct(2, 4, 6, 7), pool),
    case("psroi_pool", randn(2, 12, 6, 7), own_channel),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


@pytest.mark.parametrize("options", [(0.5, 2, True), (2.0, 1, False), (1.0, -1, False)])
def test_align_options(options):
    x = randn(2, 2, 6, 7)
    given = proa.to_tensor(x), proa.to_tensor(BOXES), proa.to_tensor(COUNTS)
    same(ops.roi_align(*given, SIZE, *options), align(x, BOXES, *options))


@pytest.mark.parametrize(("name", "ref"), [("roi_pool", pool), ("psroi_pool", own_channel)])
def test_scale(name, ref):
    x = randn(2, 6, 6, 7)
    given = proa.to_tensor(x), proa.to_tensor(BOXES), proa.to_tensor(COUNTS)
    same(getattr(ops, name)(*given, SIZE, 0.5), ref(x, BOXES, 0.5))


def test_the_first_of_equal_elements_gets_the_gradient():
    x = proa.ones([1, 1, 2, 2])
    x.stop_gradient = False
    ops.roi_pool(x, proa.to_tensor([[0.0, 0, 1, 1]]), proa.to_tensor([1]), 1).backward()
    assert x.grad.tolist() == [[[[1, 0], [0, 0]]]]


def test_boxes_get_no_gradient():
    x, boxes = proa.to_tensor(randn(2, 4, 6, 7)), proa.to_tensor(BOXES)
    boxes.stop_gradient = False
    ops.roi_align(x, boxes, proa.to_tensor(COUNTS), 2).sum().backward()
    assert not boxes.grad.numpy().any()


def test_a_box_without_area_gives_zeros():
    box = proa.to_tensor([[3.0, 3.0, 3.0, 3.0]])
    assert not ops.roi_align(proa.ones([1, 1, 4, 4]), box, proa.to_tensor([1]), 2).numpy().any()


def test_boxes_may_go_one_by_one_some_together_or_all(monkeypatch):
    boxes = jnp.asarray(np.tile(BOXES, (3, 1)), "float32")
    x = jnp.asarray(randn(2, 6, 6, 7), "float32")

    def square(x):
        # The op's array function, so that no compiled form of it is kept.
        return (ops.psroi_pool.op.fn(x, boxes, jnp.asarray([5, 7]), SIZE) ** 2).sum()

    one_by_one = jax.jit(jax.value_and_grad(square))(x)
    monkeypatch.setattr(_roi, "on_cpu", lambda: False)
    for limit in (6 * 6 * 7 * 5, 1 << 20):
        monkeypatch.setattr(_roi, "_AT_ONCE", limit)
        found = jax.jit(jax.value_and_grad(lambda x: square(x)))(x)
        np.testing.assert_allclose(found[0], one_by_one[0], rtol=1e-5)
        np.testing.assert_allclose(found[1], one_by_one[1], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["roi_align", "roi_pool", "psroi_pool"])
def test_no_boxes(name):
    x = proa.ones([2, 6, 4, 4])
    x.stop_gradient = False
    y = getattr(ops, name)(x, proa.zeros([0, 4]), proa.to_tensor([0, 0]), SIZE)
    assert y.shape == [0, 1 if name == "psroi_pool" else 6, 3, 2]
    y.sum().backward()
    assert not x.grad.numpy().any()


def test_layers():
    x, boxes = proa.to_tensor(randn(2, 6, 6, 7)), proa.to_tensor(BOXES)
    counts = proa.to_tensor(COUNTS)
    for layer, function in (
        (ops.RoIAlign, ops.roi_align),
        (ops.RoIPool, ops.roi_pool),
        (ops.PSRoIPool, ops.psroi_pool),
    ):
        made = layer(SIZE, spatial_scale=0.5)
        same(made(x, boxes, counts), function(x, boxes, counts, SIZE, 0.5).numpy())
    got = ops.RoIAlign(SIZE)(x, boxes, counts, aligned=False)
    same(got, ops.roi_align(x, boxes, counts, SIZE, aligned=False).numpy())
    assert repr(ops.RoIPool(2)) == "RoIPool(output_size=2, spatial_scale=1.0)"


X, B, N = proa.ones([1, 2, 4, 4]), proa.ones([2, 4]), proa.to_tensor([2])
ERRORS = [
    (lambda: ops.roi_align(proa.ones([2, 4, 4]), B, N, 2), r"feature map \[N, C, H, W\]"),
    (lambda: ops.roi_pool(X, proa.ones([2, 5]), N, 2), "`boxes` of `roi_pool`"),
    (lambda: ops.roi_pool(X, B, proa.to_tensor([1, 1]), 2), "one count per image"),
    (lambda: ops.roi_align(X, B, N, 0), "`output_size` of `roi_align` is 0"),
    (lambda: ops.psroi_pool(X, B, N, 2), "a multiple of 4 channels, one for each bin"),
    (lambda: ops.roi_align(X, B, proa.to_tensor([3]), 2), r"`boxes_num` is \[3\] for 2 boxes"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.ProaError, match=match):
        call()
