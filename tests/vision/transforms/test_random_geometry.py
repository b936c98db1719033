"""Random crops and warps draw what Paddle draws from the same seeds."""

from __future__ import annotations

import numpy as np
import pytest

from proa.core import InvalidArgumentError
from proa.vision import transforms as T
from tests.vision.transforms.images import ARRAY, check, image

CALLS = {
    "RandomHorizontalFlip": lambda x: T.RandomHorizontalFlip()(x),
    "RandomVerticalFlip": lambda x: T.RandomVerticalFlip()(x),
    "RandomCrop": lambda x: T.RandomCrop(5)(x),
    "RandomCrop padded": lambda x: T.RandomCrop(14, 2)(x),
    "RandomCrop needed": lambda x: T.RandomCrop(20, None, True)(x),
    "RandomResizedCrop": lambda x: T.RandomResizedCrop(5)(x),
    "RandomRotation": lambda x: T.RandomRotation(40)(x),
    "RandomAffine": lambda x: T.RandomAffine(40, (0.1, 0.2), (0.5, 1.0), 10)(x),
    "RandomErasing": lambda x: T.RandomErasing(1.0)(x),
}


@pytest.mark.parametrize("label", CALLS)
def test_values_are_those_of_paddle(label: str) -> None:
    check(label, CALLS[label])


def test_perspective_moves_the_corners() -> None:
    moved = T.RandomPerspective(1.0)(ARRAY)
    assert moved.shape == ARRAY.shape
    assert (moved != ARRAY).any()
    assert T.RandomPerspective(0.0)(ARRAY) is ARRAY


@pytest.mark.parametrize("value", [5, [1, 2, 3], "random"])
def test_erasing_arrays_and_tensors(value: object) -> None:
    for picture in (ARRAY, image("tensor")):
        erased = T.RandomErasing(1.0, value=value)(picture)
        assert list(erased.shape) == list(picture.shape)
        assert (np.asarray(erased) != np.asarray(picture)).any()


def test_a_part_that_fits_nowhere() -> None:
    assert T.RandomResizedCrop(4, ratio=(90, 91))(ARRAY).shape == (4, 4, 3)


def test_bad_arguments() -> None:
    with pytest.raises(
        InvalidArgumentError, match="RandomCrop of 30x30: the image has 12x16 pixels"
    ):
        T.RandomCrop(30)(ARRAY)
    with pytest.raises(InvalidArgumentError, match="`prob` is 2\n"):
        T.RandomHorizontalFlip(2)
    with pytest.raises(InvalidArgumentError, match="`degrees` is -3\n"):
        T.RandomRotation(-3)
    with pytest.raises(InvalidArgumentError, match="`translate` is .3, 4.\n"):
        T.RandomAffine(0, (3, 4))
    with pytest.raises(InvalidArgumentError, match="`distortion_scale` is 2\n"):
        T.RandomPerspective(distortion_scale=2)
