"""The table of Kullback-Leibler divergences, by the classes of the two distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from proa.core import InvalidTypeError, UnsupportedError

F = TypeVar("F", bound=Callable[..., Any])
_FORMULAS: dict[tuple[type, type], Callable[[Any, Any], Any]] = {}


def register_kl(cls_p: type, cls_q: type) -> Callable[[F], F]:
    """Decorator that makes a function the divergence of two classes of distributions.

    The function serves subclasses too, unless a nearer one is registered. A later function for
    the same classes takes the place of an earlier one.

    Args:
        cls_p: class of the first distribution.
        cls_q: class of the second one.

    Returns:
        A decorator that gives the function back.

    Raises:
        InvalidTypeError: what is given is no class.

    Examples:
        >>> import proa
        >>> from proa.distribution import Normal, register_kl, kl_divergence
        >>> class Fixed(Normal): pass
        >>> @register_kl(Fixed, Fixed)
        ... def kl_fixed(p, q):
        ...     return proa.zeros([1])
        >>> kl_divergence(Fixed(0.0, 1.0), Fixed(1.0, 1.0)).tolist()
        [0.0]
    """
    for name, given in (("cls_p", cls_p), ("cls_q", cls_q)):
        if not isinstance(given, type):
            raise InvalidTypeError(
                f"`{name}` of `register_kl` is {given!r}"[:200],
                expected="a subclass of Distribution",
                fix="pass the class, not an instance",
            )

    def decorate(function: F) -> F:
        _FORMULAS[cls_p, cls_q] = function
        return function

    return decorate


def kl_divergence(p: Any, q: Any) -> Any:
    """Kullback-Leibler divergence, `KL(p || q) = E_p[log p(x) - log q(x)]`, in nats.

    Args:
        p: distribution that the mean is taken over.
        q: distribution compared with it.

    Returns:
        A Tensor of the batch shape, one divergence for each pair.

    Raises:
        UnsupportedError: no formula is registered for the two classes.

    Examples:
        >>> import proa
        >>> from proa.distribution import Normal
        >>> kl = proa.distribution.kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
        >>> round(kl.item(), 4)
        0.5
    """
    left, right = type(p).__mro__, type(q).__mro__
    found = [
        (left.index(a) + right.index(b), left.index(a), function)
        for (a, b), function in _FORMULAS.items()
        if a in left and b in right
    ]
    if not found:
        names = f"`{type(p).__name__}` and `{type(q).__name__}`"
        raise UnsupportedError(
            f"`kl_divergence` of {names}",
            expected="two distributions with a known formula",
            fix="add one with @proa.distribution.register_kl, or average over samples of p",
        )
    return min(found, key=lambda entry: entry[:2])[2](p, q)
