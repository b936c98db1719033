"""Arrays as PNG pictures inside a page."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import Any

import numpy as np

from proa.core._errors import InvalidArgumentError


def image_uri(image: Any) -> str:
    """An image as a `data:` URI that holds a PNG.

    Args:
        image: values 0..255 as `[height, width]` or `[height, width, 3]`, or such a URI already.

    Raises:
        InvalidArgumentError: the array has another shape or values beyond 0..255.
    """
    if isinstance(image, str) and image.startswith("data:image/"):
        return html.escape(image, quote=True)
    try:
        pixels = np.asarray(image, np.float64)
    except (TypeError, ValueError) as error:
        raise _refused(f"a {type(image).__name__} of no numbers") from error
    shape_fits = pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] == 3)
    # The comparison is false for NaN as well.
    if not shape_fits or not pixels.size or not ((pixels >= 0) & (pixels <= 255)).all():
        values = f", values {pixels.min():g} to {pixels.max():g}" if pixels.size else ""
        raise _refused(f"an array of shape {list(pixels.shape)}{values}")
    rows = np.ascontiguousarray(pixels.astype(np.uint8)).reshape(len(pixels), -1)
    # Each row of a PNG starts with the number of its filter; 0 is none.
    data = zlib.compress(np.pad(rows, ((0, 0), (1, 0))).tobytes(), 9)
    kind = 0 if pixels.ndim == 2 else 2
    header = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, kind, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )
    return "data:image/png;base64," + base64.b64encode(png).decode()


def _refused(what: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"a sample image is {what}",
        expected="values 0..255, [height, width] or [height, width, 3]",
        fix="pass the image as it was before normalisation",
    )
