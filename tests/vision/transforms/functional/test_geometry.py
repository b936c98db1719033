"""Resize, pad, crop, flip, erase: values of Paddle, arrays as images."""

from __future__ import annotations

import numpy as np
import pytest

from proa.core import InvalidArgumentError, InvalidTypeError
from proa.vision.transforms import functional as F
from tests.vision.transforms.images import ARRAY, check, image

CALLS = {
    "resize 4": lambda x: F.resize(x, 4),
    "resize nearest": lambda x: F.resize(x, (5, 9), "nearest"),
    "resize bilinear": lambda x: F.resize(x, (5, 9)),
    "resize up": lambda x: F.resize(x, (19, 23), "bicubic"),
    "pad 1": lambda x: F.pad(x, 1),
    "pad reflect": lambda x: F.pad(x, (1, 2, 3, 0), 0, "reflect"),
    "pad edge": lambda x: F.pad(x, (1, 2), 0, "edge"),
    "pad symmetric": lambda x: F.pad(x, (1, 2, 3, 0), 0, "symmetric"),
    "crop": lambda x: F.crop(x, 1, 2, 3, 4),
    "crop over": lambda x: F.crop(x, 8, 4, 10, 15),
    "center_crop 3": lambda x: F.center_crop(x, 3),
    "center_crop 5, 2": lambda x: F.center_crop(x, (5, 2)),
    "hflip": lambda x: F.hflip(x),
    "vflip": lambda x: F.vflip(x),
    "erase": lambda x: F.erase(x, 1, 2, 2, 3, 0),
}


@pytest.mark.parametrize("label", CALLS)
def test_values_are_those_of_paddle(label: str) -> None:
    check(label, CALLS[label])


@pytest.mark.parametrize("label", [label for label in CALLS if label != "crop over"])
def test_arrays_give_what_images_give(label: str) -> None:
    found = CALLS[label](ARRAY)
    np.testing.assert_array_equal(found, np.asarray(CALLS[label](image("pil"))))
    assert found.dtype == np.uint8


def test_floats_and_one_channel() -> None:
    floats = F.resize(ARRAY[..., :1].astype("float64"), (6, 8))
    assert (floats.shape, floats.dtype) == ((6, 8, 1), np.float64)
    whole = F.resize(ARRAY[..., :2], (6, 8))
    np.testing.assert_allclose(whole[..., :1], floats, atol=1)


def test_erase_in_place() -> None:
    array = ARRAY.copy()
    assert F.erase(array, 0, 0, 2, 2, 9, inplace=True) is array
    assert array[0, 0].tolist() == [9, 9, 9]
    tensor = image("tensor")
    assert F.erase(tensor, 0, 0, 2, 2, 9.0, inplace=True) is tensor
    assert float(tensor[0, 0, 0]) == 9


def test_symmetric_borders_of_tensors() -> None:
    padded = F.pad(image("tensor"), 2, 0, "symmetric").numpy()
    np.testing.assert_allclose(padded[0, :2, 2:-2], padded[0, 3:1:-1, 2:-2])


def test_bad_arguments() -> None:
    with pytest.raises(
        InvalidArgumentError, match="`padding` is .1, 2, 3.\n  Expected: one number"
    ):
        F.pad(ARRAY, (1, 2, 3))
    with pytest.raises(InvalidArgumentError, match="`padding_mode` is 'wrap'"):
        F.pad(ARRAY, 1, 0, "wrap")
    with pytest.raises(InvalidArgumentError, match="`size` is .1, 2, 3.\n"):
        F.resize(ARRAY, (1, 2, 3))
    with pytest.raises(InvalidArgumentError, match="`size` is 0 for an image of 12x16"):
        F.resize(ARRAY, 0)
    with pytest.raises(InvalidTypeError, match="the image is a str\n"):
        F.hflip("a")
