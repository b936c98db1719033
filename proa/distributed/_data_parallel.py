"""DataParallel: the wrapper that Paddle's scripts put around a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from proa import nn
from proa.core import Tensor, UnsupportedError

from ._shard import get_world_size


class DataParallel(nn.Layer):
    """A model that several processes train together; in a single process it passes through.

    Args:
        layers: the model.
        strategy: kept for Paddle's signature, as are the following.
        comm_buffer_size: size of a package of gradients in megabytes.
        last_comm_buffer_size: size of the last one.
        find_unused_parameters: whether some parameters may get no gradient.
        group: processes that train together.

    Raises:
        UnsupportedError: there are several processes.

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
        group: Any = None,
    ) -> None:
        super().__init__()
        if get_world_size() > 1:
            raise UnsupportedError(
                f"DataParallel in {get_world_size()} processes",
                expected="a single process, which drives all its devices",
                fix="lay batches over a mesh: proa.distributed.shard_dataloader",
            )
        self._layers = layers
        self.find_unused_parameters = find_unused_parameters

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Calls the model."""
        return self._layers(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """A block in which gradients are not exchanged; there is nobody to exchange them with."""
        yield

    def scale_loss(self, loss: Tensor) -> Tensor:
        """Returns the loss as it is."""
        return loss

    def apply_collective_grads(self) -> None:
        """Does nothing: the gradients are whole."""

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the model's own state, so that files fit the model with or without wrapper."""
        return self._layers.state_dict(*args, **kwargs)

    def set_state_dict(self, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        """Gives the model its state; see `Layer.set_state_dict`."""
        return self._layers.set_state_dict(state_dict, *args, **kwargs)

    set_dict = load_dict = set_state_dict
