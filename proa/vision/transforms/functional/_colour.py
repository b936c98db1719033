"""What the pixels are: brightness, contrast, saturation, hue, grey, tensors of float."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from proa import ops
from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    aligned_empty,
    composite,
    tensor_over,
)
from proa.core import to_tensor as tensor_of

from ._kinds import is_pil, kind_of, through_pil

# Weights of red, green and blue in what the eye sees as brightness (ITU-R 601).
_GREY = (0.2989, 0.587, 0.114)


def _factor(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise InvalidArgumentError(
            f"`{name}` is {value!r}",
            expected=f"a number from {low} to {high}",
            fix=f"pass {name} in that range",
        )


def _apply(image: Any, on_pil: Callable[[Any], Any], on_tensor: Callable[[Any], Any]) -> Any:
    kind = kind_of(image)
    if kind == "pil":
        return on_pil(image)
    if kind == "tensor":
        return on_tensor(image)
    if image.dtype != np.uint8:
        raise InvalidTypeError(
            f"the image is an array of {image.dtype}",
            expected="uint8, or a Tensor [c, h, w] with values from 0 to 1",
            fix="use img.astype('uint8'), or to_tensor(img)",
        )
    return through_pil(on_pil, image)


def _blend(image: Any, other: Any, factor: float) -> Tensor:
    """`factor image + (1 - factor) other` within the range of the dtype."""
    limit = 1.0 if image.is_floating_point() else 255.0
    mixed = image.astype("float32") * factor + (1.0 - factor) * other
    return ops.clip(mixed, 0, limit).astype(image.dtype)


def _grey(image: Any) -> Tensor:
    red, green, blue = (image[..., i : i + 1, :, :].astype("float32") for i in range(3))
    return _GREY[0] * red + _GREY[1] * green + _GREY[2] * blue


@composite
def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """Multiplies all values.

    Args:
        img: PIL image, uint8 array `[h, w(, c)]` or Tensor `[c, h, w]` of 0 to 1 (uint8: 255).
        brightness_factor: 0 gives black, 1 the image itself.

    Raises:
        InvalidArgumentError: the factor is negative.
        InvalidTypeError: `img` is no such image.

    Example:
        >>> import numpy
        >>> from proa.vision.transforms import adjust_brightness
        >>> adjust_brightness(numpy.full([1, 2], 100, "uint8"), 1.5).tolist()
        [[150, 150]]
    """
    _factor("brightness_factor", brightness_factor, 0, float("inf"))

    def on_pil(image: Any) -> Any:
        from PIL import ImageEnhance

        return ImageEnhance.Brightness(image).enhance(brightness_factor)

    return _apply(img, on_pil, lambda image: _blend(image, 0.0, brightness_factor))


@composite
def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """Moves all values away from the mean of the greys, or towards it.

    Args:
        img: PIL image, uint8 array `[h, w(, c)]` or Tensor `[c, h, w]` of 0 to 1 (uint8: 255).
        contrast_factor: 0 gives one grey, 1 the image itself.

    Raises:
        InvalidArgumentError: the factor is negative.
        InvalidTypeError: `img` is no such image.
    """
    _factor("contrast_factor", contrast_factor, 0, float("inf"))

    def on_pil(image: Any) -> Any:
        from PIL import ImageEnhance

        return ImageEnhance.Contrast(image).enhance(contrast_factor)

    def on_tensor(image: Any) -> Tensor:
        grey = _grey(image) if image.shape[-3] == 3 else image.astype("float32")
        return _blend(image, ops.mean(grey, axis=[-3, -2, -1], keepdim=True), contrast_factor)

    return _apply(img, on_pil, on_tensor)


@composite
def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """Moves all colours away from their grey, or towards it.

    Args:
        img: PIL image, uint8 array `[h, w(, c)]` or Tensor `[c, h, w]` of 0 to 1 (uint8: 255).
        saturation_factor: 0 gives a grey image, 1 the image itself.

    Raises:
        InvalidArgumentError: the factor is negative.
        InvalidTypeError: `img` is no such image.
    """
    _factor("saturation_factor", saturation_factor, 0, float("inf"))

    def on_pil(image: Any) -> Any:
        from PIL import ImageEnhance

        return ImageEnhance.Color(image).enhance(saturation_factor)

    def on_tensor(image: Any) -> Tensor:
        return image if image.shape[-3] == 1 else _blend(image, _grey(image), saturation_factor)

    return _apply(img, on_pil, on_tensor)


@composite
def adjust_hue(img: Any, hue_factor: float) -> Any:
    """Turns all colours around the circle of hues.

    Args:
        img: PIL image, uint8 array `[h, w(, c)]` or Tensor `[c, h, w]` of 0 to 1 (uint8: 255).
        hue_factor: part of the circle, from -0.5 to 0.5; 0 gives the image itself.

    Raises:
        InvalidArgumentError: the factor is out of its range.
        InvalidTypeError: `img` is no such image.
    """
    _factor("hue_factor", hue_factor, -0.5, 0.5)

    def on_pil(image: Any) -> Any:
        from PIL import Image

        if image.mode in ("1", "L", "I", "F"):
            return image
        hue, saturation, value = image.convert("HSV").split()
        turned = (np.asarray(hue).astype(int) + int(hue_factor * 255)) % 256
        bands = (Image.fromarray(turned.astype("uint8")), saturation, value)
        return Image.merge("HSV", bands).convert(image.mode)

    return _apply(img, on_pil, lambda image: _turn_hue(image, hue_factor))


def _turn_hue(image: Any, factor: float) -> Tensor:
    if image.shape[-3] == 1:
        return image
    limit = 1.0 if image.is_floating_point() else 255.0
    red, green, blue = (image[..., i, :, :].astype("float32") / limit for i in range(3))
    most = ops.maximum(ops.maximum(red, green), blue)
    least = ops.minimum(ops.minimum(red, green), blue)
    spread = most - least
    safe = ops.where(spread == 0, ops.ones_like(spread), spread)
    sixth = ops.where(
        most == red,
        (green - blue) / safe,
        ops.where(most == green, 2.0 + (blue - red) / safe, 4.0 + (red - green) / safe),
    )
    turned = (sixth / 6.0 + factor) * 6.0
    # The channel at `offset` sixths from red is value - spread * clip(min(k, 4 - k), 0, 1).
    channels = []
    for offset in (5.0, 3.0, 1.0):
        place = ops.mod(turned + offset, ops.full_like(turned, 6.0))
        share = ops.clip(ops.minimum(place, 4.0 - place), 0.0, 1.0)
        channels.append(most - spread * share)
    turned = ops.stack(channels, axis=-3) * limit
    # Bytes are rounded: cut off, an error in the last digit would darken what does not turn.
    return (turned if limit == 1.0 else ops.round(turned)).astype(image.dtype)


@composite
def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """Makes a grey image: 0.299 red + 0.587 green + 0.114 blue.

    Args:
        img: PIL image, array `[h, w(, c)]` of any numbers or Tensor `[c, h, w]`.
        num_output_channels: 1, or 3 for three equal channels.

    Raises:
        InvalidArgumentError: `num_output_channels` is neither.
        InvalidTypeError: `img` is no such image.
    """
    if num_output_channels not in (1, 3):
        raise InvalidArgumentError(
            f"`num_output_channels` is {num_output_channels!r}",
            expected="1 or 3",
            fix="pass num_output_channels=1",
        )

    def on_pil(image: Any) -> Any:
        from PIL import Image

        grey = image.convert("L")
        return grey if num_output_channels == 1 else Image.merge("RGB", (grey,) * 3)

    def on_tensor(image: Any) -> Tensor:
        grey = ops.cast(_grey(image), image.dtype) if image.shape[-3] == 3 else image
        return ops.concat([grey] * num_output_channels, axis=-3)

    if isinstance(img, np.ndarray) and kind_of(img) == "array":
        from PIL import Image

        if img.dtype != np.uint8:
            return _grey_numbers(img, num_output_channels)
        image = Image.fromarray(img[..., 0] if img.ndim == 3 and img.shape[2] == 1 else img)
        return np.asarray(on_pil(image)).reshape(*img.shape[:2], num_output_channels)
    return _apply(img, on_pil, on_tensor)


def _grey_numbers(image: np.ndarray, channels: int) -> np.ndarray:
    """Grey values of an array that is no image of 8 bits, in its own dtype."""
    shown = image[..., None] if image.ndim == 2 else image
    if image.ndim > 3 or shown.ndim != 3 or shown.shape[2] not in (1, 3):
        raise InvalidArgumentError(
            f"the image has shape {list(image.shape)}",
            expected="[h, w], [h, w, 1] or [h, w, 3]",
            fix="drop the other channels",
        )
    grey = shown @ np.array([0.299, 0.587, 0.114]) if shown.shape[2] == 3 else shown[..., 0]
    return np.repeat(grey[..., None], channels, 2).astype(image.dtype)


@composite
def to_tensor(pic: Any, data_format: str = "CHW") -> Tensor:
    """Makes a Tensor; values of 8 bits become float32 from 0 to 1, others stay as they are.

    Args:
        pic: PIL image, array `[h, w(, c)]`, or Tensor `[c, h, w]`.
        data_format: `"CHW"` or `"HWC"`, the order of the axes of the result.

    Raises:
        InvalidArgumentError: there is no such order.
        InvalidTypeError: `pic` is no image.

    Example:
        >>> import numpy
        >>> from proa.vision.transforms import to_tensor
        >>> to_tensor(numpy.full([2, 2, 3], 51, "uint8")).shape
        [3, 2, 2]
    """
    if data_format not in ("CHW", "HWC"):
        raise InvalidArgumentError(
            f"`data_format` is {data_format!r}",
            expected="'CHW' or 'HWC'",
            fix="leave it out for channels first",
        )
    if kind_of(pic) == "tensor":
        return pic if data_format == "CHW" else ops.transpose(pic, [1, 2, 0])
    values = _numbers(pic, data_format)
    return (tensor_over if values.dtype == np.float32 else tensor_of)(values)


def _numbers(pic: Any, data_format: str) -> np.ndarray:
    """Values of a PIL image or array as `to_tensor` gives them, in a new array of 3 axes."""
    array = np.asarray(pic)
    dtype = array.dtype
    is_bytes = dtype == np.uint8
    if is_bytes or (is_pil(pic) and pic.mode == "1"):
        dtype = np.dtype("float32")
    elif is_pil(pic) and pic.mode.startswith("I"):
        dtype = np.dtype("int32")
    array = array.reshape(*array.shape[:2], -1)
    array = array if data_format == "HWC" else array.transpose(2, 0, 1)
    values = aligned_empty(array.shape, dtype)
    values[...] = array
    if is_bytes:
        values /= np.float32(255)
    return values


def normalized_tensor(pic: Any, mean: Any, std: Any, to_rgb: bool = False) -> Tensor:
    """Returns `normalize(to_tensor(pic), mean, std)`, bit for bit, in one pass over an image.

    Args:
        pic: PIL image, array `[h, w(, c)]` or Tensor `[c, h, w]`.
        mean: numbers, one a channel.
        std: numbers, one a channel.
        to_rgb: without effect, as `normalize` of a Tensor has it.
    """
    values = None if kind_of(pic) == "tensor" else _numbers(pic, "CHW")
    fits = values is not None and len(values) == np.size(mean) == np.size(std)
    if values is None or not fits or values.dtype != np.float32:
        return normalize(to_tensor(pic), mean, std, to_rgb=to_rgb)
    values -= np.asarray(mean, "float32").reshape(-1, 1, 1)
    values /= np.asarray(std, "float32").reshape(-1, 1, 1)
    return tensor_over(values)


@composite
def normalize(img: Any, mean: Any, std: Any, data_format: str = "CHW", to_rgb: bool = False) -> Any:
    """Subtracts a mean from each channel and divides by a standard deviation.

    Args:
        img: PIL image, array or Tensor.
        mean: one number a channel.
        std: one number a channel.
        data_format: `"CHW"` or `"HWC"`, the order of the axes of `img`.
        to_rgb: whether the channels of an image or array are reversed before.

    Returns:
        A Tensor for a Tensor, otherwise an array of float32.

    Raises:
        InvalidArgumentError: `data_format` cannot be, or the channels do not agree.

    Example:
        >>> import numpy
        >>> from proa.vision.transforms import normalize
        >>> normalize(numpy.full([3, 1, 1], 6.0), [1, 2, 3], [5, 2, 1]).ravel().tolist()
        [1.0, 2.0, 3.0]
    """
    if data_format not in ("CHW", "HWC"):
        raise InvalidArgumentError(
            f"`data_format` is {data_format!r}",
            expected="'CHW' or 'HWC'",
            fix="leave it out for channels first",
        )
    shape = [-1, 1, 1] if data_format == "CHW" else [1, 1, -1]
    means = np.asarray([mean] if isinstance(mean, numbers.Number) else mean, "float32")
    stds = np.asarray([std] if isinstance(std, numbers.Number) else std, "float32")
    means, stds = means.reshape(shape), stds.reshape(shape)
    channels = img.shape[-3 if data_format == "CHW" else -1] if hasattr(img, "shape") else None
    if channels is not None and img.ndim >= 3 and means.size not in (1, channels):
        if channels != 1:
            raise InvalidArgumentError(
                f"the image has shape {list(img.shape)}, `mean` {means.size} numbers",
                expected=f"{data_format}: one number for each channel",
                fix="correct data_format, or the number of means",
            )
    if isinstance(img, Tensor):
        return ops.divide(ops.subtract(img, tensor_of(means)), tensor_of(stds))
    array = np.asarray(img)
    if array.dtype != np.uint8:
        array = array.astype("float32", copy=False)
    if to_rgb:
        array = array[..., ::-1] if data_format == "HWC" else array[::-1]
    # Bytes become float32 in the same pass; the division is in place.
    shown = np.subtract(array, means)
    shown /= stds
    return shown
