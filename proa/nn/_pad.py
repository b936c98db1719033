"""Padding as layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from proa.core import InvalidArgumentError

from . import functional as F
from ._function_layer import FunctionLayer

Sides = int | Sequence[int]


class _Pad(FunctionLayer):
    """What all paddings share."""

    #: Number of axes that are padded.
    _ndim: ClassVar[int]
    padding: Any
    data_format: str
    #: How the padding is made, where the user has no say in it.
    _mode: ClassVar[str] = "constant"

    def __post_init__(self) -> None:
        count = 2 * self._ndim
        sides = self.padding
        if isinstance(sides, int):
            self.padding = [sides] * count
        elif isinstance(sides, Sequence) and len(sides) != count:
            raise InvalidArgumentError(
                f"{type(self).__name__}: `padding` is {sides!r}",
                expected=f"one number, or {count}: before and after, from the last axis backwards",
                fix="give a number for each side",
            )

    def forward(self, x: Any) -> Any:
        """Returns the padded input."""
        mode, value = self._filling()
        return F.pad(x, self.padding, mode=mode, value=value, data_format=self.data_format)

    def _filling(self) -> tuple[str, float]:
        return getattr(self, "mode", self._mode), getattr(self, "value", 0.0)

    def extra_repr(self) -> str:
        """Returns the sides, mode, value and layout."""
        mode, value = self._filling()
        shown = f"padding={self.padding}, mode={mode}, value={value}"
        shown += f", data_format={self.data_format}"
        name = getattr(self, "name", None)
        return f"{shown}, name={name}" if name else shown


class Pad1D(_Pad, function=F.pad):
    """Adds places at both ends of sequences.

    Args:
        padding: how many at each side: a number or `[left, right]`.
        mode: `"constant"`, `"reflect"`, `"replicate"` or `"circular"`.
        value: what is added, for `"constant"`.
        data_format: `"NCL"` or `"NLC"`.
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length, or (at the call) `mode` is not known.
    """

    _ndim = 1
    padding: Sides
    mode: str = "constant"
    value: float = 0.0
    data_format: str = "NCL"
    name: str | None = None


class Pad2D(_Pad, function=F.pad):
    """Adds places at the borders of images.

    Args:
        padding: how many at each side: a number or `[left, right, top, bottom]`.
        mode: `"constant"`, `"reflect"`, `"replicate"` or `"circular"`.
        value: what is added, for `"constant"`.
        data_format: `"NCHW"` or `"NHWC"`.
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length, or (at the call) `mode` is not known.

    Examples:
        >>> import proa
        >>> proa.nn.Pad2D([1, 0, 2, 0])(proa.ones([1, 1, 2, 2])).shape
        [1, 1, 4, 3]
    """

    _ndim = 2
    padding: Sides
    mode: str = "constant"
    value: float = 0.0
    data_format: str = "NCHW"
    name: str | None = None


class Pad3D(_Pad, function=F.pad):
    """Adds places at the borders of volumes.

    Args:
        padding: how many at each side: a number or `[left, right, top, bottom, front, back]`.
        mode: `"constant"`, `"reflect"`, `"replicate"` or `"circular"`.
        value: what is added, for `"constant"`.
        data_format: `"NCDHW"` or `"NDHWC"`.
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length, or (at the call) `mode` is not known.
    """

    _ndim = 3
    padding: Sides
    mode: str = "constant"
    value: float = 0.0
    data_format: str = "NCDHW"
    name: str | None = None


class ZeroPad1D(_Pad, function=F.pad):
    """Adds zeros at both ends of sequences.

    Args:
        padding: how many places at each side: a number or `[left, right]`.
        data_format: "NCL" or "NLC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 1
    padding: Sides
    data_format: str = "NCL"
    name: str | None = None


class ZeroPad2D(_Pad, function=F.pad):
    """Adds zeros at the borders of images.

    Args:
        padding: how many places at each side: a number or `[left, right, top, bottom]`.
        data_format: "NCHW" or "NHWC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 2
    padding: Sides
    data_format: str = "NCHW"
    name: str | None = None


class ZeroPad3D(_Pad, function=F.pad):
    """Adds zeros at the borders of volumes.

    Args:
        padding: how many places at each side: a number or
            `[left, right, top, bottom, front, back]`.
        data_format: "NCDHW" or "NDHWC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 3
    padding: Sides
    data_format: str = "NCDHW"
    name: str | None = None


