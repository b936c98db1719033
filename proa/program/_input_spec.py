"""InputSpec: what an input of a recorded function looks like, unknown sizes included."""

from __future__ import annotations

from typing import Any

from proa.core import DType, InvalidArgumentError, InvalidTypeError, as_dtype

from ._dims import format_shape, make_dimension


class InputSpec:
    """Describes one input of a compiled or saved function.

    Args:
        shape: sizes; `None` or -1 for an unknown one, a string for a named one. Equal
            names are equal sizes: `["batch", 10]` in two specs share their batch.
        dtype: dtype of the input.
        name: name of the input; the function's parameter name by default.
        stop_gradient: whether no gradient of the input is wanted.

    Raises:
        InvalidArgumentError: a size that is negative (other than -1).

    Examples:
        >>> from proa.static import InputSpec
        >>> InputSpec([None, 784], "float32", "image")
        InputSpec(shape=(-1, 784), dtype=paddle.float32, name=image, stop_gradient=False)
    """

    def __init__(
        self,
        shape: Any,
        dtype: Any = "float32",
        name: str | None = None,
        stop_gradient: bool = False,
    ) -> None:
        if isinstance(shape, int) or shape is None:
            raise InvalidTypeError(
                f"`shape` of InputSpec is {shape!r}",
                expected="a list or tuple of sizes",
                fix="write InputSpec([None, 784])",
            )
        self.shape = tuple([_size(extent) for extent in shape])
        self.dtype: DType = as_dtype(dtype)
        self.name = name
        self.stop_gradient = stop_gradient

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> InputSpec:
        """Describes a tensor."""
        return cls(tensor.shape, tensor.dtype, name or tensor.name)

    @classmethod
    def from_numpy(cls, ndarray: Any, name: str | None = None) -> InputSpec:
        """Describes a NumPy array."""
        return cls(ndarray.shape, ndarray.dtype, name)

    def batch(self, batch_size: int) -> InputSpec:
        """Puts a batch axis in front, in place, and returns itself."""
        self.shape = (_size(batch_size), *self.shape)
        return self

    def unbatch(self) -> InputSpec:
        """Takes the first axis away, in place, and returns itself."""
        if not self.shape:
            raise InvalidArgumentError(
                "unbatch() on a 0-d InputSpec", expected="at least one axis", fix="add one"
            )
        self.shape = self.shape[1:]
        return self

    def dimensions(self, position: int) -> tuple[Any, ...]:
        """Returns the shape with a symbolic dimension for each unknown size.

        The first axis of all specs is the same batch; other unknown sizes are their own.
        """
        made = []
        for axis, extent in enumerate(self.shape):
            if isinstance(extent, str):
                made.append(make_dimension(extent))
            elif extent == -1:
                label = "batch" if axis == 0 else f"{self.name or f'x{position}'}_{axis}"
                made.append(make_dimension(_identifier(label)))
            else:
                made.append(extent)
        return tuple(made)

    def __repr__(self) -> str:
        return (
            f"InputSpec(shape={self.shape}, dtype={self.dtype}, name={self.name}, "
            f"stop_gradient={self.stop_gradient})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InputSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return (self.shape, self.dtype, self.name, self.stop_gradient)

    def paste(self) -> str:
        """Returns the source text of this spec, for messages."""
        shape = "[" + ", ".join("None" if e == -1 else repr(e) for e in self.shape) + "]"
        name = f", name={self.name!r}" if self.name else ""
        return f"InputSpec({shape}, {self.dtype.name!r}{name})"


def _size(extent: Any) -> Any:
    if extent is None:
        return -1
    if isinstance(extent, str):
        return extent
    number = extent.__index__()
    if number < -1:
        raise InvalidArgumentError(
            f"a size of {number} in an InputSpec",
            expected="a size >= 0, or None for an unknown one",
            fix=f"write {format_shape(['None' if number < 0 else number])}",
        )
    return number


def _identifier(text: str) -> str:
    cleaned = "".join(c if c.isalnum() or c == "_" else "_" for c in text)
    return cleaned if cleaned[:1].isalpha() else f"d_{cleaned}"
