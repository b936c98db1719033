"""The initialisers that hold where a layer is told nothing else."""

from __future__ import annotations

from proa.core import InvalidTypeError

from ._base import Initializer

_weight_init: list[Initializer | None] = [None]
_bias_init: list[Initializer | None] = [None]


def set_global_initializer(
    weight_init: Initializer | None, bias_init: Initializer | None = None
) -> None:
    """Sets the initialisers of new parameters; `ParamAttr(initializer=...)` still goes first.

    Args:
        weight_init: for weights; `None` gives each layer its own default back.
        bias_init: for biases; `None` gives each layer its own default back.

    Raises:
        InvalidTypeError: an argument is no initialiser.

    Examples:
        >>> import proa
        >>> from proa.nn import initializer
        >>> initializer.set_global_initializer(initializer.Constant(0.5))
        >>> proa.nn.Linear(1, 1).weight.tolist()
        [[0.5]]
        >>> initializer.set_global_initializer(None)
    """
    for name, value in (("weight_init", weight_init), ("bias_init", bias_init)):
        if not isinstance(value, Initializer | None):
            raise InvalidTypeError(
                f"`{name}` is a {type(value).__name__}",
                expected="an initialiser or None",
                fix="pass an instance, for example proa.nn.initializer.XavierNormal()",
            )
    _weight_init[0], _bias_init[0] = weight_init, bias_init


def global_initializer(is_bias: bool) -> Initializer | None:
    """Returns the initialiser set for weights or biases, if any."""
    return (_bias_init if is_bias else _weight_init)[0]
