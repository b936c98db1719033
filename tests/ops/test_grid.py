from __future__ import annotations

import itertools

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, randn, same, uniform


def read(image, index, sizes):
    inside = all(0 <= i < s for i, s in zip(index, sizes, strict=True))
    return image[(slice(None), *index)] if inside else 0.0


def sampled(x, grid, mode="bilinear", outside="zeros", corners=True):
    rank = x.ndim - 2
    sizes = x.shape[2:]
    y = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
    for place in np.ndindex(*grid.shape[:-1]):
        at = []
        for coordinate, size in zip(grid[place][::-1], sizes, strict=True):
            low, high = (0, size - 1) if corners else (-0.5, size - 0.5)
            p = low + (coordinate + 1) / 2 * (high - low)
            if outside == "reflection":
                while p < low or p > high:
                    p = 2 * low - p if p < low else 2 * high - p
            at.append(p if outside == "zeros" else np.clip(p, 0, size - 1))
        image, target = x[place[0]], (place[0], slice(None), *place[1:])
        if mode == "nearest":
            y[target] = read(image, [int(np.rint(p)) for p in at], sizes)
            continue
        for corner in itertools.product((0, 1), repeat=rank):
            floors = [int(np.floor(p)) for p in at]
            weight = np.prod(
                [p - f if c else 1 - p + f for p, f, c in zip(at, floors, corner, strict=True)]
            )
            index = [f + c for f, c in zip(floors, corner, strict=True)]
            y[target] += weight * read(image, index, sizes)
    return y


def points(theta, sizes, corners=True):
    lines = []
    for extent in sizes[2:]:
        index = np.arange(extent)
        lines.append(2 * index / (extent - 1) - 1 if corners else (2 * index + 1) / extent - 1)
    mesh = np.meshgrid(*lines, indexing="ij")[::-1]
    homogeneous = np.stack([*mesh, np.ones_like(mesh[0])], -1)
    return np.einsum("...k,nik->n...i", homogeneous, theta)


CASES = [
    Case(
        F.grid_sample,
        (randn(4, 2, 3, 4), uniform(-1.3, 1.3, 4, 2, 2, 2)),
        ref=sampled,
        low=(),
    ),
    Case(
        F.grid_sample,
        (randn(4, 1, 2, 3, 2), uniform(-1.3, 1.3, 4, 1, 2, 2, 3), "bilinear", "border", False),
        ref=sampled,
        low=(),
    ),
    Case(
        lambda theta: F.affine_grid(theta, [4, 1, 2, 3]),
        (randn(4, 2, 3),),
        ref=lambda theta: points(theta, (4, 1, 2, 3)),
        id="affine_grid",
    ),
    Case(
        lambda theta: F.affine_grid(theta, [4, 1, 2, 3, 2], align_corners=False),
        (randn(4, 3, 4),),
        ref=lambda theta: points(theta, (4, 1, 2, 3, 2), False),
        id="affine_grid",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize("outside", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_modes(mode, outside, corners):
    x, grid = randn(1, 2, 3, 4), uniform(-3, 3, 1, 3, 3, 2)
    got = F.grid_sample(proa.to_tensor(x), proa.to_tensor(grid), mode, outside, corners)
    same(got, sampled(x, grid, mode, outside, corners))


def test_identity():
    x = randn(2, 3, 4, 5)
    theta = proa.to_tensor(np.tile(np.eye(2, 3), (2, 1, 1)))
    for corners in (True, False):
        grid = F.affine_grid(theta, [2, 3, 4, 5], corners)
        same(F.grid_sample(proa.to_tensor(x), grid, align_corners=corners), x)


X = proa.zeros([1, 1, 2, 2])
ERRORS = [
    (lambda: F.grid_sample(X, proa.zeros([1, 2, 2, 3])), "check the grid's last axis"),
    (lambda: F.grid_sample(X, proa.zeros([1, 2, 2, 2]), "bicubic"), "'bilinear' or 'nearest'"),
    (lambda: F.affine_grid(proa.zeros([1, 2, 2]), [1, 1, 2, 2]), "theta \\[N, 2, 3\\]"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()
