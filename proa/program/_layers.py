"""A layered drawing of a graph: which box stands where, and how lines run between them.

After Sugiyama, Tagawa and Toda (Methods for visual understanding of hierarchical system
structures, 1981): layers by longest path, order by barycentres, places by pulling boxes towards
what they are connected with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

GAP_X, GAP_Y = 22.0, 30.0
_SWEEPS = 8


@dataclass
class Box:
    """A box of a drawing; `x` and `y` are its centre once it is placed."""

    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    layer: int = 0


@dataclass
class Drawing:
    """Boxes in layers.

    Attributes:
        boxes: the boxes, those that lines bend at last.
        edges: pairs of positions in `boxes`, from one layer to the next.
        routes: per edge that was asked for, the boxes it runs through.
        width: of the whole.
        height: of the whole.
    """

    boxes: list[Box]
    edges: list[tuple[int, int]] = field(default_factory=list)
    routes: list[list[int]] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0


def lay_out(boxes: Sequence[Box], edges: Sequence[tuple[int, int]]) -> Drawing:
    """Places boxes.

    Args:
        boxes: the boxes, in an order in which every edge leads on.
        edges: pairs of positions.
    """
    drawing = Drawing(list(boxes))
    _assign_layers(drawing.boxes, edges)
    _route(drawing, edges)
    rows = _ordered_rows(drawing)
    _place(drawing, rows)
    return drawing


def _assign_layers(boxes: list[Box], edges: Sequence[tuple[int, int]]) -> None:
    after: list[list[int]] = [[] for _ in boxes]
    before: list[list[int]] = [[] for _ in boxes]
    for a, b in edges:
        after[a].append(b)
        before[b].append(a)
    for i, box in enumerate(boxes):
        box.layer = max((boxes[a].layer + 1 for a in before[i]), default=0)
    for i in reversed(range(len(boxes))):
        # What waits for nothing stands where it is needed first.
        if after[i] and not before[i]:
            boxes[i].layer = max(min(boxes[b].layer for b in after[i]) - 1, 0)


def _route(drawing: Drawing, edges: Sequence[tuple[int, int]]) -> None:
    """Splits edges over several layers at boxes of no size."""
    boxes = drawing.boxes
    for a, b in edges:
        route = [a]
        for layer in range(boxes[a].layer + 1, boxes[b].layer):
            boxes.append(Box(4.0, 0.0, layer=layer))
            route.append(len(boxes) - 1)
        route.append(b)
        drawing.routes.append(route)
        drawing.edges += zip(route, route[1:], strict=False)


def _neighbours(drawing: Drawing) -> tuple[list[list[int]], list[list[int]]]:
    up: list[list[int]] = [[] for _ in drawing.boxes]
    down: list[list[int]] = [[] for _ in drawing.boxes]
    for a, b in drawing.edges:
        down[a].append(b)
        up[b].append(a)
    return up, down


def _ordered_rows(drawing: Drawing) -> list[list[int]]:
    rows: list[list[int]] = [
        [] for _ in range(max((b.layer for b in drawing.boxes), default=0) + 1)
    ]
    for i, box in enumerate(drawing.boxes):
        rows[box.layer].append(i)
    up, down = _neighbours(drawing)
    rank = {i: float(k) for row in rows for k, i in enumerate(row)}
    for sweep in range(_SWEEPS):
        sides = up if sweep % 2 == 0 else down
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            centre = {
                i: sum(rank[j] for j in sides[i]) / len(sides[i]) if sides[i] else rank[i]
                for i in row
            }
            row.sort(key=lambda i: centre[i])
            rank.update({i: float(k) for k, i in enumerate(row)})
    return rows


def _place(drawing: Drawing, rows: list[list[int]]) -> None:
    boxes = drawing.boxes
    y = 0.0
    for row in rows:
        tallest = max((boxes[i].height for i in row), default=0.0)
        x = 0.0
        for i in row:
            # A line goes straight down past the boxes of a row.
            boxes[i].height = boxes[i].height or tallest
            boxes[i].x, boxes[i].y = x + boxes[i].width / 2, y + tallest / 2
            x += boxes[i].width + GAP_X
        y += tallest + GAP_Y
    up, down = _neighbours(drawing)
    for sweep in range(_SWEEPS):
        sides = up if sweep % 2 == 0 else down
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            _pull(boxes, row, sides)
    left = min((b.x - b.width / 2 for b in boxes), default=0.0)
    for box in boxes:
        box.x -= left
    drawing.width = max((b.x + b.width / 2 for b in boxes), default=0.0)
    drawing.height = max(y - GAP_Y, 0.0)


def _pull(boxes: list[Box], row: list[int], sides: list[list[int]]) -> None:
    """Moves the boxes of a row towards their neighbours, in their order and apart."""
    wanted = {}
    for i in row:
        # What hangs at one box only does not pull it: else a chain drifts to one side.
        others = [j for j in sides[i] if sides[j]] or sides[i]
        wanted[i] = sum(boxes[j].x for j in others) / len(others) if others else boxes[i].x
    # From the left and from the right: the mean of both keeps a row balanced.
    forward, backward = {}, {}
    edge = float("-inf")
    for i in row:
        forward[i] = max(wanted[i], edge + boxes[i].width / 2)
        edge = forward[i] + boxes[i].width / 2 + GAP_X
    edge = float("inf")
    for i in reversed(row):
        backward[i] = min(wanted[i], edge - boxes[i].width / 2)
        edge = backward[i] - boxes[i].width / 2 - GAP_X
    for i in row:
        boxes[i].x = (forward[i] + backward[i]) / 2
