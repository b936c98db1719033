"""What transforms share, and their composition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from proa.core import InvalidArgumentError

_KINDS = ("image", "coords", "boxes", "mask")


class Compose:
    """Applies transforms one after the other.

    Args:
        transforms: functions of one item. An item that is a tuple or list of parts is given
            whole; `BaseTransform` knows how to take it apart.

    Example:
        >>> import numpy
        >>> from proa.vision.transforms import Compose, Resize, ToTensor
        >>> Compose([Resize(8), ToTensor()])(numpy.zeros([16, 16, 3], "uint8")).shape
        [3, 8, 8]
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def __call__(self, data: Any) -> Any:
        """Returns the transformed item."""
        for transform in _merged(self.transforms):
            data = transform(data)
        return data

    def __repr__(self) -> str:
        inner = "".join(f"    {transform}\n" for transform in self.transforms)
        return f"{type(self).__name__}(\n{inner})"


def _merged(transforms: Sequence[Callable[[Any], Any]]) -> list[Callable[[Any], Any]]:
    """The transforms, with one in place of two neighbours that know how to be one."""
    merged: list[Callable[[Any], Any]] = []
    for transform in transforms:
        before = merged[-1] if merged else None
        one = before._merged_with(transform) if isinstance(before, BaseTransform) else None
        if one is None:
            merged.append(transform)
        else:
            merged[-1] = one
    return merged


class BaseTransform:
    """Base of transforms that take an image, or a tuple with images in it.

    A subclass writes `_apply_image(image)`, and `_apply_coords`, `_apply_boxes`, `_apply_mask`
    where it changes those; `_get_params(inputs)` draws what all parts of one item share.

    Args:
        keys: what the parts of an item are, of `"image"`, `"coords"`, `"boxes"`, `"mask"`, or None
            for a part that stays as it is; `("image",)` when left out. Parts beyond the keys stay
            as they are.

    Raises:
        InvalidArgumentError: a key is unknown.

    Example:
        >>> from proa.vision.transforms import BaseTransform
        >>> class Half(BaseTransform):
        ...     def _apply_image(self, image):
        ...         return image // 2
        >>> Half()((8, "label"))
        (4, 'label')
    """

    def __init__(self, keys: Sequence[str | None] | None = None) -> None:
        keys = ("image",) if keys is None else keys
        if isinstance(keys, str) or not isinstance(keys, Sequence):
            raise InvalidArgumentError(
                f"`keys` is {keys!r}",
                expected="a list or tuple of names",
                fix="pass keys=('image', None) for an image and a label",
            )
        for key in keys:
            if key is not None and key not in _KINDS:
                raise InvalidArgumentError(
                    f"`keys` has {key!r}",
                    expected="None or one of " + ", ".join(map(repr, _KINDS)),
                    fix="use None for a part that stays as it is, such as a label",
                )
        self.keys = keys
        self.params: Any = None

    def _get_params(self, inputs: Any) -> Any:
        return None

    def _merged_with(self, following: Any) -> BaseTransform | None:
        """One transform that does what this one and the following do, bit for bit, but faster."""
        return None

    def __call__(self, inputs: Any) -> Any:
        """Returns the transformed image, or a tuple with the transformed parts."""
        parts = inputs if isinstance(inputs, tuple) else (inputs,)
        self.params = self._get_params(parts)
        outputs = []
        for index, part in enumerate(parts):
            key = self.keys[index] if index < len(self.keys) else None
            outputs.append(part if key is None else getattr(self, f"_apply_{key}")(part))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _image_of(self, inputs: Any) -> Any:
        """The first part that is an image."""
        return inputs[list(self.keys).index("image")] if "image" in self.keys else inputs[0]

    def _apply_image(self, image: Any) -> Any:
        raise self._missing("_apply_image")

    def _apply_boxes(self, boxes: Any) -> Any:
        raise self._missing("_apply_boxes")

    def _apply_mask(self, mask: Any) -> Any:
        raise self._missing("_apply_mask")

    def _apply_coords(self, coords: Any) -> Any:
        raise self._missing("_apply_coords")

    def _missing(self, method: str) -> NotImplementedError:
        message = f"{type(self).__name__} has no {method}: write it, or use another key"
        return NotImplementedError(message)


def pair_of_range(value: Any, name: str, middle: float, low: float, high: float) -> Any:
    """Returns the range `[middle - value, middle + value]`, cut at `low`; None where it is empty.

    Args:
        value: half of the width of the range, or the range itself.
        name: name of the argument, for messages.
        middle: the middle of the range.
        low: least allowed end.
        high: greatest allowed end.

    Raises:
        InvalidArgumentError: `value` is negative or the range goes beyond its limits.
    """
    is_number = isinstance(value, int | float)
    ends = [max(middle - value, low) if middle else -value, middle + value] if is_number else value
    fine = len(ends) == 2 and low <= ends[0] <= ends[1] <= high and not (is_number and value < 0)
    if not fine:
        raise InvalidArgumentError(
            f"`{name}` is {value!r}",
            expected=f"a number >= 0, or a range within [{low}, {high}]",
            fix=f"pass {name}=0 to leave it as it is",
        )
    return None if ends[0] == ends[1] == middle else list(ends)
