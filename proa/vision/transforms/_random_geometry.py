"""Random crops, flips and warps. All draws come from Python's `random`."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, Tensor

from . import functional as F
from ._base import BaseTransform
from .functional._kinds import kind_of, size_of, two_numbers


def _probability(prob: float) -> float:
    if not 0 <= prob <= 1:
        raise InvalidArgumentError(
            f"`prob` is {prob!r}", expected="a number from 0 to 1", fix="pass prob=0.5"
        )
    return prob


def _degrees(value: Any, name: str) -> tuple[float, float]:
    ends = (-value, value) if isinstance(value, int | float) else tuple(value)
    if len(ends) != 2 or ends[0] > ends[1]:
        raise InvalidArgumentError(
            f"`{name}` is {value!r}",
            expected="a number of degrees >= 0, or a range (low, high)",
            fix=f"pass {name}=10 for -10 to 10 degrees",
        )
    return ends[0], ends[1]


def _log_uniform(ends: Sequence[float]) -> float:
    """Draws a number whose logarithm is uniform."""
    return math.exp(np.random.uniform(math.log(ends[0]), math.log(ends[1])))


class RandomHorizontalFlip(BaseTransform):
    """Turns left to right with a probability.

    Args:
        prob: the probability.
        keys: see `BaseTransform`.

    Raises:
        InvalidArgumentError: `prob` is not from 0 to 1.
    """

    def __init__(self, prob: float = 0.5, keys: Any = None) -> None:
        super().__init__(keys)
        self.prob = _probability(prob)

    def _get_params(self, inputs: Any) -> bool:
        return random.random() < self.prob

    def _apply_image(self, image: Any) -> Any:
        return F.hflip(image) if self.params else image


class RandomVerticalFlip(RandomHorizontalFlip):
    """Turns top to bottom with a probability.

    Args:
        prob: the probability.
        keys: see `BaseTransform`.

    Raises:
        InvalidArgumentError: `prob` is not from 0 to 1.
    """

    def _apply_image(self, image: Any) -> Any:
        return F.vflip(image) if self.params else image


class RandomCrop(BaseTransform):
    """Cuts a rectangle out at a random place.

    Args:
        size: `(height, width)` in pixels, or one number for both.
        padding: pixels added before, see `functional.pad`; None for none.
        pad_if_needed: whether images smaller than `size` are padded.
        fill: value of the added pixels.
        padding_mode: how to add them.
        keys: see `BaseTransform`.

    Raises:
        InvalidArgumentError: (at the call) the image is smaller than `size`.

    Example:
        >>> import numpy
        >>> from proa.vision.transforms import RandomCrop
        >>> RandomCrop(4, padding=2)(numpy.zeros([6, 5, 3], "uint8")).shape
        (4, 4, 3)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        padding: Any = None,
        pad_if_needed: bool = False,
        fill: Any = 0,
        padding_mode: str = "constant",
        keys: Any = None,
    ) -> None:
        super().__init__(keys)
        self.size = two_numbers(size, "size")
        self.padding, self.pad_if_needed = padding, pad_if_needed
        self.fill, self.padding_mode = fill, padding_mode

    def _padded(self, image: Any) -> Any:
        if self.padding is not None:
            image = F.pad(image, self.padding, self.fill, self.padding_mode)
        (height, width), (rows, columns) = size_of(image), self.size
        if self.pad_if_needed and width < columns:
            image = F.pad(image, (columns - width, 0), self.fill, self.padding_mode)
        if self.pad_if_needed and height < rows:
            image = F.pad(image, (0, rows - height), self.fill, self.padding_mode)
        return image

    def _get_params(self, inputs: Any) -> tuple[int, int]:
        height, width = size_of(self._padded(self._image_of(inputs)))
        rows, columns = self.size
        if height < rows or width < columns:
            raise InvalidArgumentError(
                f"RandomCrop of {rows}x{columns}: the image has {height}x{width} pixels",
                expected="an image at least as large",
                fix="pass pad_if_needed=True, or resize before",
            )
        return random.randint(0, height - rows), random.randint(0, width - columns)

    def _apply_image(self, image: Any) -> Any:
        return F.crop(self._padded(image), *[*self.params, *self.size])


