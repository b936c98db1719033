"""Rotation, affine maps and perspective: values of Paddle, arrays as images."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from proa.core import InvalidArgumentError
from proa.vision.transforms import functional as F
from tests.vision.transforms.images import ARRAY, check, image

CORNERS = [[0, 0], [15, 0], [15, 11], [0, 11]]
MOVED = [[1, 0], [13, 1], [14, 10], [0, 9]]
CALLS = {
    "rotate": lambda x: F.rotate(x, 30),
    "rotate bilinear": lambda x: F.rotate(x, 30, "bilinear"),
    "rotate expand": lambda x: F.rotate(x, -70, "nearest", True),
    "rotate center": lambda x: F.rotate(x, 30, "nearest", False, (3, 5), 7),
    "affine": lambda x: F.affine(x, 20, [1, 2], 1.2, [5, 3]),
    "affine bilinear": lambda x: F.affine(x, 20, [1, 2], 1.2, [5, 3], "bilinear"),
    "affine shear": lambda x: F.affine(x, 0, [0, 0], 1.0, [15, 0]),
    "perspective": lambda x: F.perspective(x, CORNERS, MOVED),
}


@pytest.mark.parametrize("label", CALLS)
def test_values_are_those_of_paddle(label: str) -> None:
    check(label, CALLS[label])


@pytest.mark.parametrize("label", CALLS)
def test_arrays_give_what_images_give(label: str) -> None:
    np.testing.assert_array_equal(CALLS[label](ARRAY), np.asarray(CALLS[label](image("pil"))))


def test_bad_arguments() -> None:
    with pytest.raises(InvalidArgumentError, match="`scale` 0\n"):
        F.affine(ARRAY, 0, [0, 0], 0, 0)
    with pytest.raises(InvalidArgumentError, match="1 `startpoints` and 4 `endpoints`"):
        F.perspective(ARRAY, CORNERS[:1], MOVED)
    with pytest.raises(InvalidArgumentError, match="`interpolation` is 'cubic'\n"):
        F.rotate(ARRAY, 3, "cubic")


def test_what_comes_in_beside_a_turned_image_is_opaque() -> None:
    picture = Image.fromarray(np.zeros([4, 4, 4], "uint8"))
    assert F.rotate(picture, 45, fill=7).getpixel((0, 0)) == (7, 7, 7, 255)
    assert F.affine(picture, 45, (0, 0), 1.0, (0, 0)).getpixel((0, 0)) == (0, 0, 0, 0)
