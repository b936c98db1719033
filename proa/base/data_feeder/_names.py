"""Checks of arguments that layers of users call."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidTypeError, Tensor, as_dtype
from proa.utils._shelf import shelf


def check_type(
    input: Any, input_name: str, expected_type: Any, op_name: str, extra_message: str = ""
) -> None:
    """Checks the type of an argument.

    Args:
        input: the argument.
        input_name: its name.
        expected_type: a type, or several.
        op_name: who asks.
        extra_message: is put behind the message.

    Raises:
        InvalidTypeError: it has another type.
    """
    if not isinstance(input, expected_type):
        raise InvalidTypeError(
            f"`{input_name}` of `{op_name}` is {input!r} ({type(input).__name__})"[:200],
            expected=str(expected_type),
            fix=extra_message or "pass such an object",
        )


def check_dtype(
    input_dtype: Any, input_name: str, expected_dtype: Any, op_name: str, extra_message: str = ""
) -> None:
    """Checks the dtype of an argument.

    Args:
        input_dtype: its dtype.
        input_name: its name.
        expected_dtype: a name of a dtype, or several.
        op_name: who asks.
        extra_message: is put behind the message.

    Raises:
        InvalidTypeError: it has another dtype.
    """
    wanted = [expected_dtype] if isinstance(expected_dtype, str) else list(expected_dtype)
    if as_dtype(input_dtype).name not in wanted:
        raise InvalidTypeError(
            f"`{input_name}` of `{op_name}` has the dtype {as_dtype(input_dtype).name}",
            expected="one of " + ", ".join(wanted),
            fix=extra_message or "cast it",
        )


def check_variable_and_dtype(
    input: Any, input_name: str, expected_dtype: Any, op_name: str, extra_message: str = ""
) -> None:
    """Checks that an argument is a tensor of a dtype.

    Args:
        input: the argument.
        input_name: its name.
        expected_dtype: a name of a dtype, or several.
        op_name: who asks.
        extra_message: is put behind the message.

    Raises:
        InvalidTypeError: it is none.
    """
    check_type(input, input_name, Tensor, op_name, extra_message)
    check_dtype(input.dtype, input_name, expected_dtype, op_name, extra_message)


def convert_dtype(dtype: Any) -> str:
    """Returns the name of a dtype.

    Args:
        dtype: a dtype.
    """
    return as_dtype(dtype).name


_OWN = "a check of your own; the ops of paddle check their arguments"
NAMES: dict[str, str | tuple[Any, str]] = {
    "check_dtype": (check_dtype, _OWN),
    "check_type": (check_type, _OWN),
    "check_variable_and_dtype": (check_variable_and_dtype, _OWN),
    "convert_dtype": (convert_dtype, "dtype.name"),
}
__getattr__, __dir__ = shelf("paddle.base.data_feeder", NAMES)