class ConstantPad1D(_Pad, function=F.pad):
    """Adds a value at both ends of sequences.

    Args:
        padding: how many places at each side: a number or `[left, right]`.
        value: what is added.
        data_format: "NCL" or "NLC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 1
    padding: Sides
    value: float
    data_format: str = "NCL"
    name: str | None = None


class ConstantPad2D(_Pad, function=F.pad):
    """Adds a value at the borders of images.

    Args:
        padding: how many places at each side: a number or `[left, right, top, bottom]`.
        value: what is added.
        data_format: "NCHW" or "NHWC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 2
    padding: Sides
    value: float
    data_format: str = "NCHW"
    name: str | None = None


class ConstantPad3D(_Pad, function=F.pad):
    """Adds a value at the borders of volumes.

    Args:
        padding: how many places at each side: a number or
            `[left, right, top, bottom, front, back]`.
        value: what is added.
        data_format: "NCDHW" or "NDHWC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 3
    padding: Sides
    value: float
    data_format: str = "NCDHW"
    name: str | None = None


class ReflectionPad1D(_Pad, function=F.pad):
    """Adds the mirror image (the border itself once) at both ends of sequences.

    Args:
        padding: how many places at each side: a number or `[left, right]`.
        data_format: "NCL" or "NLC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 1
    _mode = "reflect"
    padding: Sides
    data_format: str = "NCL"
    name: str | None = None


class ReflectionPad2D(_Pad, function=F.pad):
    """Adds the mirror image (the border itself once) at the borders of images.

    Args:
        padding: how many places at each side: a number or `[left, right, top, bottom]`.
        data_format: "NCHW" or "NHWC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 2
    _mode = "reflect"
    padding: Sides
    data_format: str = "NCHW"
    name: str | None = None


class ReflectionPad3D(_Pad, function=F.pad):
    """Adds the mirror image (the border itself once) at the borders of volumes.

    Args:
        padding: how many places at each side: a number or
            `[left, right, top, bottom, front, back]`.
        data_format: "NCDHW" or "NDHWC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 3
    _mode = "reflect"
    padding: Sides
    data_format: str = "NCDHW"
    name: str | None = None


class ReplicationPad1D(_Pad, function=F.pad):
    """Repeats the border at both ends of sequences.

    Args:
        padding: how many places at each side: a number or `[left, right]`.
        data_format: "NCL" or "NLC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 1
    _mode = "replicate"
    padding: Sides
    data_format: str = "NCL"
    name: str | None = None


class ReplicationPad2D(_Pad, function=F.pad):
    """Repeats the border at the borders of images.

    Args:
        padding: how many places at each side: a number or `[left, right, top, bottom]`.
        data_format: "NCHW" or "NHWC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 2
    _mode = "replicate"
    padding: Sides
    data_format: str = "NCHW"
    name: str | None = None


class ReplicationPad3D(_Pad, function=F.pad):
    """Repeats the border at the borders of volumes.

    Args:
        padding: how many places at each side: a number or
            `[left, right, top, bottom, front, back]`.
        data_format: "NCDHW" or "NDHWC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 3
    _mode = "replicate"
    padding: Sides
    data_format: str = "NCDHW"
    name: str | None = None


class CircularPad1D(_Pad, function=F.pad):
    """Goes on from the other end at both ends of sequences.

    Args:
        padding: how many places at each side: a number or `[left, right]`.
        data_format: "NCL" or "NLC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 1
    _mode = "circular"
    padding: Sides
    data_format: str = "NCL"
    name: str | None = None


class CircularPad2D(_Pad, function=F.pad):
    """Goes on from the other end at the borders of images.

    Args:
        padding: how many places at each side: a number or `[left, right, top, bottom]`.
        data_format: "NCHW" or "NHWC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 2
    _mode = "circular"
    padding: Sides
    data_format: str = "NCHW"
    name: str | None = None


class CircularPad3D(_Pad, function=F.pad):
    """Goes on from the other end at the borders of volumes.

    Args:
        padding: how many places at each side: a number or
            `[left, right, top, bottom, front, back]`.
        data_format: "NCDHW" or "NDHWC".
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `padding` has another length.
    """

    _ndim = 3
    _mode = "circular"
    padding: Sides
    data_format: str = "NCDHW"
    name: str | None = None


ConstantPad1d = ConstantPad1D
ConstantPad2d = ConstantPad2D
ConstantPad3d = ConstantPad3D
ReflectionPad1d = ReflectionPad1D
ReflectionPad2d = ReflectionPad2D
ReflectionPad3d = ReflectionPad3D
ReplicationPad1d = ReplicationPad1D
ReplicationPad2d = ReplicationPad2D
ReplicationPad3d = ReplicationPad3D
CircularPad1d = CircularPad1D
CircularPad2d = CircularPad2D
CircularPad3d = CircularPad3D
