"""Kinds of images are told apart; what is none is named."""

from __future__ import annotations

import numpy as np
import pytest

from proa.core import InvalidArgumentError, InvalidTypeError, ProaError
from proa.vision.transforms import functional
from proa.vision.transforms.functional._kinds import kind_of, size_of, two_numbers
from tests.vision.transforms.images import ARRAY, image


def test_kinds_and_sizes() -> None:
    for value, kind in ((ARRAY, "array"), (image("pil"), "pil"), (image("tensor"), "tensor")):
        assert (kind_of(value), size_of(value)) == (kind, (12, 16))


def test_questions_of_transforms_of_ones_own() -> None:
    asks = (functional._is_pil_image, functional._is_numpy_image, functional._is_tensor_image)
    images = (image("pil"), ARRAY, image("tensor"))
    for i, ask in enumerate(asks):
        assert [ask(each) for each in images] == [i == j for j in range(3)]


@pytest.mark.parametrize("value", [[[1]], np.zeros(3), image("tensor")[0]])
def test_what_is_no_image(value: object) -> None:
    with pytest.raises(InvalidTypeError, match="the image is a .*\n  Expected: a PIL image, an"):
        kind_of(value)


def test_two_numbers() -> None:
    assert two_numbers(3, "size") == (3, 3)
    assert two_numbers([3, 4], "size") == (3, 4)
    with pytest.raises(InvalidArgumentError, match="`size` is .3,.\n"):
        two_numbers((3,), "size")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("resize", (None,)),
        ("pad", ("x",)),
        ("crop", (0, 0, "x", 1)),
        ("normalize", ([1.0, 2.0], [1.0])),
        ("erase", (0, 0, None, 1, 0)),
        ("perspective", (1, 2)),
        ("affine", (0, (0, 0), "x", (0, 0))),
        ("rotate", ([1],)),
        ("adjust_hue", (ARRAY,)),
    ],
)
@pytest.mark.parametrize("kind", ["pil", "tensor"])
def test_wrong_arguments_are_named(name: str, arguments: tuple, kind: str) -> None:
    with pytest.raises(ProaError) as caught:
        getattr(functional, name)(image(kind), *arguments)
    assert caught.value.got
    assert caught.value.expected
    assert caught.value.fix
