"""The base of transforms: maps of random numbers with a known change of volume."""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from proa.core import InvalidTypeError, Tensor, UnsupportedError, to_tensor
from proa.ops import expand

from ._distribution import sum_rightmost
from ._parameters import shape_of


class Type(enum.Enum):
    """What kind of map a transform is."""

    BIJECTION = "bijection"
    INJECTION = "injection"
    SURJECTION = "surjection"
    OTHER = "other"

    @classmethod
    def is_injective(cls, kind: Type) -> bool:
        """Whether different inputs have different results.

        Args:
            kind: the kind of map.
        """
        return kind in (cls.BIJECTION, cls.INJECTION)


@dataclass(frozen=True)
class Variable:
    """A set of events: how many of the last axes make one event."""

    event_rank: int = 0
    is_discrete: bool = False


REAL = Variable()
VECTOR = Variable(1)


@functools.singledispatch
def apply_transform(x: Any, transform: Transform) -> Any:
    """Applies a transform to numbers; distributions and transforms register their own way."""
    return transform.forward(x)


class Transform:
    """Base of transforms.

    A subclass gives `_forward(x)`, `_inverse(y)` and one of `_forward_log_det_jacobian(x)` and
    `_inverse_log_det_jacobian(y)`; where it changes shapes also `_forward_shape` and
    `_inverse_shape`. Calling a transform on a distribution gives the distribution of the
    results, on another transform the chain of both, on a Tensor the result.

    Raises:
        UnsupportedError: what is asked for is not given by the subclass.

    Examples:
        >>> import proa
        >>> class Double(proa.distribution.Transform):
        ...     def _forward(self, x):
        ...         return 2 * x
        ...     def _inverse(self, y):
        ...         return y / 2
        ...     def _forward_log_det_jacobian(self, x):
        ...         return proa.full_like(x, 0.6931)
        >>> twice = Double()(proa.distribution.Uniform(0.0, 1.0))
        >>> round(twice.prob(1.0).item(), 2)
        0.5
    """

    _type = Type.INJECTION

    def __init__(self) -> None:
        super().__init__()

    @classmethod
    def _is_injective(cls) -> bool:
        return Type.is_injective(cls._type)

    def __call__(self, input: Any) -> Any:
        return apply_transform(input, self)

    @property
    def _domain(self) -> Any:
        return REAL

    @property
    def _codomain(self) -> Any:
        return REAL

    def forward(self, x: Any) -> Any:
        """The result of the map.

        Args:
            x: a Tensor of floating dtype, or numbers.
        """
        return self._forward(self._read(x))

    def inverse(self, y: Any) -> Any:
        """What the map takes to `y`.

        Args:
            y: a Tensor of floating dtype, or numbers.
        """
        return self._inverse(self._read(y))

    def forward_log_det_jacobian(self, x: Any) -> Any:
        """Logarithm of the change of volume, `log |det df/dx|`, at `x`.

        Args:
            x: a Tensor of floating dtype, or numbers.
        """
        self._need_injective("forward_log_det_jacobian")
        x = self._read(x)
        known = getattr(self, "_forward_log_det_jacobian", None)
        if known is not None:
            return known(x)
        known = getattr(self, "_inverse_log_det_jacobian", None)
        if known is not None:
            return -known(self.forward(x))
        self._missing("_forward_log_det_jacobian")

    def inverse_log_det_jacobian(self, y: Any) -> Any:
        """Logarithm of the inverse map's change of volume at `y`.

        Args:
            y: a Tensor of floating dtype, or numbers.
        """
        y = self._read(y)
        known = getattr(self, "_inverse_log_det_jacobian", None)
        if known is not None:
            return known(y)
        self._need_injective("inverse_log_det_jacobian")
        known = getattr(self, "_forward_log_det_jacobian", None)
        if known is not None:
            return -known(self._inverse(y))
        self._missing("_inverse_log_det_jacobian")

    def forward_shape(self, shape: Any) -> tuple[Any, ...]:
        """Shape of the result for an input of a shape.

        Args:
            shape: integers.
        """
        return self._forward_shape(self._read_shape(shape))

    def inverse_shape(self, shape: Any) -> tuple[Any, ...]:
        """Shape of the input for a result of a shape.

        Args:
            shape: integers.
        """
        return self._inverse_shape(self._read_shape(shape))

    # What subclasses override -----------------------------------------------------------------

    def _forward(self, x: Any) -> Any:
        self._missing("_forward")

    def _inverse(self, y: Any) -> Any:
        self._missing("_inverse")

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return shape

    def _inverse_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return shape

    # Checks -----------------------------------------------------------------------------------

    def _missing(self, what: str) -> NoReturn:
        raise UnsupportedError(
            f"`{what}` of `{type(self).__name__}`",
            expected="a transform that says how",
            fix=f"define `{what}` in the subclass",
        )

    def _need_injective(self, what: str) -> None:
        if not self._is_injective():
            raise UnsupportedError(
                f"`{what}` of `{type(self).__name__}`, which maps several inputs to one result",
                expected="an injective transform",
                fix="use it for samples only, or take another transform",
            )

    def _read(self, x: Any) -> Any:
        if isinstance(x, Tensor):
            return x
        if isinstance(x, int | float | np.number):
            return to_tensor(float(x))
        if isinstance(x, np.ndarray | list):
            return to_tensor(x)
        raise InvalidTypeError(
            f"an input of `{type(self).__name__}` is {x!r} ({type(x).__name__})"[:200],
            expected="a Tensor or numbers",
            fix="convert it first: proa.to_tensor(...)",
        )

    def _read_shape(self, shape: Any) -> tuple[Any, ...]:
        if isinstance(shape, list | tuple):
            return tuple(shape)
        raise InvalidTypeError(
            f"`shape` given to `{type(self).__name__}` is {shape!r} ({type(shape).__name__})"[:200],
            expected="a list or tuple of integers",
            fix="write (3, 2)",
        )


def log_volume(transform: Transform, x: Any, event_rank: int) -> Any:
    """A transform's forward log determinant, summed so that events have `event_rank` axes."""
    inner = transform._domain.event_rank
    result = transform.forward_log_det_jacobian(x)
    extra = event_rank - inner
    if not extra:
        return result
    shape = shape_of(x)
    wanted = shape[: len(shape) - inner]
    if len(shape_of(result)) < len(wanted):
        # The determinant of a scale that all entries share counts once for each of them.
        result = expand(result, wanted)
    return sum_rightmost(result, extra)


def require_transforms(owner: str, transforms: Any) -> list[Transform]:
    """A list of transforms.

    Raises:
        InvalidTypeError: something else.
    """
    is_sequence = isinstance(transforms, list | tuple)
    if not is_sequence or not all(isinstance(t, Transform) for t in transforms):
        raise InvalidTypeError(
            f"`transforms` of `{owner}` is {transforms!r}"[:200],
            expected="a list or tuple of Transform objects",
            fix="put the transform into a list: [ExpTransform()]",
        )
    return list(transforms)
