from __future__ import annotations

from proa.program._layers import GAP_X, Box, lay_out


def overlaps(boxes):
    found = []
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            if a.layer == b.layer and abs(a.x - b.x) < (a.width + b.width) / 2 + GAP_X - 1e-6:
                found.append((a, b))
    return found


def test_layers_follow_the_longest_path():
    boxes = [Box(40, 20) for _ in range(4)]
    drawing = lay_out(boxes, [(0, 1), (1, 2), (0, 3), (2, 3)])
    assert [b.layer for b in boxes] == [0, 1, 2, 3]
    assert [b.y for b in boxes] == sorted(b.y for b in boxes)
    # The edge over two layers bends past the boxes between.
    assert [len(route) for route in drawing.routes] == [2, 2, 4, 2]
    assert len(drawing.boxes) == 6
    assert not overlaps(drawing.boxes)
    assert drawing.height == 4 * 20 + 3 * 30


def test_what_waits_for_nothing_stands_where_it_is_needed():
    boxes = [Box(10, 10) for _ in range(4)]
    lay_out(boxes, [(0, 1), (1, 3), (2, 3)])
    assert boxes[2].layer == 1


def test_crossings_are_taken_out():
    boxes = [Box(30, 10) for _ in range(6)]
    lay_out(boxes, [(0, 5), (1, 4), (2, 3)])
    assert [b.x for b in boxes[:3]] == [b.x for b in (boxes[5], boxes[4], boxes[3])]
    assert not overlaps(boxes)


def test_wide_rows_stay_apart_and_inside():
    boxes = [Box(20 + 7 * i, 10) for i in range(12)]
    drawing = lay_out([Box(10, 10), *boxes], [(0, i + 1) for i in range(12)])
    assert not overlaps(drawing.boxes)
    assert min(b.x - b.width / 2 for b in drawing.boxes) >= -1e-6
    assert max(b.x + b.width / 2 for b in drawing.boxes) <= drawing.width + 1e-6


def test_nothing_is_a_drawing_too():
    assert lay_out([], []).width == 0.0