class RandomResizedCrop(BaseTransform):
    """Cuts a random part out and resizes it.

    Args:
        size: `(height, width)` of the result in pixels, or one number for both.
        scale: range of the part of the area.
        ratio: range of width / height of the part.
        interpolation: how to interpolate.
        keys: see `BaseTransform`.

    Example:
        >>> import numpy
        >>> from proa.vision.transforms import RandomResizedCrop
        >>> RandomResizedCrop(8)(numpy.zeros([20, 30, 3], "uint8")).shape
        (8, 8, 3)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4, 4.0 / 3),
        interpolation: str = "bilinear",
        keys: Any = None,
    ) -> None:
        super().__init__(keys)
        self.size = two_numbers(size, "size")
        self.scale, self.ratio, self.interpolation = scale, ratio, interpolation

    def _get_params(self, inputs: Any) -> tuple[int, int, int, int]:
        height, width = size_of(self._image_of(inputs))
        for _ in range(10):
            area = height * width * np.random.uniform(self.scale[0], self.scale[1])
            aspect = _log_uniform(self.ratio)
            columns = int(round(math.sqrt(area * aspect)))
            rows = int(round(math.sqrt(area / aspect)))
            if 0 < columns <= width and 0 < rows <= height:
                top = random.randint(0, height - rows)
                return top, random.randint(0, width - columns), rows, columns
        # No part fits: the largest one in the middle whose shape is allowed.
        aspect = min(max(width / height, min(self.ratio)), max(self.ratio))
        rows = min(height, int(round(width / aspect)))
        columns = min(width, int(round(height * aspect)))
        return (height - rows) // 2, (width - columns) // 2, rows, columns

    def _apply_image(self, image: Any) -> Any:
        return F.resize(F.crop(image, *self.params), self.size, self.interpolation)


class RandomRotation(BaseTransform):
    """Turns by a random angle.

    Args:
        degrees: the angle comes from `[-degrees, degrees]`, or is a range itself.
        interpolation: how to interpolate.
        expand: whether the result is as large as the turned image needs.
        center: `(x, y)` of the fixed point in pixels; None for the middle.
        fill: value outside the image.
        keys: see `BaseTransform`.

    Raises:
        InvalidArgumentError: `degrees` is negative.
    """

    def __init__(
        self,
        degrees: Any,
        interpolation: str = "nearest",
        expand: bool = False,
        center: Any = None,
        fill: Any = 0,
        keys: Any = None,
    ) -> None:
        super().__init__(keys)
        self.degrees = _degrees(degrees, "degrees")
        self.interpolation, self.expand = interpolation, expand
        self.center, self.fill = center, fill

    def _get_params(self, inputs: Any) -> float:
        return random.uniform(*self.degrees)

    def _apply_image(self, image: Any) -> Any:
        settings = (self.interpolation, self.expand, self.center, self.fill)
        return F.rotate(image, self.params, *settings)


class RandomAffine(BaseTransform):
    """Turns, moves, scales and slants at random around the middle.

    Args:
        degrees: the angle comes from `[-degrees, degrees]`, or is a range itself.
        translate: greatest moves, as parts of width and height; None for none.
        scale: range of the factor of the size; None for none.
        shear: degrees of slanting along x: half of a range, a range, or ranges for x and y in one
            list of four; None for none.
        interpolation: how to interpolate.
        fill: value outside the image.
        center: `(x, y)` of the fixed point in pixels; None for the middle.
        keys: see `BaseTransform`.

    Raises:
        InvalidArgumentError: an argument cannot be.
    """

    def __init__(
        self,
        degrees: Any,
        translate: Any = None,
        scale: Any = None,
        shear: Any = None,
        interpolation: str = "nearest",
        fill: Any = 0,
        center: Any = None,
        keys: Any = None,
    ) -> None:
        super().__init__(keys)
        self.degrees = list(_degrees(degrees, "degrees"))
        if isinstance(shear, int | float):
            shear = _degrees(shear, "shear")
        self.shear = None if shear is None else [float(value) for value in shear]
        if translate is not None and not all(0 <= part <= 1 for part in translate):
            raise InvalidArgumentError(
                f"`translate` is {translate!r}",
                expected="two numbers from 0 to 1: parts of width and height",
                fix="divide pixels by the size of the image",
            )
        self.translate, self.scale, self.center = translate, scale, center
        self.interpolation, self.fill = interpolation, fill

    def _get_params(self, inputs: Any) -> tuple[Any, ...]:
        height, width = size_of(self._image_of(inputs))
        angle = random.uniform(*self.degrees)
        moves = [0, 0]
        if self.translate is not None:
            most = (self.translate[0] * width, self.translate[1] * height)
            moves = [int(random.uniform(-limit, limit)) for limit in most]
        scale = 1.0 if self.scale is None else random.uniform(*self.scale)
        shears = [0.0, 0.0]
        if self.shear is not None:
            shears[0] = random.uniform(*self.shear[:2])
            if len(self.shear) == 4:
                shears[1] = random.uniform(*self.shear[2:])
        return angle, moves, scale, shears

    def _apply_image(self, image: Any) -> Any:
        return F.affine(image, *[*self.params, self.interpolation, self.fill, self.center])


class RandomPerspective(BaseTransform):
    """Moves the corners at random with a probability.

    Args:
        prob: the probability.
        distortion_scale: greatest move of a corner, 1 for half of the image.
        interpolation: how to interpolate.
        fill: value outside the image.
        keys: see `BaseTransform`.

    Raises:
        InvalidArgumentError: `prob` or `distortion_scale` is not from 0 to 1.
    """

    def __init__(
        self,
        prob: float = 0.5,
        distortion_scale: float = 0.5,
        interpolation: str = "nearest",
        fill: Any = 0,
        keys: Any = None,
    ) -> None:
        super().__init__(keys)
        self.prob = _probability(prob)
        if not 0 <= distortion_scale <= 1:
            raise InvalidArgumentError(
                f"`distortion_scale` is {distortion_scale!r}",
                expected="a number from 0 to 1",
                fix="pass distortion_scale=0.5",
            )
        self.distortion_scale = distortion_scale
        self.interpolation, self.fill = interpolation, fill

    def _get_params(self, inputs: Any) -> Any:
        if random.random() >= self.prob:
            return None
        height, width = size_of(self._image_of(inputs))
        corners, moved = [], []
        for right, low in ((0, 0), (1, 0), (1, 1), (0, 1)):
            x, y = right * (width - 1), low * (height - 1)
            most_x = int(self.distortion_scale * (width // 2))
            most_y = int(self.distortion_scale * (height // 2))
            corners.append([x, y])
            to_x = random.randint(x - most_x, x) if right else random.randint(0, most_x)
            to_y = random.randint(y - most_y, y) if low else random.randint(0, most_y)
            moved.append([to_x, to_y])
        return corners, moved

    def _apply_image(self, image: Any) -> Any:
        if self.params is None:
            return image
        return F.perspective(image, *[*self.params, self.interpolation, self.fill])


class RandomErasing(BaseTransform):
    """Writes over a random rectangle with a probability.

    Args:
        prob: the probability.
        scale: range of the part of the area.
        ratio: range of height / width of the rectangle.
        value: what is written: a number, one a channel, or `"random"` for normal noise.
        inplace: whether the image itself is changed.
        keys: see `BaseTransform`.

    Raises:
        InvalidArgumentError: `prob` is not from 0 to 1.
    """

    def __init__(
        self,
        prob: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
        keys: Any = None,
    ) -> None:
        super().__init__(keys)
        self.prob, self.scale, self.ratio = _probability(prob), scale, ratio
        self.value, self.inplace = value, inplace

    def _get_params(self, inputs: Any) -> tuple[int, int, int, int] | None:
        if random.random() >= self.prob:
            return None
        height, width = size_of(self._image_of(inputs))
        for _ in range(10):
            area = height * width * np.random.uniform(self.scale[0], self.scale[1])
            aspect = _log_uniform(self.ratio)
            rows, columns = (
                int(round(math.sqrt(area * aspect))),
                int(round(math.sqrt(area / aspect))),
            )
            if rows < height and columns < width:
                top = np.random.randint(0, height - rows + 1)
                return top, np.random.randint(0, width - columns + 1), rows, columns
        return None

    def _apply_image(self, image: Any) -> Any:
        if self.params is None:
            return image
        rows, columns = self.params[2:]
        kind = kind_of(image)
        first = kind == "tensor"
        value = self.value
        if value == "random":
            bands = np.asarray(image).shape[2:] if not first else (int(image.shape[-3]),)
            shape = (*bands, rows, columns) if first else (rows, columns, *bands)
            value = np.random.normal(size=shape).astype("float32")
        elif not isinstance(value, int | float):
            value = np.asarray(value).reshape([-1, 1, 1] if first else [1, 1, -1])
        if first and isinstance(value, np.ndarray):
            value = Tensor(value.astype(image.numpy().dtype))
        return F.erase(image, *[*self.params, value, self.inplace])
