"""Dropout as layers: they do nothing in evaluation mode."""

from __future__ import annotations

from collections.abc import Sequence

from . import functional as F
from ._function_layer import FunctionLayer


class Dropout(
    FunctionLayer, function=F.dropout, trains=True, shown=("p", "axis", "mode", "inplace")
):
    """Sets elements to zero at random, in training mode.

    Args:
        p: probability of a zero, in [0, 1].
        inplace: write the result to the input.
        axis: axes along which elements are dropped one by one; along the others all share
            their fate. `None` for all axes.
        mode: `"upscale_in_train"` divides what is kept by `1 - p`; `"downscale_in_infer"`
            multiplies by `1 - p` in evaluation mode instead.
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: (at the call) `p` or `mode` is out of range.

    Examples:
        >>> import proa
        >>> drop = proa.nn.Dropout(0.5)
        >>> drop.eval()(proa.ones([2])).tolist()
        [1.0, 1.0]
    """

    p: float = 0.5
    inplace: bool = False
    axis: int | Sequence[int] | None = None
    mode: str = "upscale_in_train"
    name: str | None = None


class Dropout2D(FunctionLayer, function=F.dropout2d, trains=True):
    """Sets whole channels of images to zero at random, in training mode.

    Args:
        p: probability of a zero channel, in [0, 1].
        data_format: `"NCHW"` or `"NHWC"`.
        name: printed; kept for Paddle's signature.
    """

    p: float = 0.5
    data_format: str = "NCHW"
    name: str | None = None


class Dropout3D(FunctionLayer, function=F.dropout3d, trains=True):
    """Sets whole channels of volumes to zero at random, in training mode.

    Args:
        p: probability of a zero channel, in [0, 1].
        data_format: `"NCDHW"` or `"NDHWC"`.
        name: printed; kept for Paddle's signature.
    """

    p: float = 0.5
    data_format: str = "NCDHW"
    name: str | None = None


class AlphaDropout(FunctionLayer, function=F.alpha_dropout, trains=True):
    """Dropout that keeps mean and variance of SELU networks, in training mode.

    Args:
        p: probability of dropping, in [0, 1].
        name: printed; kept for Paddle's signature.

    References:
        Klambauer et al., "Self-normalizing neural networks", 2017.
    """

    p: float = 0.5
    name: str | None = None


class FeatureAlphaDropout(FunctionLayer, function=F.feature_alpha_dropout, trains=True):
    """Alpha dropout of whole channels, in training mode.

    Args:
        p: probability of dropping a channel, in [0, 1].
        name: printed; kept for Paddle's signature.
    """

    p: float = 0.5
    name: str | None = None
