"""Rows for `paddle.vision.transforms` on tensors; PIL images and arrays are no rows of a table."""

from __future__ import annotations

from typing import Any

from parity.table import Array, Call, array, integers, uniform

_ROOM = "paddle.vision.transforms"
# A colour image with values of 1, a grey one, and one of bytes.
_COLOUR = uniform(3, 6, 8, low=0.0)
_GREY = uniform(1, 6, 8, low=0.0)
_BYTES = integers(3, 6, 8, high=256, dtype="uint8")
_MEAN, _SPREAD = [0.4, 0.5, 0.6], [0.2, 0.3, 0.4]
_FROM = [[0, 0], [7, 0], [7, 5], [0, 5]]
_TO = [[1, 0], [6, 1], [7, 5], [0, 4]]


def _rows(name: str, images: tuple[Array, ...], *arguments: tuple[Any, ...]) -> list[Call]:
    return [Call(f"{_ROOM}.{name}", x, *given) for x in images for given in arguments]


# The real wheel has no kernels of bytes for the others.
_BOTH = (_COLOUR, _GREY)
_ALL = (_COLOUR, _GREY, _BYTES)
_CUT = "bytes are rounded; the real ones are cut off, so that a shift by 0 darkens"

CALLS = (
    *_rows("adjust_brightness", _BOTH, (0.5,), (1.0,), (1.7,), (0.0,)),
    *_rows("adjust_contrast", (_COLOUR,), (0.5,), (1.0,), (1.7,), (0.0,)),
    *_rows("functional.adjust_saturation", (_COLOUR,), (0.5,), (1.0,), (1.7,), (0.0,)),
    *_rows("adjust_hue", (_COLOUR,), (0.1,), (-0.3,), (0.0,), (0.5,)),
    *(Call(f"{_ROOM}.adjust_hue", _BYTES, shift, differs=_CUT) for shift in (0.1, 0.0)),
    *_rows("to_grayscale", (_COLOUR,), (1,), (3,)),
    *_rows("normalize", (_COLOUR,), (_MEAN, _SPREAD), (_MEAN, _SPREAD, "CHW")),
    *_rows("hflip", _BOTH, ()),
    *_rows("vflip", _BOTH, ()),
    *_rows("crop", _ALL, (1, 2, 3, 4), (0, 0, 6, 8)),
    *_rows("center_crop", _ALL, (4,), ((3, 5),)),
    *_rows("resize", _BOTH, ((3, 4),), ((12, 16),), (3,), ((3, 4), "nearest"), ((9, 5), "bicubic")),
    *_rows("pad", _BOTH, (1,), ([1, 2],), ([1, 0, 2, 3], 0.5)),
    *_rows("pad", _BOTH, ([1, 2], 0, "edge"), ([1, 2], 0, "reflect")),
    *_rows("rotate", _BOTH, (30.0,), (90.0,), (-45.0, "bilinear")),
    *_rows("affine", (_COLOUR,), (20.0, [1, -1], 1.2, [5.0, 0.0])),
    *_rows("affine", (_COLOUR,), (0.0, [2, 1], 1.0, [0.0, 0.0]), (0.0, [0, 0], 0.8, [10.0, 5.0])),
    *_rows("perspective", (_COLOUR,), (_FROM, _TO), (_FROM, _TO, "bilinear")),
    *_rows("erase", (_COLOUR, _BYTES), (1, 2, 3, 4, array(0.0, fixed=True))),
    Call(f"{_ROOM}.Normalize", _MEAN, _SPREAD, methods=(("__call__", _COLOUR),)),
    Call(f"{_ROOM}.Resize", (3, 4), methods=(("__call__", _COLOUR),)),
    Call(f"{_ROOM}.CenterCrop", 4, methods=(("__call__", _BYTES),)),
    Call(f"{_ROOM}.Grayscale", 3, methods=(("__call__", _COLOUR),)),
    Call(f"{_ROOM}.Pad", 2, methods=(("__call__", _COLOUR),)),
    Call(f"{_ROOM}.crop", _COLOUR, 1, 2, 3, "x", error=True),
    Call(f"{_ROOM}.resize", _COLOUR, (3, 4), "odd", error=True),
    Call(f"{_ROOM}.pad", _COLOUR, "x", error=True),
    Call(f"{_ROOM}.adjust_hue", _COLOUR, 0.7, error=True),
    Call(f"{_ROOM}.to_grayscale", _COLOUR, 2, error=True),
)
