from __future__ import annotations

import numpy as np
import pytest

from proa.suites.ocr import boxes_of_map, reading_order
from proa.suites.ocr._boxes import (
    convex_hull,
    from_upper_left,
    mean_inside,
    smallest_rectangle,
)


def test_hull_of_points_inside_and_on_its_edges():
    points = np.array([[0, 0], [2, 0], [1, 1], [2, 2], [0, 2], [1, 0], [0, 0]])
    assert convex_hull(points).tolist() == [[0, 0], [2, 0], [2, 2], [0, 2]]
    assert convex_hull(points[:2]).tolist() == [[0, 0], [2, 0]]


def test_smallest_rectangle_of_a_turned_one():
    turn = np.array([[0.8, 0.6], [-0.6, 0.8]])
    square = np.array([[0.0, 0], [10, 0], [10, 4], [0, 4]]) @ turn
    corners, sides = smallest_rectangle(np.concatenate([square, square.mean(0)[None]]))
    np.testing.assert_allclose(np.sort(sides), [4, 10])
    np.testing.assert_allclose(corners, from_upper_left(square), atol=1e-9)


def test_a_point_is_a_rectangle_without_sides():
    corners, sides = smallest_rectangle(np.array([[3.0, 4.0]]))
    assert (corners.tolist(), sides) == ([[3, 4]] * 4, (0, 0))


def test_corners_begin_at_the_upper_left():
    corners = np.array([[5, 5], [0, 0], [5, 0], [0, 5]])
    assert from_upper_left(corners).tolist() == [[0, 0], [5, 0], [5, 5], [0, 5]]


def test_the_mean_inside_counts_no_pixel_outside():
    values = np.zeros((10, 10))
    values[2:5, 3:8] = 0.5
    assert mean_inside(values, np.array([[3, 2], [7, 2], [7, 4], [3, 4]])) == pytest.approx(0.5)
    assert mean_inside(values, np.array([[-5, -5], [-4, -5], [-4, -4], [-5, -4]])) == 0.0


def test_boxes_are_grown_back_and_weak_or_small_ones_go():
    values = np.zeros((60, 100))
    values[10:21, 20:61] = 0.9  # 40 x 10 between the centres of its pixels
    values[40:51, 20:61] = 0.4
    values[5, 90] = 1.0
    ((corners, score),) = boxes_of_map(values)
    assert score == pytest.approx(0.9)
    distance = 1.5 * 400 / 100
    expected = [[20, 10], [60, 10], [60, 20], [20, 20]] + distance * np.array(
        [[-1, -1], [1, -1], [1, 1], [-1, 1]]
    )
    np.testing.assert_allclose(corners, expected)
    assert len(boxes_of_map(values, min_score=0.3)) == 2
    assert boxes_of_map(values * 0) == []


def test_lines_are_read_from_the_top_and_from_the_left():
    def box(x, y):
        return np.array([[x, y], [x + 5, y], [x + 5, y + 5], [x, y + 5]], float)

    assert reading_order([box(50, 3), box(0, 40), box(10, 8)]) == [2, 0, 1]
    assert reading_order([]) == []
