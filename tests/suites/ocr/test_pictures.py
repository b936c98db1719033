from __future__ import annotations

import numpy as np
import pytest

from proa.suites.ocr._pictures import as_picture, cut_out, for_detector, for_line

Image = pytest.importorskip("PIL.Image")


def test_pictures_of_all_kinds(tmp_path):
    array = np.zeros((2, 3, 3), np.uint8)
    array[..., 0] = 255
    made = as_picture(array)
    made.save(tmp_path / "red.png")
    for source in (array, made, tmp_path / "red.png", made.convert("RGBA")):
        assert np.array_equal(np.asarray(as_picture(source)), array)


def test_the_detector_sees_blue_first_and_sides_that_it_can_halve():
    array = np.zeros((100, 2000, 3), np.uint8)
    array[..., 2] = 255
    made = for_detector(as_picture(array), 960, 32)
    assert made.shape == (1, 3, 64, 960)
    np.testing.assert_allclose(made[0, 0], (1 - 0.485) / 0.229, rtol=1e-5)
    np.testing.assert_allclose(made[0, 2], -0.406 / 0.225, rtol=1e-5)
    assert for_detector(as_picture(array[:1, :1]), 960, 32).shape == (1, 3, 32, 32)


def test_a_line_keeps_its_form():
    made = for_line(as_picture(np.full((10, 20, 3), 255, np.uint8)), 48, 320)
    assert made.shape == (3, 48, 320)
    assert (made[:, :, :96] == 1).all()
    assert (made[:, :, 96:] == 0).all()
    assert for_line(as_picture(np.zeros((10, 900, 3), np.uint8)), 48, 320).shape == (3, 48, 320)


def test_a_quadrilateral_is_cut_out():
    array = np.zeros((40, 60, 3), np.uint8)
    array[10:20, 20:50] = 200
    corners = np.array([[20, 10], [50, 10], [50, 20], [20, 20]], float)
    made = np.asarray(cut_out(as_picture(array), corners))
    assert made.shape == (10, 30, 3)
    assert (made[1:-1, 1:-1] == 200).all()
    assert cut_out(as_picture(array), corners[:, ::-1][[0, 3, 2, 1]]).size == (30, 10)
