"""Random colours draw what Paddle draws from the same seeds."""

from __future__ import annotations

import numpy as np
import pytest

from proa.core import InvalidArgumentError
from proa.vision import transforms as T
from tests.vision.transforms.images import ARRAY, check, image

CALLS = {
    "BrightnessTransform": lambda x: T.BrightnessTransform(0.4)(x),
    "ContrastTransform": lambda x: T.ContrastTransform(0.4)(x),
    "SaturationTransform": lambda x: T.SaturationTransform(0.4)(x),
    "HueTransform": lambda x: T.HueTransform(0.2)(x),
    "ColorJitter": lambda x: T.ColorJitter(0.4, 0.4, 0.4, 0.2)(x),
}


@pytest.mark.parametrize("label", CALLS)
def test_values_are_those_of_paddle(label: str) -> None:
    check(label, CALLS[label])


def test_arrays_give_what_images_give() -> None:
    transform = T.ContrastTransform((0.5, 0.5))
    np.testing.assert_array_equal(transform(ARRAY), np.asarray(transform(image("pil"))))


def test_nothing_to_do() -> None:
    assert T.HueTransform(0)(ARRAY) is ARRAY


def test_bad_arguments() -> None:
    with pytest.raises(InvalidArgumentError, match="`brightness` is -1\n  Expected: a number >= 0"):
        T.ColorJitter(-1)
    with pytest.raises(InvalidArgumentError, match="`hue` is 0.7\n"):
        T.ColorJitter(hue=0.7)
