"""What an image is: a PIL image, an array `[h, w]` or `[h, w, c]`, or a tensor `[..., c, h, w]`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, InvalidTypeError, Tensor

INTERPOLATIONS = ("nearest", "bilinear", "bicubic", "box", "lanczos", "hamming")


def is_pil(image: Any) -> bool:
    """Whether `image` is a PIL image, without importing PIL."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(image, module.Image)


def _is_pil_image(img: Any) -> bool:
    """Whether `img` is a PIL image: what transforms of one's own ask for, as Paddle shows."""
    return is_pil(img)


def _is_numpy_image(img: Any) -> bool:
    """Whether `img` is an array [h, w] or [h, w, c]."""
    return isinstance(img, np.ndarray) and img.ndim in (2, 3)


def _is_tensor_image(img: Any) -> bool:
    """Whether `img` is a Tensor."""
    return isinstance(img, Tensor)


def kind_of(image: Any) -> str:
    """Returns `"pil"`, `"array"` or `"tensor"`.

    Raises:
        InvalidTypeError: `image` is none of them.
    """
    if isinstance(image, Tensor):
        if image.ndim >= 3:
            return "tensor"
    elif isinstance(image, np.ndarray):
        if image.ndim in (2, 3):
            return "array"
    elif is_pil(image):
        return "pil"
    shape = f" of shape {list(image.shape)}" if hasattr(image, "shape") else ""
    raise InvalidTypeError(
        f"the image is a {type(image).__name__}{shape}",
        expected="a PIL image, an array [h, w] or [h, w, c], or a Tensor [c, h, w]",
        fix="convert it, for example with numpy.asarray",
    )


def size_of(image: Any) -> tuple[int, int]:
    """Returns height and width in pixels."""
    kind = kind_of(image)
    if kind == "pil":
        return image.size[1], image.size[0]
    height, width = image.shape[:2] if kind == "array" else image.shape[-2:]
    return int(height), int(width)


def resample_code(interpolation: str) -> Any:
    """Returns PIL's constant for the name of an interpolation.

    Raises:
        InvalidArgumentError: there is no such interpolation.
    """
    if interpolation not in INTERPOLATIONS:
        raise InvalidArgumentError(
            f"`interpolation` is {interpolation!r}",
            expected="one of " + ", ".join(map(repr, INTERPOLATIONS)),
            fix="use 'bilinear' or 'nearest'",
        )
    from PIL import Image

    return getattr(Image.Resampling, interpolation.upper())


def through_pil(function: Callable[[Any], Any], array: np.ndarray) -> np.ndarray:
    """Applies a function of PIL images to an array `[h, w]` or `[h, w, c]`.

    Arrays of uint8 with one or three channels become one image, all others one image of float32
    for each channel; the result has the dtype of `array`.
    """
    from PIL import Image

    channels = 1 if array.ndim == 2 else array.shape[2]
    planes = array.reshape(*array.shape[:2], channels)
    if array.dtype == np.uint8 and channels in (1, 3):
        image = Image.fromarray(planes[..., 0] if channels == 1 else planes)
        result = np.asarray(function(image))
    else:
        images = [Image.fromarray(planes[..., i].astype("float32")) for i in range(channels)]
        result = np.stack([np.asarray(function(image)) for image in images], axis=-1)
        if array.dtype.kind in "iu":
            limits = np.iinfo(array.dtype)
            result = np.clip(np.rint(result), limits.min, limits.max)
    return result.reshape(*result.shape[:2], *array.shape[2:]).astype(array.dtype)


def two_numbers(value: Any, name: str) -> tuple[int, int]:
    """Returns `value` as two integers; one number stands for both.

    Raises:
        InvalidArgumentError: it is neither.
    """
    pair = (value, value) if isinstance(value, int | float) else tuple(value)
    if len(pair) != 2:
        raise InvalidArgumentError(
            f"`{name}` is {value!r}",
            expected="one number, or two: height and width",
            fix=f"pass {name}=(height, width)",
        )
    return int(pair[0]), int(pair[1])
