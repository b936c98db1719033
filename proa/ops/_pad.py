"""Padding of images with zeros."""

from __future__ import annotations

from typing import Any

from proa.core import Tensor, composite

from ._manipulate_pad import pad


@composite
def zeropad2d(
    x: Tensor, padding: Any, data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Pads images with zeros.

    Args:
        x: tensor [N, C, H, W] (or [N, H, W, C]).
        padding: an integer, or `[left, right, top, bottom]`.
        data_format: `'NCHW'` or `'NHWC'`.

    Raises:
        InvalidArgumentError: the widths do not fit.

    Examples:
        >>> import proa
        >>> proa.nn.functional.zeropad2d(proa.ones([1, 1, 2, 2]), [1, 0, 0, 2]).shape
        [1, 1, 4, 3]
    """
    return pad(x, padding, "constant", 0.0, data_format)
