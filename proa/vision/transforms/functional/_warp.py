"""Pixels moved by a matrix: rotate, affine, perspective."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from proa import ops
from proa.core import InvalidArgumentError, Tensor, composite, to_tensor
from proa.nn import functional as F

from ._kinds import kind_of, resample_code, size_of, through_pil

# A map from places (x, y) of the result to places of the image: 3x3, homogeneous, in pixels.
_Matrix = np.ndarray


def _fill(image: Any, fill: Any) -> Any:
    bands = len(image.getbands())
    return (fill,) * bands if isinstance(fill, numbers.Number) and bands > 1 else fill


def _opaque(image: Any, fill: Any) -> Any:
    """As `_fill`, but what comes in beside a turned image with transparency is opaque."""
    made = _fill(image, fill)
    return made[:3] if image.mode == "RGBA" and isinstance(fill, numbers.Number) else made


def _shift(x: float, y: float) -> _Matrix:
    return np.array([[1.0, 0, x], [0, 1, y], [0, 0, 1]])


def _sample(image: Any, matrix: _Matrix, size: tuple[int, int], mode: str, fill: Any) -> Tensor:
    """Reads `image` at the places that `matrix` gives to the centres of the result's pixels."""
    rows, columns = size
    height, width = size_of(image)
    y, x = np.meshgrid(np.arange(rows) + 0.5, np.arange(columns) + 0.5, indexing="ij")
    places = matrix @ np.stack([x.ravel(), y.ravel(), np.ones(x.size)])
    places = places[:2] / places[2:]
    grid = np.stack([2 * places[0] / width - 1, 2 * places[1] / height - 1], axis=-1)
    batch = image.reshape([-1, *image.shape[-3:]]).astype("float32")
    grids = np.broadcast_to(grid.reshape(1, rows, columns, 2), (batch.shape[0], rows, columns, 2))
    field = to_tensor(grids.astype("float32"))
    moved = F.grid_sample(batch, field, mode=mode, padding_mode="zeros", align_corners=False)
    inside = F.grid_sample(
        ops.ones_like(batch), field, mode=mode, padding_mode="zeros", align_corners=False
    )
    values = np.asarray(fill, "float32").reshape(-1, 1, 1)
    # At the border Paddle weights what it read a second time; so do we.
    moved = moved * inside + (1.0 - inside) * to_tensor(
        np.broadcast_to(values, (1, values.size, 1, 1))
    )
    if not image.is_floating_point():
        moved = ops.round(moved)
    return moved.astype(image.dtype).reshape([*image.shape[:-2], rows, columns])


@composite
def rotate(
    img: Any,
    angle: float,
    interpolation: str = "nearest",
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Any = 0,
) -> Any:
    """Turns an image counter-clockwise.

    Args:
        img: PIL image, array `[h, w(, c)]` or Tensor `[c, h, w]`.
        angle: degrees.
        interpolation: `"nearest"`, `"bilinear"` or, for images and arrays, `"bicubic"`.
        expand: whether the result is as large as the turned image needs.
        center: `(x, y)` of the fixed point in pixels from the upper left; None for the middle.
        fill: value outside the image: a number, or one a channel.

    Returns:
        An image of the kind that came in.

    Raises:
        InvalidArgumentError: `interpolation` cannot be.
        InvalidTypeError: `img` is no image.
    """
    code = resample_code(interpolation)

    def on_pil(image: Any) -> Any:
        return image.rotate(angle, code, expand, center, fillcolor=_opaque(image, fill))

    kind = kind_of(img)
    if kind != "tensor":
        return on_pil(img) if kind == "pil" else through_pil(on_pil, img)
    height, width = size_of(img)
    turn = math.radians(angle)
    cos, sin = math.cos(turn), math.sin(turn)
    x, y = (width / 2, height / 2) if center is None else center
    matrix = np.array([[cos, -sin, 0.0], [sin, cos, 0], [0, 0, 1]])
    rows, columns = height, width
    target_x, target_y = x, y
    if expand:
        columns = 2 * math.ceil((abs(width * cos) + abs(height * sin)) / 2 - 1e-9)
        rows = 2 * math.ceil((abs(width * sin) + abs(height * cos)) / 2 - 1e-9)
        x, y, target_x, target_y = width / 2, height / 2, columns / 2, rows / 2
    matrix = _shift(x, y) @ matrix @ _shift(-target_x, -target_y)
    return _sample(img, matrix, (rows, columns), interpolation, fill)


