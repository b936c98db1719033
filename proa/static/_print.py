"""Printing tensors while a Program runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from proa import ops
from proa.core import InvalidArgumentError, Tensor, as_dtype, context
from proa.program import Effect, record_effect

_PHASES = ("forward", "backward", "both")


class TensorPrinting(Effect):
    """Prints facts about a tensor, and some of its elements, in its first runs.

    Args:
        name: the tensor's name, or `None` to leave it out.
        message: a text, or `None`.
        first_n: how many runs print; -1 for all.
        summarize: how many elements are printed; -1 for all.
        shown: which of `shape`, `dtype`, `layout` and `lod` are printed.
    """

    def __init__(
        self, name: str | None, message: str | None, first_n: int, summarize: int, shown: Any
    ) -> None:
        self.name, self.message, self.shown = name, message, frozenset(shown)
        self.first_n, self.summarize = first_n, summarize
        self._runs = 0

    def __call__(self, *arrays: np.ndarray) -> None:
        self._runs += 1
        if 0 <= self.first_n < self._runs:
            return
        print(self.text(np.asarray(arrays[0])))

    def text(self, array: np.ndarray) -> str:
        """Returns what is printed of an array."""
        lines = [] if self.name is None else [f"Variable: {self.name}"]
        if self.message is not None:
            lines.append(f"  - message: {self.message}")
        facts = {
            "lod": "{}",
            "shape": list(array.shape),
            "layout": "NCHW",
            "dtype": as_dtype(array.dtype).name,
        }
        lines += [f"  - {fact}: {value}" for fact, value in facts.items() if fact in self.shown]
        flat = array.reshape(-1)
        flat = flat if self.summarize < 0 else flat[: self.summarize]
        form = "{:f}" if flat.dtype.kind in "fV" else "{}"
        elements = " ".join(form.format(e) for e in flat.tolist())
        return "\n".join([*lines, f"  - data: [{elements}]"])


def Print(
    input: Tensor,
    first_n: int = -1,
    message: str | None = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_tensor_type: bool = True,
    print_tensor_shape: bool = True,
    print_tensor_layout: bool = True,
    print_tensor_lod: bool = True,
    print_phase: str = "both",
) -> Tensor:
    """Returns a tensor as it is, and prints it, and its gradient, each time that it is computed.

    Args:
        input (Tensor): the tensor.
        first_n (int): how many runs print; -1 for all of them.
        message (str, optional): a text to print before.
        summarize (int): how many elements are printed; -1 for all of them.
        print_tensor_name (bool): print the tensor's name.
        print_tensor_type (bool): print the dtype.
        print_tensor_shape (bool): print the shape.
        print_tensor_layout (bool): print the layout, which is always NCHW.
        print_tensor_lod (bool): print the offsets of rows; they are tensors of their own here,
            so nothing stands there.
        print_phase (str): `forward`: the tensor; `backward`: its gradient; `both`.

    Returns:
        Tensor: the same values. The forward phase prints when the Program runs, whether the
        result is used or not; the backward phase when a gradient flows through the result.

    Raises:
        InvalidArgumentError: another phase.

    Examples:
        >>> import proa
        >>> main = proa.static.Program()
        >>> with proa.static.program_guard(main):
        ...     x = proa.static.data("x", [3])
        ...     y = proa.static.Print(x * 2, message="doubled", print_tensor_name=False)
        >>> _ = proa.static.Executor().run(main, {"x": [1.0, 2.0, 3.0]}, [y])
          - message: doubled
          - lod: {}
          - shape: [3]
          - layout: NCHW
          - dtype: float32
          - data: [2.000000 4.000000 6.000000]
    """
    phase = str(print_phase).lower()
    if phase not in _PHASES:
        raise InvalidArgumentError(
            f"Print: `print_phase` is {print_phase!r}",
            expected=", ".join(_PHASES),
            fix="use the default, 'both'",
        )
    switches = {
        "lod": print_tensor_lod,
        "shape": print_tensor_shape,
        "layout": print_tensor_layout,
        "dtype": print_tensor_type,
    }
    shown = [fact for fact, is_on in switches.items() if is_on]

    def printing(name: str) -> TensorPrinting:
        label = name if print_tensor_name else None
        return TensorPrinting(label, message, first_n, summarize, shown)

    if phase != "backward":
        _print(printing(input.name), input)
    made: Any = ops.assign(input)
    if phase != "forward" and not made.stop_gradient:
        effect = printing(f"{input.name}@GRAD")
        made.register_hook(lambda gradient: _print(effect, gradient))
    return made


def _print(effect: TensorPrinting, t: Tensor) -> None:
    if context.recorder is None:
        effect(t.numpy())
    else:
        record_effect(effect, [t])
