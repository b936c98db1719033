"""From a map of probabilities to the quadrilaterals of text lines.

The map is that of DB (Liao et al., Real-time scene text detection with differentiable
binarization, AAAI 2020): it is high on a text line shrunk to its core. Cores are found as
connected regions, enclosed in their smallest rectangle, and grown back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


def boxes_of_map(
    probabilities: np.ndarray,
    *,
    threshold: float = 0.3,
    min_score: float = 0.6,
    growth: float = 1.5,
    min_side: float = 3.0,
    max_boxes: int = 1000,
) -> list[tuple[np.ndarray, float]]:
    """Returns the boxes in a map and their scores.

    Args:
        probabilities: map [H, W] of values in 0..1.
        threshold: what counts as text.
        min_score: boxes whose mean probability is below go.
        growth: how far a box grows on each side, in units of area / circumference.
        min_side: boxes whose shorter side is below, in pixels, go.
        max_boxes: regions that are looked at, the first ones from the top.

    Returns:
        Pairs of corners [4, 2] as (x, y), clockwise from the upper left one, and score.
    """
    from scipy import ndimage

    regions: Any = ndimage.label(probabilities > threshold, np.ones((3, 3)))
    labels = regions[0]
    found = []
    for number, region in enumerate(ndimage.find_objects(labels)[:max_boxes], 1):
        rows, columns = np.nonzero(labels[region] == number)
        origin = np.array([region[1].start, region[0].start])
        corners, sides = smallest_rectangle(_outline(rows, columns) + origin)
        if min(sides) < min_side:
            continue
        score = mean_inside(probabilities, corners)
        if score < min_score:
            continue
        distance = growth * sides[0] * sides[1] / (2 * (sides[0] + sides[1]))
        if min(sides) + 2 * distance >= min_side + 2:
            found.append((_grown(corners, distance, probabilities.shape), score))
    return found


def _outline(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """First and last pixel of each row, as points (x, y): the hull needs no others."""
    top, count = rows.min(), np.ptp(rows) + 1
    first, last = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(first, rows - top, columns)
    np.maximum.at(last, rows - top, columns)
    height = np.flatnonzero(last >= 0)
    y = np.concatenate([height, height]) + top
    return np.stack([np.concatenate([first[height], last[height]]), y], 1).astype(float)


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull, in order (Andrew's monotone chain, 1979)."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return np.array(ordered)

    def half(row: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for x, y in row:
            while len(kept) > 1:
                (ax, ay), (bx, by) = kept[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                kept.pop()
            kept.append((x, y))
        return kept[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))


def smallest_rectangle(points: np.ndarray) -> tuple[np.ndarray, tuple[float, float]]:
    """The rectangle of least area around points: one side lies on the hull.

    Returns:
        Corners [4, 2], clockwise from the upper left one, and the lengths of two sides.
    """
    hull = convex_hull(points)
    edges = np.roll(hull, -1, 0) - hull
    angles = np.unique(np.mod(np.arctan2(edges[:, 1], edges[:, 0]), math.pi / 2))
    best, least = None, math.inf
    for angle in angles:
        axes = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
        turned = hull @ axes.T
        low, high = turned.min(0), turned.max(0)
        width, height = high - low
        if width * height < least:
            square = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
            best, least = (square @ axes, (float(width), float(height))), width * height
    if best is None:
        return np.repeat(hull[:1], 4, 0), (0.0, 0.0)
    return from_upper_left(best[0]), best[1]


def from_upper_left(corners: np.ndarray) -> np.ndarray:
    """Corners of a rectangle in clockwise order, from the upper left one on."""
    by_x = corners[np.argsort(corners[:, 0], kind="stable")]
    left, right = by_x[:2], by_x[2:]
    left, right = left[np.argsort(left[:, 1])], right[np.argsort(right[:, 1])]
    return np.array([left[0], right[0], right[1], left[1]])


def mean_inside(values: np.ndarray, corners: np.ndarray) -> float:
    """Mean of a map inside a quadrilateral."""
    from PIL import Image, ImageDraw

    height, width = values.shape
    low = np.clip(np.floor(corners.min(0)).astype(int), 0, [width - 1, height - 1])
    high = np.clip(np.ceil(corners.max(0)).astype(int), 0, [width - 1, height - 1])
    mask = Image.new("1", tuple((high - low + 1).tolist()))
    points = [tuple(p) for p in (corners - low).astype(int).tolist()]
    ImageDraw.Draw(mask).polygon(points, fill=1, outline=1)
    inside = values[low[1] : high[1] + 1, low[0] : high[0] + 1][np.asarray(mask)]
    return float(inside.mean()) if inside.size else 0.0


def _grown(corners: np.ndarray, distance: float, shape: tuple[int, ...]) -> np.ndarray:
    """The rectangle with each side moved outwards, inside the map."""
    across, down = corners[1] - corners[0], corners[3] - corners[0]
    across, down = (v / max(float(np.linalg.norm(v)), 1e-9) * distance for v in (across, down))
    moved = corners + np.array([-across - down, across - down, across + down, down - across])
    return np.clip(moved, 0, [shape[1] - 1, shape[0] - 1])


def reading_order(boxes: Sequence[np.ndarray], *, same_line: float = 10.0) -> list[int]:
    """Order of boxes: from the top to the bottom, from the left to the right in a line.

    Args:
        boxes: corners of each.
        same_line: boxes whose upper left corners differ in height by less, in pixels, stand
            in one line.
    """
    order = sorted(range(len(boxes)), key=lambda i: (boxes[i][0][1], boxes[i][0][0]))
    for end in range(1, len(order)):
        for i in range(end, 0, -1):
            above, here = boxes[order[i - 1]][0], boxes[order[i]][0]
            if abs(here[1] - above[1]) >= same_line or here[0] >= above[0]:
                break
            order[i - 1], order[i] = order[i], order[i - 1]
    return order
