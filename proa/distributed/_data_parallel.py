"""DataParallel: the wrapper that Paddle's scripts put around a model."""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax.numpy as jnp

from proa import nn
from proa.core import (
    Tensor,
    UnsupportedError,
    after_backward,
    context,
    new_tensor,
    no_grad,
    replace_data,
)

from ._collective import ReduceOp, all_reduce, broadcast
from ._process_group import Group, get_world_size, init_parallel_env


class DataParallel(nn.Layer):
    """A model that several processes train together; in a single process it passes through.

    All begin with the weights of the group's first process, and after each `backward()` the
    gradients are averaged over the processes, in one exchange per dtype.

    Args:
        layers: the model.
        strategy: kept for Paddle's signature, as are the next two.
        comm_buffer_size: size of a package of gradients in megabytes.
        last_comm_buffer_size: size of the last one.
        find_unused_parameters: whether parameters without a gradient here get the average of
            the others; without it they keep none.
        group: processes that train together; all by default.

    Examples:
        >>> import proa
        >>> model = proa.DataParallel(proa.nn.Linear(2, 3))
        >>> model(proa.ones([1, 2])).shape
        [1, 3]
        >>> sorted(model.state_dict())
        ['bias', 'weight']
    """

    def __init__(
        self,
        layers: nn.Layer,
        strategy: Any = None,
        comm_buffer_size: int = 25,
        last_comm_buffer_size: int = 1,
        find_unused_parameters: bool = False,
        group: Group | None = None,
    ) -> None:
        super().__init__()
        self._layers = layers
        self.find_unused_parameters = find_unused_parameters
        self._group, self._syncs, self._fresh = group, True, False
        self._count = get_world_size(group)
        if self._count > 1:
            self._group = group or init_parallel_env()
            self._begin_alike()
            for parameter in self._trained():
                parameter.register_hook(self._note)
            _call_after_backward(self)

    def _trained(self) -> list[Any]:
        return [p for p in self._layers.parameters() if not p.stop_gradient]

    def _note(self, gradient: Tensor) -> None:
        self._fresh = True

    @no_grad()
    def _begin_alike(self) -> None:
        first = self._group.ranks[0]  # type: ignore[union-attr]
        held = [*self._layers.parameters(), *self._layers.buffers()]
        _together(held, lambda flat: broadcast(flat, first, self._group))

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Calls the model.

        Raises:
            UnsupportedError: inside a compiled function, where several processes train.
        """
        if self._count > 1 and context.recorder is not None:
            raise UnsupportedError(
                f"DataParallel of {self._count} processes inside a compiled function",
                expected="a step that is not compiled as a whole",
                fix="compile the model alone (to_static(model)), or lay batches over a mesh: "
                "dist.shard_dataloader",
            )
        return self._layers(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """A block in which `backward()` leaves each process its own gradients."""
        held, self._syncs = self._syncs, False
        try:
            yield
        finally:
            self._syncs = held

    def scale_loss(self, loss: Tensor) -> Tensor:
        """Returns the loss as it is: gradients are averaged, not summed."""
        return loss

    @no_grad()
    def apply_collective_grads(self) -> None:
        """Averages the gradients over the processes now."""
        if self._count == 1:
            return
        trained, zeros = self._trained(), []
        gradients = []
        for parameter in trained:
            if parameter.grad is None:
                zeros.append(len(gradients))
            gradients.append(
                new_tensor(jnp.zeros_like(parameter._data))
                if parameter.grad is None
                else parameter.grad
            )
        _together(gradients, lambda flat: all_reduce(flat, ReduceOp.AVG, self._group))
        for place, (parameter, gradient) in enumerate(zip(trained, gradients, strict=True)):
            if place not in zeros or self.find_unused_parameters:
                parameter.grad = gradient

    def _finish_backward(self) -> None:
        if self._fresh and self._syncs:
            self._fresh = False
            self.apply_collective_grads()

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the model's own state, so that files fit the model with or without wrapper."""
        return self._layers.state_dict(*args, **kwargs)

    def set_state_dict(self, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        """Gives the model its state; see `Layer.set_state_dict`."""
        return self._layers.set_state_dict(state_dict, *args, **kwargs)

    set_dict = load_dict = set_state_dict


def _together(tensors: list[Any], exchange: Callable[[Tensor], Any]) -> None:
    """Exchanges tensors in place, joined to one per dtype."""
    by_dtype: dict[str, list[Any]] = defaultdict(list)
    for tensor in tensors:
        by_dtype[str(tensor._data.dtype)].append(tensor)
    for group in by_dtype.values():
        flat = new_tensor(jnp.concatenate([t._data.ravel() for t in group]))
        exchange(flat)
        begin = 0
        for tensor in group:
            end = begin + tensor._data.size
            replace_data(tensor, flat._data[begin:end].reshape(tensor._data.shape))
            begin = end


def _call_after_backward(model: DataParallel) -> None:
    """Lets a model finish each `backward()` for as long as it lives."""
    method = weakref.WeakMethod(model._finish_backward)

    def finish() -> None:
        alive = method()
        if alive is not None:
            alive()

    after_backward.append(finish)
    weakref.finalize(model, after_backward.remove, finish)
