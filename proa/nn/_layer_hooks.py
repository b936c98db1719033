"""Functions that run around a layer's `forward`."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from itertools import count
from typing import Any

from proa.core import InvalidTypeError, bump_mode_epoch

from ._layer_members import Members

_hook_ids = count()


@dataclass(frozen=True)
class Hook:
    """One hook and how it wants to be called."""

    function: Any
    with_kwargs: bool = False
    always_call: bool = False


class HookRemoveHelper:
    """Handle of a registered hook.

    Args:
        hooks: the hooks among which it stands.
    """

    def __init__(self, hooks: OrderedDict[int, Any]) -> None:
        self._hooks = hooks
        self._hook_id = next(_hook_ids)

    def remove(self) -> None:
        """Takes the hook away; a second call does nothing."""
        if self._hooks.pop(self._hook_id, None) is not None:
            bump_mode_epoch()


class Hooks(Members):
    """The part of Layer that runs hooks."""

    def register_forward_pre_hook(
        self, hook: Any, *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookRemoveHelper:
        """Registers `hook(layer, inputs)`, which runs before `forward`.

        Args:
            hook: gets the tuple of positional inputs; what it returns, unless `None`, takes
                their place.
            prepend: puts it before the hooks registered earlier.
            with_kwargs: calls `hook(layer, inputs, kwargs)`, which returns both or `None`.

        Returns:
            A handle; its `remove()` takes the hook away.

        Raises:
            InvalidTypeError: `hook` cannot be called, or (at the call) a hook with keywords
                returns something else.
        """
        return _register(self._forward_pre_hooks, Hook(_callable(hook), with_kwargs), prepend)

    def register_forward_post_hook(
        self,
        hook: Any,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> HookRemoveHelper:
        """Registers `hook(layer, inputs, output)`, which runs after `forward`.

        Args:
            hook: what it returns, unless `None`, takes the output's place.
            prepend: puts it before the hooks registered earlier.
            with_kwargs: calls `hook(layer, inputs, kwargs, output)`.
            always_call: runs it also when `forward` fails (with output `None`).

        Returns:
            A handle; its `remove()` takes the hook away.

        Raises:
            InvalidTypeError: `hook` cannot be called.
        """
        made = Hook(_callable(hook), with_kwargs, always_call)
        return _register(self._forward_post_hooks, made, prepend)

    register_forward_hook = register_forward_post_hook

    def _call_with_hooks(self, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        for hook in list(self._forward_pre_hooks.values()):
            if hook.with_kwargs:
                inputs, kwargs = _both(hook.function(self, inputs, kwargs), inputs, kwargs)
                continue
            result = hook.function(self, inputs)
            if result is not None:
                inputs = result if isinstance(result, tuple) else (result,)
        try:
            output = self.forward(*inputs, **kwargs)  # type: ignore[attr-defined]
        except Exception:
            for hook in list(self._forward_post_hooks.values()):
                if hook.always_call:
                    _after(hook, self, inputs, kwargs, None)
            raise
        for hook in list(self._forward_post_hooks.values()):
            result = _after(hook, self, inputs, kwargs, output)
            output = output if result is None else result
        return output


def _after(hook: Hook, layer: Any, inputs: Any, kwargs: Any, output: Any) -> Any:
    if hook.with_kwargs:
        return hook.function(layer, inputs, kwargs, output)
    return hook.function(layer, inputs, output)


def _both(result: Any, inputs: Any, kwargs: Any) -> tuple[Any, Any]:
    if result is None:
        return inputs, kwargs
    if not isinstance(result, tuple) or len(result) != 2:
        raise InvalidTypeError(
            f"a forward pre-hook with keywords returned a {type(result).__name__}",
            expected="None, or the tuple (inputs, kwargs)",
            fix="return (inputs, kwargs), or register it with with_kwargs=False",
        )
    return result


def _callable(hook: Any) -> Any:
    if not callable(hook):
        raise InvalidTypeError(
            f"`hook` is a {type(hook).__name__}",
            expected="something that can be called",
            fix="pass a function",
        )
    return hook


def _register(hooks: OrderedDict[int, Any], hook: Any, prepend: bool) -> HookRemoveHelper:
    handle = HookRemoveHelper(hooks)
    hooks[handle._hook_id] = hook
    if prepend:
        hooks.move_to_end(handle._hook_id, last=False)
    bump_mode_epoch()
    return handle
