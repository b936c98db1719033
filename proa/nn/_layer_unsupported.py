"""Methods of Paddle's Layer that cannot work here, and what to use instead."""

from __future__ import annotations

from typing import Any, NoReturn

from proa.core import UnsupportedError


def _refuse(what: str, expected: str, fix: str) -> NoReturn:
    raise UnsupportedError(f"Layer.{what}()", expected=expected, fix=fix)


class Unsupported:
    """The part of `Layer` that refuses."""

    def backward(self, *inputs: Any) -> Any:
        """Refuses: gradients of layers follow from their ops.

        Args:
            inputs: gradients of outputs.

        Raises:
            UnsupportedError: always.
        """
        _refuse(
            "backward", "backward() of a loss", "write your own rule as a proa.autograd.PyLayer"
        )

    def get_extra_state(self) -> Any:
        """Refuses: a subclass says what else belongs to its state.

        Raises:
            UnsupportedError: always.
        """
        _refuse("get_extra_state", "a subclass that overrides it", "register a buffer instead")

    def xpu(self, device: Any = None) -> Any:
        """Refuses: JAX has no plug-in for Kunlun chips.

        Args:
            device: its number.

        Raises:
            UnsupportedError: always.
        """
        _refuse("xpu", "a device that JAX has a plug-in for", "use layer.cuda() or layer.to('tpu')")

    def sharded_state_dict(self, structured_name_prefix: str = "") -> Any:
        """Refuses: a laid out parameter is one tensor, and `state_dict` has it whole.

        Args:
            structured_name_prefix: what names would begin with.

        Raises:
            UnsupportedError: always.
        """
        _refuse("sharded_state_dict", "tensors that tell their layout", "use state_dict()")

    def full(self, aoa_config: Any = None, **kwargs: Any) -> Any:
        """Refuses: a laid out parameter is one tensor, and `state_dict` has it whole.

        Args:
            aoa_config: how names would be changed.
            kwargs: more settings.

        Raises:
            UnsupportedError: always.
        """
        _refuse("full", "tensors that tell their layout", "use state_dict()")
