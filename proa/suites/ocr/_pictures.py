"""Pictures as inputs of the three nets of a text reader, and lines cut out of them."""

from __future__ import annotations

from typing import Any

import numpy as np

# Of ImageNet, per channel; channels stand as blue, green, red in these nets.
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_SPREAD = np.array([0.229, 0.224, 0.225], np.float32)


def as_picture(source: Any) -> Any:
    """Returns a PIL picture in colour of a path, an array [H, W, 3] (RGB) or a picture."""
    from PIL import Image

    if isinstance(source, np.ndarray):
        return Image.fromarray(source).convert("RGB")
    if isinstance(source, Image.Image):
        return source.convert("RGB")
    with Image.open(source) as opened:
        return opened.convert("RGB")


def _channels_first(picture: Any) -> np.ndarray:
    """Array [3, H, W] of 0..1, blue first."""
    array = np.asarray(picture, np.float32)[:, :, ::-1] / 255
    return np.ascontiguousarray(array.transpose(2, 0, 1))


def for_detector(picture: Any, longest: int, multiple: int) -> np.ndarray:
    """Array [1, 3, H, W]: at most `longest` wide and high, both multiples of `multiple`."""
    factor = min(1.0, longest / max(picture.size))
    sides = [max(multiple, round(s * factor / multiple) * multiple) for s in picture.size]
    array = _channels_first(picture.resize(sides, 2))
    return ((array - _MEAN[:, None, None]) / _SPREAD[:, None, None])[None]


def for_line(picture: Any, height: int, width: int) -> np.ndarray:
    """Array [3, height, width] of a line: its form is kept, what is left over is 0."""
    wide = min(width, max(1, int(np.ceil(height * picture.size[0] / picture.size[1]))))
    array = np.zeros((3, height, width), np.float32)
    array[:, :, :wide] = (_channels_first(picture.resize((wide, height), 2)) - 0.5) / 0.5
    return array


def cut_out(picture: Any, corners: np.ndarray) -> Any:
    """Returns the quadrilateral as an upright picture; a column of text is laid on its side."""
    from PIL import Image

    lengths = np.linalg.norm(np.roll(corners, -1, 0) - corners, axis=1)
    width, height = (max(1, int(max(lengths[i], lengths[i + 2]))) for i in (0, 1))
    target = [(0, 0), (width, 0), (width, height), (0, height)]
    # The projective map from the target to the picture: 8 equations in 8 unknowns.
    rows, values = [], []
    for (x, y), (u, v) in zip(target, corners.tolist(), strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    factors = np.linalg.lstsq(np.array(rows), np.array(values), rcond=None)[0]
    made = picture.transform(
        (width, height), Image.Transform.PERSPECTIVE, factors.tolist(), Image.Resampling.BICUBIC
    )
    return made.rotate(90, expand=True) if height >= 1.5 * width else made
