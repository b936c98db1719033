"""Tensor classes of one dtype: `FloatTensor(2, 3)`, `LongTensor([1, 2])`."""

from __future__ import annotations

from typing import Any

from proa.core import DType, InvalidArgumentError, Tensor, as_dtype, composite, to_tensor

from ._create import empty


class _OfOneDtype(type):
    """Calls give a Tensor of the class's dtype; tensors of that dtype count as instances."""

    wanted: DType

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        device = kwargs.pop("device", None)
        if kwargs:
            raise InvalidArgumentError(
                f"`{cls.__name__}` is given " + ", ".join(f"`{name}`" for name in kwargs),
                expected="values or lengths, and `device`",
                fix="use to_tensor for other settings",
            )
        if len(args) == 1 and not isinstance(args[0], int):
            return to_tensor(args[0], dtype=cls.wanted, place=device)
        if any(not isinstance(each, int) for each in args):
            raise InvalidArgumentError(
                f"`{cls.__name__}{args!r}`"[:200],
                expected="one list, array or tensor, or lengths as integers",
                fix="put values into a list",
            )
        return empty(list(args) if args else [0], dtype=cls.wanted, device=device)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype == cls.wanted


def _typed(name: str, dtype: str) -> type:
    text = f"""Makes {dtype} tensors: of values, or of lengths with any values in it.

    Args:
        args: a list, array or tensor; or lengths, one by one; nothing gives an empty tensor.
        kwargs: `device`, where it lies.

    Raises:
        InvalidArgumentError: something else.
    """
    members = {"__doc__": text, "__module__": __name__, "wanted": as_dtype(dtype)}
    return _OfOneDtype(name, (), members)


BFloat16Tensor = _typed("BFloat16Tensor", "bfloat16")
BoolTensor = _typed("BoolTensor", "bool")
ByteTensor = _typed("ByteTensor", "uint8")
CharTensor = _typed("CharTensor", "int8")
DoubleTensor = _typed("DoubleTensor", "float64")
FloatTensor = _typed("FloatTensor", "float32")
HalfTensor = _typed("HalfTensor", "float16")
IntTensor = _typed("IntTensor", "int32")
LongTensor = _typed("LongTensor", "int64")
ShortTensor = _typed("ShortTensor", "int16")


@composite
def tensor(
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Makes a tensor of values: `to_tensor` with PyTorch's keywords.

    Args:
        data: a number, a (nested) list, an array or a Tensor.
        dtype: dtype; `None` follows `data`.
        device: where it lies; `None` for the current device.
        requires_grad: whether a gradient is wanted.
        pin_memory: kept for the signature.

    Examples:
        >>> import proa
        >>> proa.tensor([1.0, 2.0], requires_grad=True).stop_gradient
        False
    """
    return to_tensor(data, dtype=dtype, place=device, stop_gradient=not requires_grad)
