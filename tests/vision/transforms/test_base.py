"""Transforms take items apart by their keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

import proa
from proa.core import InvalidArgumentError
from proa.vision import transforms as T
from proa.vision.transforms import BaseTransform, Compose, Normalize, Resize
from proa.vision.transforms._base import _merged


class Double(BaseTransform):
    def _apply_image(self, image: int) -> int:
        return 2 * image

    _apply_mask = _apply_image


def test_parts_of_an_item() -> None:
    assert Double()(3) == 6
    assert Double()((3, 4)) == (6, 4)
    assert Double(("image", None, "mask"))((3, 4, 5, 6)) == (6, 4, 10, 6)


def test_what_is_not_written() -> None:
    for key in ("coords", "boxes"):
        with pytest.raises(NotImplementedError, match=f"Double has no _apply_{key}"):
            Double((key,))(3)
    with pytest.raises(NotImplementedError, match="Resize has no _apply_mask"):
        Resize(3, keys=("mask",))(3)
    with pytest.raises(NotImplementedError, match="has no _apply_image"):
        BaseTransform()(3)


def test_bad_keys() -> None:
    with pytest.raises(InvalidArgumentError, match="`keys` has 'label'\n"):
        Double(("image", "label"))
    with pytest.raises(InvalidArgumentError, match="`keys` is 'image'\n"):
        Double("image")


def test_compose() -> None:
    both = Compose([Double(), lambda value: value + 1])
    assert both(3) == 7
    assert repr(Compose([Normalize()])).startswith("Compose(\n    <proa.vision")


@pytest.mark.parametrize("kind", ["RGB", "L", "RGBA", "1", "I", "array", "float", "tensor"])
def test_two_transforms_in_one_pass_give_the_same_bits(kind: str) -> None:
    pixels = np.random.default_rng(3).integers(0, 256, [7, 5, 4], dtype="uint8")
    image: Any = Image.fromarray(pixels, "RGBA")
    if kind == "array":
        image = pixels[..., :3]
    elif kind == "float":
        image = pixels[..., :3] / 7.0
    elif kind == "tensor":
        image = proa.to_tensor(pixels[..., :3].transpose(2, 0, 1) / np.float32(255))
    elif kind != "RGBA":
        image = image.convert(kind)
    count = {"L": 1, "1": 1, "I": 1, "RGBA": 4}.get(kind, 3)
    both = [T.ToTensor(), T.Normalize([0.485, 0.456, 0.406, 0.4][:count], [0.229] * count)]
    merged = T.Compose(both)(image)
    apart = both[1](both[0](image))
    assert type(merged) is type(apart)
    assert merged.dtype == apart.dtype
    np.testing.assert_array_equal(merged.numpy(), apart.numpy())


@pytest.mark.parametrize(
    "second",
    [
        T.Normalize([0.5], [0.5], data_format="HWC"),
        T.Normalize([0.5], [0.5], keys=(None, "image")),
        type("Mine", (T.Normalize,), {"_apply_image": lambda self, image: image * 0})([0.5], [0.5]),
    ],
)
def test_what_is_not_one_pass(second: Any) -> None:
    assert len(_merged([T.ToTensor(), second])) == 2


def test_a_list_of_transforms_may_change() -> None:
    transforms: list[Any] = [T.ToTensor()]
    composed = T.Compose(transforms)
    image = np.full([1, 1, 1], 255, "uint8")
    assert composed(image).tolist() == [[[1.0]]]
    transforms.append(T.Normalize([0.5], [0.5]))
    assert composed((image, 4))[1] == 4
    assert composed(image).tolist() == [[[1.0]]]
    transforms[1].mean = [0.0]
    assert composed(image).tolist() == [[[2.0]]]
