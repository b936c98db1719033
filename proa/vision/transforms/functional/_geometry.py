"""Where the pixels go: resize, pad, crop, flip, erase."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from proa import ops
from proa.core import InvalidArgumentError, composite, to_tensor
from proa.nn import functional as F

from ._kinds import kind_of, resample_code, size_of, through_pil, two_numbers

_PADDING_MODES = ("constant", "edge", "reflect", "symmetric")
_TENSOR_MODES = {"constant": "constant", "edge": "replicate", "reflect": "reflect"}


@composite
def resize(img: Any, size: int | Sequence[int], interpolation: str = "bilinear") -> Any:
    """Changes the size of an image.

    Args:
        img: PIL image, array `[h, w(, c)]` or Tensor `[c, h, w]`.
        size: `(height, width)` in pixels, or the length of the shorter side, the shape kept.
        interpolation: `"nearest"`, `"bilinear"`, `"bicubic"`; images and arrays take also `"box"`,
            `"lanczos"` and `"hamming"`. PIL averages over all pixels that it merges, a Tensor is
            sampled as `nn.functional.interpolate` does.

    Returns:
        An image of the kind that came in.

    Raises:
        InvalidArgumentError: `size` or `interpolation` cannot be.
        InvalidTypeError: `img` is no image.

    Example:
        >>> import numpy
        >>> from proa.vision.transforms import resize
        >>> resize(numpy.zeros([4, 8, 3], "uint8"), 2).shape
        (2, 4, 3)

    Differs:
        Arrays are resized by PIL, not by OpenCV.
    """
    height, width = size_of(img)
    if isinstance(size, int):
        if min(height, width) == size:
            return img
        if width < height:
            rows, columns = int(size * height / width), size
        else:
            rows, columns = size, int(size * width / height)
    else:
        rows, columns = two_numbers(size, "size")
    code = resample_code(interpolation)
    if rows < 1 or columns < 1:
        raise InvalidArgumentError(
            f"`size` is {size!r} for an image of {height}x{width}",
            expected="at least one pixel a side",
            fix="pass a larger size",
        )
    kind = kind_of(img)
    if kind == "pil":
        return img.resize((columns, rows), code)
    if kind == "array":
        return through_pil(lambda image: image.resize((columns, rows), code), img)
    batch = img.reshape([-1, *img.shape[-3:]])
    resized = F.interpolate(batch, size=[rows, columns], mode=interpolation)
    return ops.reshape(resized, [*img.shape[:-2], rows, columns])


def _borders(padding: Any) -> tuple[int, int, int, int]:
    """Returns left, top, right, bottom."""
    if isinstance(padding, numbers.Number):
        padding = [padding]
    entries = [int(entry) for entry in padding]
    if len(entries) == 1:
        entries *= 4
    elif len(entries) == 2:
        entries *= 2
    elif len(entries) != 4:
        raise InvalidArgumentError(
            f"`padding` is {padding!r}",
            expected="one number, two (left and right, top and bottom) or four",
            fix="pass (left, top, right, bottom)",
        )
    left, top, right, bottom = entries
    return left, top, right, bottom


@composite
def pad(img: Any, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> Any:
    """Adds pixels at the borders.

    Args:
        img: PIL image, array `[h, w(, c)]` or Tensor `[c, h, w]`.
        padding: pixels: one number for all sides, two for left and right, top and bottom, or
            `(left, top, right, bottom)`.
        fill: value of the new pixels for mode `"constant"`: a number, or one a channel.
        padding_mode: `"constant"`, `"edge"`, `"reflect"` or `"symmetric"`.

    Returns:
        An image of the kind that came in.

    Raises:
        InvalidArgumentError: `padding` or `padding_mode` cannot be.
        InvalidTypeError: `img` is no image.

    Example:
        >>> import numpy
        >>> from proa.vision.transforms import pad
        >>> pad(numpy.ones([1, 2], "uint8"), (1, 0, 0, 1), fill=7).tolist()
        [[7, 1, 1], [7, 7, 7]]
    """
    borders = left, top, right, bottom = _borders(padding)
    if padding_mode not in _PADDING_MODES:
        raise InvalidArgumentError(
            f"`padding_mode` is {padding_mode!r}",
            expected="one of " + ", ".join(map(repr, _PADDING_MODES)),
            fix="use 'constant' with a fill",
        )
    kind = kind_of(img)
    if kind == "tensor":
        if padding_mode == "symmetric":
            array = _pad_array(img.numpy(), borders, 0, padding_mode, img.ndim - 2)
            return to_tensor(array)
        batch = img.reshape([-1, *img.shape[-3:]])
        mode = _TENSOR_MODES[padding_mode]
        padded = F.pad(batch, [left, right, top, bottom], mode=mode, value=fill)
        return ops.reshape(padded, [*img.shape[:-2], *padded.shape[-2:]])
    if kind == "array":
        return _pad_array(img, borders, fill, padding_mode, 0)
    from PIL import Image, ImageOps

    if padding_mode == "constant":
        colour: Any = fill
        if isinstance(fill, numbers.Number) and len(img.getbands()) > 1:
            colour = (fill,) * len(img.getbands())
        return ImageOps.expand(img, border=borders, fill=colour)
    array = _pad_array(np.asarray(img), borders, 0, padding_mode, 0)
    return Image.fromarray(array)


def _pad_array(
    array: np.ndarray, borders: tuple[int, int, int, int], fill: Any, mode: str, axis: int
) -> np.ndarray:
    left, top, right, bottom = borders
    widths = [(0, 0)] * array.ndim
    widths[axis], widths[axis + 1] = (top, bottom), (left, right)
    if mode != "constant":
        return np.pad(array, widths, mode=mode)  # pyright: ignore[reportCallIssue, reportArgumentType] (numpy knows more modes than its stubs)
    padded = np.empty([n + sum(w) for n, w in zip(array.shape, widths, strict=True)], array.dtype)
    padded[...] = fill
    padded[top : top + array.shape[0], left : left + array.shape[1]] = array
    return padded


@composite
def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """Cuts a rectangle out of an image.

    Args:
        img: PIL image, array `[h, w(, c)]` or Tensor `[c, h, w]`.
        top: first row.
        left: first column.
        height: number of rows.
        width: number of columns.

    Returns:
        An image of the kind that came in. Beyond the border a PIL image gets black pixels; arrays
        and tensors end there.

    Raises:
        InvalidTypeError: `img` is no image.

    Example:
        >>> import numpy
        >>> from proa.vision.transforms import crop
        >>> crop(numpy.arange(6).reshape(2, 3), 0, 1, 2, 2).tolist()
        [[1, 2], [4, 5]]
    """
    kind = kind_of(img)
    if kind == "pil":
        return img.crop((left, top, left + width, top + height))
    if kind == "array":
        return img[top : top + height, left : left + width]
    return img[..., top : top + height, left : left + width]


@composite
def center_crop(img: Any, output_size: int | Sequence[int]) -> Any:
    """Cuts the middle out of an image.

    Args:
        img: PIL image, array `[h, w(, c)]` or Tensor `[c, h, w]`.
        output_size: `(height, width)` in pixels, or one number for both.

    Returns:
        An image of the kind that came in.

    Raises:
        InvalidArgumentError: `output_size` is neither.
        InvalidTypeError: `img` is no image.
    """
    rows, columns = two_numbers(output_size, "output_size")
    height, width = size_of(img)
    top, left = int(round((height - rows) / 2.0)), int(round((width - columns) / 2.0))
    return crop(img, top, left, rows, columns)


@composite
def hflip(img: Any) -> Any:
    """Turns left to right.

    Args:
        img: PIL image, array `[h, w(, c)]` or Tensor `[c, h, w]`.

    Raises:
        InvalidTypeError: `img` is no image.
    """
    return _flip(img, -1)


@composite
def vflip(img: Any) -> Any:
    """Turns top to bottom.

    Args:
        img: PIL image, array `[h, w(, c)]` or Tensor `[c, h, w]`.

    Raises:
        InvalidTypeError: `img` is no image.
    """
    return _flip(img, -2)


def _flip(image: Any, axis: int) -> Any:
    kind = kind_of(image)
    if kind == "tensor":
        return ops.flip(image, axis=[axis])
    if kind == "array":
        return np.ascontiguousarray(np.flip(image, axis + 2))
    from PIL import Image

    names = {-1: Image.Transpose.FLIP_LEFT_RIGHT, -2: Image.Transpose.FLIP_TOP_BOTTOM}
    return image.transpose(names[axis])


@composite
def erase(img: Any, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False) -> Any:
    """Writes a value into a rectangle.

    Args:
        img: PIL image, array `[h, w(, c)]` or Tensor `[c, h, w]`.
        i: first row.
        j: first column.
        h: number of rows.
        w: number of columns.
        v: a number, or values of the shape of the rectangle or broadcast to it.
        inplace: whether `img` itself is changed; a PIL image never is.

    Returns:
        An image of the kind that came in.

    Raises:
        InvalidTypeError: `img` is no image.
    """
    kind = kind_of(img)
    if kind == "tensor":
        result = img if inplace else img.clone()
        result[..., i : i + h, j : j + w] = v
        return result
    result = img if kind == "array" and inplace else np.array(img)
    result[i : i + h, j : j + w] = v
    if kind == "array":
        return result
    from PIL import Image

    return Image.fromarray(result)
