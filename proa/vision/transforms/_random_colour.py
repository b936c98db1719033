"""Random changes of colours. All draws come from Python's `random`."""

from __future__ import annotations

import random
from typing import Any

from . import functional as F
from ._base import BaseTransform, pair_of_range


class _Random(BaseTransform):
    """Draws a factor and applies one function with it."""

    _name = ""
    _middle, _low, _high = 1.0, 0.0, float("inf")

    def __init__(self, value: Any, keys: Any = None) -> None:
        super().__init__(keys)
        self.value = pair_of_range(value, self._name, self._middle, self._low, self._high)

    def _apply_image(self, image: Any) -> Any:
        if self.value is None:
            return image
        factor = random.uniform(*self.value)
        return getattr(F, f"adjust_{self._name}")(image, factor)


class BrightnessTransform(_Random):
    """Multiplies all values by a random factor.

    Args:
        value: the factor comes from `[max(0, 1 - value), 1 + value]`, or is a range itself.
        keys: see `BaseTransform`.

    Raises:
        InvalidArgumentError: `value` is negative.
    """

    _name = "brightness"


class ContrastTransform(_Random):
    """Changes the contrast by a random factor.

    Args:
        value: the factor comes from `[max(0, 1 - value), 1 + value]`, or is a range itself.
        keys: see `BaseTransform`.

    Raises:
        InvalidArgumentError: `value` is negative.
    """

    _name = "contrast"


class SaturationTransform(_Random):
    """Changes the saturation by a random factor.

    Args:
        value: the factor comes from `[max(0, 1 - value), 1 + value]`, or is a range itself.
        keys: see `BaseTransform`.

    Raises:
        InvalidArgumentError: `value` is negative.
    """

    _name = "saturation"


class HueTransform(_Random):
    """Turns the hues by a random part of the circle.

    Args:
        value: the part comes from `[-value, value]`, at most 0.5, or is a range itself.
        keys: see `BaseTransform`.

    Raises:
        InvalidArgumentError: `value` is negative or above 0.5.
    """

    _name = "hue"
    _middle, _low, _high = 0.0, -0.5, 0.5


class ColorJitter(BaseTransform):
    """Changes brightness, contrast, saturation and hue at random, in random order.

    Args:
        brightness: see `BrightnessTransform`.
        contrast: see `ContrastTransform`.
        saturation: see `SaturationTransform`.
        hue: see `HueTransform`.
        keys: see `BaseTransform`.

    Raises:
        InvalidArgumentError: an argument is out of its range.

    Example:
        >>> import numpy
        >>> from proa.vision.transforms import ColorJitter
        >>> image = numpy.zeros([4, 4, 3], "uint8")
        >>> ColorJitter(0.4, 0.4, 0.4, 0.1)(image).shape
        (4, 4, 3)
    """

    def __init__(
        self,
        brightness: Any = 0,
        contrast: Any = 0,
        saturation: Any = 0,
        hue: Any = 0,
        keys: Any = None,
    ) -> None:
        super().__init__(keys)
        self.brightness, self.contrast = brightness, contrast
        self.saturation, self.hue = saturation, hue
        self._parts = [
            BrightnessTransform(brightness),
            ContrastTransform(contrast),
            SaturationTransform(saturation),
            HueTransform(hue),
        ]

    def _apply_image(self, image: Any) -> Any:
        parts = list(self._parts)
        random.shuffle(parts)
        for part in parts:
            image = part(image)
        return image
