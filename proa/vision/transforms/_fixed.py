"""Transforms without chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from proa import ops
from proa.core import Tensor

from . import functional as F
from ._base import BaseTransform
from .functional._colour import normalized_tensor
from .functional._kinds import kind_of, two_numbers


class ToTensor(BaseTransform):
    """Makes a Tensor of float32 of an image; 8-bit values become 0 to 1.

    Args:
        data_format: `"CHW"` or `"HWC"`, the order of the axes of the result.
        keys: see `BaseTransform`.
    """

    def __init__(self, data_format: str = "CHW", keys: Any = None) -> None:
        super().__init__(keys)
        self.data_format = data_format

    def _apply_image(self, image: Any) -> Tensor:
        return F.to_tensor(image, self.data_format)

    def _merged_with(self, following: Any) -> BaseTransform | None:
        plain = type(self) is ToTensor and type(following) is Normalize
        if not plain or self.keys != following.keys or self.data_format != "CHW":
            return None
        return _NormalizedTensor(following) if following.data_format == "CHW" else None


class _NormalizedTensor(BaseTransform):
    """`ToTensor` and `Normalize` in one pass over the image."""

    def __init__(self, normalize: Normalize) -> None:
        super().__init__(normalize.keys)
        self._settings = (normalize.mean, normalize.std, normalize.to_rgb)

    def _apply_image(self, image: Any) -> Tensor:
        return normalized_tensor(image, *self._settings)


class Resize(BaseTransform):
    """Changes the size of an image; see `functional.resize`.

    Args:
        size: `(height, width)` in pixels, or the length of the shorter side.
        interpolation: how to interpolate.
        keys: see `BaseTransform`.
    """

    def __init__(
        self, size: int | Sequence[int], interpolation: str = "bilinear", keys: Any = None
    ) -> None:
        super().__init__(keys)
        if not isinstance(size, int):
            two_numbers(size, "size")
        self.size, self.interpolation = size, interpolation

    def _apply_image(self, image: Any) -> Any:
        return F.resize(image, self.size, self.interpolation)


class CenterCrop(BaseTransform):
    """Cuts the middle out of an image.

    Args:
        size: `(height, width)` in pixels, or one number for both.
        keys: see `BaseTransform`.
    """

    def __init__(self, size: int | Sequence[int], keys: Any = None) -> None:
        super().__init__(keys)
        self.size = two_numbers(size, "size")

    def _apply_image(self, image: Any) -> Any:
        return F.center_crop(image, self.size)


class Normalize(BaseTransform):
    """Subtracts a mean and divides by a standard deviation, channel by channel.

    Args:
        mean: one number a channel, or one for three channels.
        std: one number a channel, or one for three channels.
        data_format: `"CHW"` or `"HWC"`, the order of the axes of the image.
        to_rgb: whether the channels of an image or array are reversed before.
        keys: see `BaseTransform`.

    Example:
        >>> import numpy
        >>> from proa.vision.transforms import Normalize
        >>> image = numpy.full([1, 1, 3], 255, "uint8")
        >>> Normalize(127.5, 127.5, data_format="HWC")(image).tolist()
        [[[1.0, 1.0, 1.0]]]
    """

    def __init__(
        self,
        mean: Any = 0.0,
        std: Any = 1.0,
        data_format: str = "CHW",
        to_rgb: bool = False,
        keys: Any = None,
    ) -> None:
        super().__init__(keys)
        self.mean = [mean] * 3 if isinstance(mean, int | float) else mean
        self.std = [std] * 3 if isinstance(std, int | float) else std
        self.data_format, self.to_rgb = data_format, to_rgb

    def _apply_image(self, image: Any) -> Any:
        return F.normalize(image, self.mean, self.std, self.data_format, self.to_rgb)


class Transpose(BaseTransform):
    """Changes the order of the axes; an image becomes an array.

    Args:
        order: the order of the axes, `(2, 0, 1)` for channels first.
        keys: see `BaseTransform`.
    """

    def __init__(self, order: Sequence[int] = (2, 0, 1), keys: Any = None) -> None:
        super().__init__(keys)
        self.order = order

    def _apply_image(self, image: Any) -> Any:
        if kind_of(image) == "tensor":
            return ops.transpose(image, list(self.order))
        array = np.asarray(image)
        return (array[..., None] if array.ndim == 2 else array).transpose(self.order)


class Pad(BaseTransform):
    """Adds pixels at the borders; see `functional.pad`.

    Args:
        padding: pixels: one number, two (left and right, top and bottom) or four.
        fill: value of the new pixels for mode `"constant"`.
        padding_mode: `"constant"`, `"edge"`, `"reflect"` or `"symmetric"`.
        keys: see `BaseTransform`.
    """

    def __init__(
        self,
        padding: int | Sequence[int],
        fill: Any = 0,
        padding_mode: str = "constant",
        keys: Any = None,
    ) -> None:
        super().__init__(keys)
        self.padding, self.fill, self.padding_mode = padding, fill, padding_mode

    def _apply_image(self, image: Any) -> Any:
        return F.pad(image, self.padding, self.fill, self.padding_mode)


class Grayscale(BaseTransform):
    """Makes a grey image.

    Args:
        num_output_channels: 1, or 3 for three equal channels.
        keys: see `BaseTransform`.
    """

    def __init__(self, num_output_channels: int = 1, keys: Any = None) -> None:
        super().__init__(keys)
        self.num_output_channels = num_output_channels

    def _apply_image(self, image: Any) -> Any:
        return F.to_grayscale(image, self.num_output_channels)
