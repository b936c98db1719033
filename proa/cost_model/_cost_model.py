"""CostModel: the times of ops of a static program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from proa.core import UnsupportedError


def _refuse(what: str) -> NoReturn:
    raise UnsupportedError(
        f"CostModel.{what}()",
        expected="a program that XLA compiles as a whole: an op has no time of its own",
        fix="use proa.flops for the work of a model, and measure whole steps",
    )


class CostModel:
    """Times of the ops of a static program; XLA fuses ops, so it has none to give.

    Its methods raise an error that says so.
    """

    def build_program(self) -> tuple[Any, Any]:
        """Refuses.

        Raises:
            UnsupportedError: always.
        """
        _refuse("build_program")

    def profile_measure(
        self,
        startup_program: Any,
        main_program: Any,
        device: str = "gpu",
        fetch_cost_list: Sequence[str] = ("time",),
    ) -> Any:
        """Refuses.

        Args:
            startup_program: what starts parameters.
            main_program: the program.
            device: where it would run.
            fetch_cost_list: what would be measured.

        Raises:
            UnsupportedError: always.
        """
        _refuse("profile_measure")

    def static_cost_data(self) -> Any:
        """Refuses.

        Raises:
            UnsupportedError: always.
        """
        _refuse("static_cost_data")

    def get_static_op_time(self, op_name: str, forward: bool = True, dtype: str = "float32") -> Any:
        """Refuses.

        Args:
            op_name: the op.
            forward: whether its gradient would be left out.
            dtype: dtype of its inputs.

        Raises:
            UnsupportedError: always.
        """
        _refuse("get_static_op_time")
