"""A table of a network's layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from proa.core import InvalidTypeError
from proa.nn import Layer

from ._trace import Row, read_example, trace

_MIB = 2**20


def summary(
    net: Any, input_size: Any = None, dtypes: Any = None, input: Any = None
) -> dict[str, int]:
    """Prints the layers of a network with their shapes and numbers of parameters.

    Nothing is computed for it: the network is only recorded. A layer has a row when it has
    parameters of its own or no layers below; one that is called several times has one row.
    Parameters that are shared count once.

    Args:
        net (Layer): the network.
        input_size (tuple | InputSpec | list, optional): shape of the input, or shapes of the
            inputs; sizes of `None` or -1 become 1.
        dtypes (str | list[str], optional): dtype of the inputs, or one each; the default
            dtype when it is not given.
        input (Tensor | list[Tensor] | dict, optional): example inputs in place of shapes.

    Returns:
        dict: `total_params` and `trainable_params`, numbers of elements.

    Raises:
        InvalidTypeError: `net` is no Layer.
        InvalidArgumentError: no shapes are given, or the network cannot take them.

    Examples:
        >>> import proa
        >>> net = proa.nn.Sequential(proa.nn.Linear(4, 8), proa.nn.ReLU(), proa.nn.Linear(8, 2))
        >>> proa.summary(net, (1, 4))["total_params"]  # doctest: +ELLIPSIS
        ---...
          Layer (type)...
        58
    """
    check_network(net)
    example = read_example(input_size, dtypes, input)
    rows = [row for row in trace(net, example) if row.parameters or not list(row.layer.children())]
    parameters = list({id(t): t for t in net.parameters()}.values())
    total = sum(t.size for t in parameters)
    trainable = sum(t.size for t in parameters if not t.stop_gradient)
    for line in _table(rows, total, trainable, example.element_bytes(), _bytes_of(parameters)):
        print(line)
    print()
    return {"total_params": total, "trainable_params": trainable}


def check_network(net: Any) -> None:
    """Raises unless a network is a Layer."""
    if not isinstance(net, Layer):
        raise InvalidTypeError(
            f"`net` is a {type(net).__name__}",
            expected="a proa.nn.Layer",
            fix="pass the network itself",
        )


def _bytes_of(parameters: Sequence[Any]) -> int:
    return sum(t.size * t.dtype.numpy.itemsize for t in parameters)


def _elements(shapes: Any) -> int:
    if shapes is None:
        return 0
    if all(isinstance(each, int) for each in shapes):
        return int(np.prod(shapes))
    return sum(_elements(each) for each in shapes)


def _table(
    rows: Sequence[Row], total: int, trainable: int, input_bytes: int, parameter_bytes: int
) -> list[str]:
    cells = [(row.label, str(row.inputs), str(row.outputs), f"{row.num_params:,}") for row in rows]
    heads = ("Layer (type)", "Input Shape", "Output Shape", "Param #")
    least = (15, 20, 20, 15)
    widths = [max(w, *(len(c[i]) for c in cells), 0) for i, w in enumerate(least)]
    width = sum(widths) + 5
    # Float32 values, held once for the output and once for its gradient.
    passing = 2 * 4 * sum(_elements(row.outputs) for row in rows)
    sizes = (
        ("Input size", input_bytes),
        ("Forward/backward pass size", passing),
        ("Params size", parameter_bytes),
        ("Estimated Total Size", input_bytes + passing + parameter_bytes),
    )
    lines = ["-" * width, _line(heads, widths), "=" * width]
    lines += [_line(cell, widths) for cell in cells]
    lines += [
        "=" * width,
        f"Total params: {total:,}",
        f"Trainable params: {trainable:,}",
        f"Non-trainable params: {total - trainable:,}",
        "-" * width,
        *(f"{name} (MB): {size / _MIB:.2f}" for name, size in sizes),
        "-" * width,
    ]
    return lines


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    parts = [f"{cell:^{width}}" for cell, width in zip(cells, widths, strict=True)]
    return " ".join(parts)
