"""Transforms take items apart by their keys."""

from __future__ import annotations

import pytest

from proa.core import InvalidArgumentError
from proa.vision.transforms import BaseTransform, Compose, Normalize, Resize


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
