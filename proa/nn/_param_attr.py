"""What a user can say about a parameter before it exists."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidTypeError
from proa.regularizer import WeightDecayRegularizer

from .initializer import Initializer


class ParamAttr:
    """Name, initial values and training settings of a parameter.

    Args:
        name: name of the parameter; one is made up when it is `None`.
        initializer: fills the parameter; the layer's own default when it is `None`.
        learning_rate: factor on the optimiser's learning rate.
        regularizer: penalty that goes before the optimiser's weight decay.
        trainable: whether the optimiser updates the parameter.
        do_model_average: whether model averaging takes part.
        need_clip: whether gradient clipping takes part.

    Raises:
        InvalidTypeError: an argument has another type.

    Examples:
        >>> import proa
        >>> frozen = proa.ParamAttr(name="table", trainable=False)
        >>> proa.nn.Embedding(3, 2, weight_attr=frozen).weight.name
        'table'
    """

    #: Whether it asks for a length and a direction instead of a weight.
    is_normed = False

    def __init__(
        self,
        name: str | None = None,
        initializer: Initializer | None = None,
        learning_rate: float = 1.0,
        regularizer: WeightDecayRegularizer | None = None,
        trainable: bool = True,
        do_model_average: bool = True,
        need_clip: bool = True,
    ) -> None:
        _require_type("name", name, str | None, "a string or None")
        _require_type("initializer", initializer, Initializer | None, "an initialiser or None")
        _require_type("learning_rate", learning_rate, int | float, "a number")
        _require_type(
            "regularizer", regularizer, WeightDecayRegularizer | None, "a regularizer or None"
        )
        _require_type("trainable", trainable, bool, "True or False")
        _require_type("need_clip", need_clip, bool, "True or False")
        self.name = name
        self.initializer = initializer
        self.learning_rate = learning_rate
        self.regularizer = regularizer
        self.trainable = trainable
        self.do_model_average = do_model_average
        self.need_clip = need_clip

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"ParamAttr({settings})"


def _require_type(name: str, value: Any, types: Any, expected: str) -> None:
    if not isinstance(value, types):
        raise InvalidTypeError(
            f"ParamAttr: `{name}` is {value!r} ({type(value).__name__})",
            expected=expected,
            fix=f"see help(proa.ParamAttr) for `{name}`",
        )


def as_param_attr(value: Any) -> ParamAttr | None:
    """Reads a `weight_attr` or `bias_attr`.

    Args:
        value: a ParamAttr, a name, an initialiser, a regularizer; `None` or `True` for the
            defaults; `False` for no parameter at all.

    Returns:
        The settings, or `None` for no parameter.

    Raises:
        InvalidTypeError: anything else.
    """
    if value is None or value is True:
        return ParamAttr()
    if value is False:
        return None
    if isinstance(value, ParamAttr):
        if value.is_normed:
            raise InvalidTypeError(
                f"a parameter attribute of a layer is a {type(value).__name__}",
                expected="a ParamAttr: a layer has one parameter for its weight",
                fix="call nn.utils.weight_norm(layer, dim=...), or use the functions of static.nn",
            )
        return value
    if isinstance(value, str):
        return ParamAttr(name=value)
    if isinstance(value, Initializer):
        return ParamAttr(initializer=value)
    if isinstance(value, WeightDecayRegularizer):
        return ParamAttr(regularizer=value)
    raise InvalidTypeError(
        f"a parameter attribute is {value!r} ({type(value).__name__})",
        expected="a ParamAttr, a name, an initialiser, a regularizer, None, or False for none",
        fix="pass proa.ParamAttr(...)",
    )
