"""What Paddle's optimisers have for states that share one buffer; here each has its own array."""

from __future__ import annotations

from typing import Any, NoReturn

from proa.core import Tensor, UnsupportedError


def _refuse(what: str) -> NoReturn:
    raise UnsupportedError(
        f"`{what}` of an optimiser",
        expected="states with an array each; XLA fuses their updates into one program",
        fix="leave the call out",
    )


class FusedStorage:
    """The part of `Optimizer` that tells of a shared buffer: there is none."""

    fused_buffer_version: int = 0
    fused_states_buffer: Any = None
    fused_states_buffer_ipc_meta: Any = None
    fused_states_accumulators_meta: Any = None
    fused_states_master_weights_meta: Any = None

    def use_fusion_storage(self) -> None:
        """Refuses: states keep an array each.

        Raises:
            UnsupportedError: always.
        """
        _refuse("use_fusion_storage")

    def set_merged_model_params(self, merged_model_params: Any) -> None:
        """Refuses: parameters keep an array each.

        Args:
            merged_model_params: parameters that would be merged.

        Raises:
            UnsupportedError: always.
        """
        _refuse("set_merged_model_params")

    def need_refuse(self) -> None:
        """Does nothing: there is no buffer that could be out of date."""

    def reset_need_refuse(self) -> None:
        """Does nothing, as `need_refuse`."""

    def get_opti_var_name_list(self) -> list[str]:
        """Returns the names of the states that are tensors, in order."""
        states = self.state_dict()  # type: ignore[attr-defined]
        return [name for name, value in states.items() if isinstance(value, Tensor)]
