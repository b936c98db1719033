"""Transforms without chance: values of Paddle."""

from __future__ import annotations

import numpy as np
import pytest

from proa.core import InvalidArgumentError
from proa.vision import transforms as T
from tests.vision.transforms.images import ARRAY, check, image

CALLS = {
    "Normalize": lambda x: T.Normalize(0.5, 0.2, "CHW" if hasattr(x, "numpy") else "HWC")(x),
    "Transpose": lambda x: T.Transpose()(x),
    "Resize": lambda x: T.Resize(4)(x),
    "CenterCrop": lambda x: T.CenterCrop(5)(x),
    "Pad": lambda x: T.Pad(2)(x),
    "Grayscale": lambda x: T.Grayscale()(x),
    "ToTensor": lambda x: T.ToTensor()(x),
}


@pytest.mark.parametrize("label", CALLS)
def test_values_are_those_of_paddle(label: str) -> None:
    check(label, CALLS[label])


def test_arrays() -> None:
    assert T.Transpose()(ARRAY[..., 0]).shape == (1, 12, 16)
    assert T.Transpose((1, 0, 2))(ARRAY).shape == (16, 12, 3)
    np.testing.assert_array_equal(T.CenterCrop(5)(ARRAY), np.asarray(T.CenterCrop(5)(image("pil"))))


def test_bad_arguments() -> None:
    with pytest.raises(InvalidArgumentError, match="`size` is .1, 2, 3.\n"):
        T.Resize((1, 2, 3))
