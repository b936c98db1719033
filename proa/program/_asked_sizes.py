"""What user code may ask an unknown size while it is being recorded.

JAX answers `size == 1` with False where it cannot know, since its caches compare sizes too. A
user who asks would get code for one answer alone. So such a question of the user's own code
raises what asking for `<` raises, and converted code, which is recorded for both answers, asks
in another way (`jit/_operators.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from jax import errors

from proa.core import Size, context, is_dimension, is_users_frame, to_tensor, user_location

from ._dims import make_dimension
from ._program import NeedsConversion

#: The class of symbolic dimensions, which JAX does not export.
_Dimension: Any = type(make_dimension("a_size"))
_equals = _Dimension.__eq__
_hash = _Dimension.__hash__
_power = _Dimension.__pow__


def may_be_equal(a: Any, b: Any) -> bool | None:
    """Whether two sizes are equal; `None` where that depends on the unknown ones."""
    if not all(is_dimension(each) or isinstance(each, int) for each in (a, b)):
        return bool(a == b)
    if not (is_dimension(a) or is_dimension(b)):
        return a == b
    if _equals(a, b) if is_dimension(a) else _equals(b, a):
        return True
    try:
        return False if bool(a < b) or bool(a > b) else None
    except errors.InconclusiveDimensionOperation:
        return None


def _asked_by_user() -> bool:
    if context.recorder is None:
        return False
    frame: Any = sys._getframe(2)
    while frame.f_globals.get("__name__") == Size.__module__:
        frame = frame.f_back  # a shape compares its sizes for whoever asks
    return is_users_frame(frame)


def _question(what: str) -> NeedsConversion:
    return NeedsConversion(
        f"the code at {user_location()} asks what depends on an unknown size: {what}",
        expected="code that does the same for all sizes, or a branch of a converted function",
        fix="give the dimension a fixed size in the InputSpec; in a static Program, branch with "
        "static.nn.cond on paddle.shape(x)",
    )


def _equal(self: Any, other: Any) -> bool:
    if _equals(self, other):
        return True
    if _asked_by_user() and may_be_equal(self, other) is None:
        raise _question(f"whether the size '{self}' is {other}")
    return False


def _unequal(self: Any, other: Any) -> bool:
    if _equals(self, other):
        return False
    if _asked_by_user() and may_be_equal(self, other) is None:
        raise _question(f"whether the size '{self}' is {other}")
    return True


def _looked_up(self: Any) -> int:
    if _asked_by_user():
        raise _question(f"the size '{self}' as a key of a dict, set or cache: what it finds there")
    return _hash(self)


def _ordering(name: str) -> Callable[[Any, Any], bool]:
    """One of `<`, `<=`, `>`, `>=`, with an error that says where it was asked."""
    original = getattr(_Dimension, name)

    def compared(self: Any, other: Any) -> bool:
        try:
            return original(self, other)
        except errors.InconclusiveDimensionOperation as error:
            if _asked_by_user():
                raise _question(f"how the size '{self}' compares with {other}") from error
            raise

    return compared


def _divided(self: Any, divisor: Any) -> Any:
    size: Any = to_tensor(self)
    return size / (to_tensor(divisor) if is_dimension(divisor) else divisor)


def _dividing(self: Any, dividend: Any) -> Any:
    return dividend / to_tensor(self)


def _raised(self: Any, power: Any, modulo: Any = None) -> Any:
    if isinstance(power, float):
        size: Any = to_tensor(self)
        return size.astype("float32") ** power
    return _power(self, power, modulo)


_Dimension.__eq__, _Dimension.__ne__, _Dimension.__hash__ = _equal, _unequal, _looked_up
for _name in ("__lt__", "__le__", "__gt__", "__ge__"):
    setattr(_Dimension, _name, _ordering(_name))
# A number that is no size: a tensor, as sizes are where they are not known yet.
_Dimension.__truediv__, _Dimension.__rtruediv__ = _divided, _dividing
_Dimension.__pow__ = _raised