def _inverse_affine(
    center: tuple[float, float],
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: Sequence[float],
) -> _Matrix:
    """The inverse of translate · center · rotate · shear · scale · (-center)."""
    turn, shear_x, shear_y = (math.radians(value) for value in (angle, *shear))
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    slant_y = np.array([[1, 0], [-math.tan(shear_y), 1]])
    slant_x = np.array([[1, -math.tan(shear_x)], [0, 1]])
    matrix = np.eye(3)
    matrix[:2, :2] = scale * rotation @ slant_y @ slant_x
    forward = _shift(*translate) @ _shift(*center) @ matrix @ _shift(-center[0], -center[1])
    return np.linalg.inv(forward)


@composite
def affine(
    img: Any,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: float | Sequence[float],
    interpolation: str = "nearest",
    fill: Any = 0,
    center: Sequence[float] | None = None,
) -> Any:
    """Turns, moves, scales and slants an image around its middle.

    Args:
        img: PIL image, array `[h, w(, c)]` or Tensor `[c, h, w]`.
        angle: degrees, clockwise.
        translate: pixels to the right and down.
        scale: factor of the size, above 0.
        shear: degrees along x, or along x and y.
        interpolation: `"nearest"`, `"bilinear"` or, for images and arrays, `"bicubic"`.
        fill: value outside the image: a number, or one a channel.
        center: `(x, y)` of the fixed point in pixels; None for the middle.

    Returns:
        An image of the kind and size that came in.

    Raises:
        InvalidArgumentError: an argument cannot be.
        InvalidTypeError: `img` is no image.
    """
    shears = [float(shear), 0.0] if isinstance(shear, numbers.Real) else [*shear, 0.0][:2]  # pyright: ignore[reportGeneralTypeIssues, reportArgumentType] (a number or a sequence)
    if len(translate) != 2 or scale <= 0:
        raise InvalidArgumentError(
            f"`translate` is {translate!r}, `scale` {scale!r}",
            expected="two numbers of pixels, and a factor above 0",
            fix="pass translate=(right, down) and scale=1.0 for the same size",
        )
    code = resample_code(interpolation)
    height, width = size_of(img)
    middle = (width / 2, height / 2) if center is None else (center[0], center[1])
    matrix = _inverse_affine(middle, angle, translate, scale, shears)
    kind = kind_of(img)
    if kind == "tensor":
        return _sample(img, matrix, (height, width), interpolation, fill)

    def on_pil(image: Any) -> Any:
        from PIL import Image

        numbers_ = matrix[:2].ravel().tolist()
        method = Image.Transform.AFFINE
        return image.transform(image.size, method, numbers_, code, fillcolor=_fill(image, fill))

    return on_pil(img) if kind == "pil" else through_pil(on_pil, img)


def _perspective_matrix(startpoints: Any, endpoints: Any) -> _Matrix:
    """The map that takes each of the end points to its start point."""
    rows, values = [], []
    for (from_x, from_y), (to_x, to_y) in zip(startpoints, endpoints, strict=True):
        rows.append([to_x, to_y, 1, 0, 0, 0, -from_x * to_x, -from_x * to_y])
        rows.append([0, 0, 0, to_x, to_y, 1, -from_y * to_x, -from_y * to_y])
        values += [from_x, from_y]
    solution = np.linalg.lstsq(np.array(rows, float), np.array(values, float), rcond=None)[0]
    return np.append(solution, 1.0).reshape(3, 3)


@composite
def perspective(
    img: Any,
    startpoints: Sequence[Sequence[float]],
    endpoints: Sequence[Sequence[float]],
    interpolation: str = "nearest",
    fill: Any = 0,
) -> Any:
    """Moves four points of an image to four places.

    Args:
        img: PIL image, array `[h, w(, c)]` or Tensor `[c, h, w]`.
        startpoints: four points `(x, y)` of the image, in pixels.
        endpoints: where they come to lie.
        interpolation: `"nearest"`, `"bilinear"` or, for images and arrays, `"bicubic"`.
        fill: value outside the image: a number, or one a channel.

    Returns:
        An image of the kind and size that came in.

    Raises:
        InvalidArgumentError: there are not four points on both sides.
        InvalidTypeError: `img` is no image.
    """
    if len(startpoints) != 4 or len(endpoints) != 4:
        raise InvalidArgumentError(
            f"{len(startpoints)} `startpoints` and {len(endpoints)} `endpoints`",
            expected="four points (x, y) each",
            fix="pass the four corners before and after",
        )
    code = resample_code(interpolation)
    matrix = _perspective_matrix(startpoints, endpoints)
    kind = kind_of(img)
    if kind == "tensor":
        return _sample(img, matrix, size_of(img), interpolation, fill)

    def on_pil(image: Any) -> Any:
        from PIL import Image

        numbers_ = matrix.ravel()[:8].tolist()
        method = Image.Transform.PERSPECTIVE
        return image.transform(image.size, method, numbers_, code, fillcolor=_fill(image, fill))

    return on_pil(img) if kind == "pil" else through_pil(on_pil, img)
