"""Marks: where a tensor, a layer's parameters or a loader's batches lie on a mesh.

Everything else follows: ops on sharded arrays go through XLA's partitioner, eager and
compiled alike, and it inserts the communication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax

from proa.core import (
    InvalidArgumentError,
    Parameter,
    Tensor,
    context,
    no_grad,
    replace_data,
    to_tensor,
)
from proa.ops import with_sharding

from ._mesh import Placement, ProcessMesh, Replicate, Shard, require_mesh


def _check_divisible(shape: Sequence[Any], mesh: ProcessMesh, placements: Any) -> None:
    for size, placement in zip(mesh.shape, placements, strict=False):
        if isinstance(placement, Shard) and isinstance(shape[placement.dim], int):
            extent = shape[placement.dim]
            if extent % size:
                raise InvalidArgumentError(
                    f"axis {placement.dim} of a tensor of shape {list(shape)} over {size} devices",
                    expected=f"a size divisible by {size}",
                    fix="choose another axis, pad it, or use Replicate()",
                )


def shard_tensor(
    data: Any,
    mesh: ProcessMesh,
    placements: Sequence[Placement],
    dtype: Any = None,
    place: Any = None,
    stop_gradient: bool | None = None,
) -> Tensor:
    """Lays a tensor over the devices of a mesh.

    Args:
        data: a Tensor or anything `to_tensor` takes; a Parameter is marked in place, so
            that optimisers and compiled functions which hold it keep it.
        mesh: the devices.
        placements: per mesh axis, `Shard(axis)` or `Replicate()`; missing ones replicate.
        dtype: dtype of the result.
        place: kept for Paddle's signature.
        stop_gradient: whether no gradient is wanted; as `data` by default.

    Returns:
        The tensor with its parts in place; values and shape are those of the whole.

    Raises:
        InvalidArgumentError: an axis that does not exist or does not divide.

    Examples:
        >>> import proa, proa.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["data"])
        >>> dist.shard_tensor(proa.ones([4, 2]), mesh, [dist.Shard(0)]).shape
        [4, 2]
    """
    t = data if isinstance(data, Tensor) and dtype is None else to_tensor(data, dtype=dtype)
    sharding = require_mesh(mesh).sharding(placements, t.ndim)
    _check_divisible(t._data.shape, mesh, placements)
    if isinstance(t, Parameter) and context.recorder is None:
        replace_data(t, jax.device_put(t._data, sharding))
        result: Tensor = t
    elif context.recorder is None and t._stop:
        result = Tensor(None)
        result._data = jax.device_put(t._data, sharding)
    else:
        result = with_sharding(t, sharding)
    result.process_mesh, result.placements = mesh, list(placements)  # type: ignore[attr-defined]
    if stop_gradient is not None:
        result.stop_gradient = stop_gradient
    return result


def reshard(dist_tensor: Tensor, mesh: ProcessMesh, placements: Sequence[Placement]) -> Tensor:
    """Lays a tensor out anew; XLA moves the data. Arguments as for `shard_tensor`."""
    if isinstance(dist_tensor, Parameter):
        dist_tensor = dist_tensor.detach()  # type: ignore[attr-defined]
    return shard_tensor(dist_tensor, mesh, placements)


def unshard_dtensor(dist_tensor: Tensor) -> Tensor:
    """Returns the whole tensor on the current device."""
    with no_grad():
        return to_tensor(dist_tensor.numpy())


def dtensor_from_fn(
    fn: Callable[..., Tensor],
    mesh: ProcessMesh,
    placements: Sequence[Placement],
    *args: Any,
    **kwargs: Any,
) -> Tensor:
    """Calls `fn(*args, **kwargs)` and lays its result over the mesh."""
    return shard_tensor(fn(*args, **kwargs), mesh, placements)


def shard_layer(
    layer: Any,
    process_mesh: ProcessMesh,
    shard_fn: Callable[[str, Any, ProcessMesh], None] | None = None,
    input_fn: Any = None,
    output_fn: Any = None,
) -> Any:
    """Lays a layer's parameters and buffers over a mesh, in place.

    Args:
        layer: the layer.
        process_mesh: the devices.
        shard_fn: called as `shard_fn(name, sublayer, mesh)` to mark parameters; what it
            leaves unmarked is replicated.
        input_fn: `fn(inputs, mesh)` applied before the layer.
        output_fn: `fn(outputs, mesh)` applied after it.

    Returns:
        The layer.
    """
    require_mesh(process_mesh)
    if shard_fn is not None:
        for name, sublayer in layer.named_sublayers(include_self=True):
            shard_fn(name, sublayer, process_mesh)
    whole = [Replicate() for _ in range(process_mesh.ndim)]
    for t in [*layer.parameters(), *layer.buffers()]:
        if getattr(t, "process_mesh", None) is None:
            sharding = process_mesh.sharding(whole, t.ndim)
            replace_data(t, jax.device_put(t._data, sharding))
            t.process_mesh, t.placements = process_mesh, whole
    if input_fn is not None:
        layer.register_forward_pre_hook(lambda _, inputs: input_fn(inputs, process_mesh))
    if output_fn is not None:
        layer.register_forward_post_hook(lambda _, __, outputs: output_fn(outputs, process_mesh))
    return layer


class ShardDataloader:
    """A loader whose batches lie on a mesh; made by `shard_dataloader`."""

    def __init__(self, dataloader: Any, mesh: ProcessMesh, mesh_axis: str | int | None) -> None:
        self._loader, self._mesh = dataloader, mesh
        axis = mesh.dim_names[0] if mesh_axis is None else mesh_axis
        self._size = mesh.get_dim_size(axis)
        index = mesh.dim_names.index(axis) if isinstance(axis, str) else axis % mesh.ndim
        self._split = [Shard(0) if i == index else Replicate() for i in range(mesh.ndim)]
        self._whole = [Replicate() for _ in range(mesh.ndim)]

    def _place(self, value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        # A last, smaller batch may not divide: it is then computed whole on each device.
        splits = value.ndim > 0 and value._data.shape[0] % self._size == 0
        return shard_tensor(value, self._mesh, self._split if splits else self._whole)

    def __iter__(self) -> Iterator[Any]:
        for batch in self._loader:
            yield jax.tree_util.tree_map(self._place, batch)

    def __len__(self) -> int:
        return len(self._loader)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def shard_dataloader(
    dataloader: Any,
    meshes: Any,
    input_keys: Any = None,
    shard_dims: Any = None,
    is_dataset_splitted: bool = False,
    dense_tensor_idx: Any = None,
) -> ShardDataloader:
    """Splits each batch of a loader over a mesh axis.

    Args:
        dataloader: the loader.
        meshes: the mesh (or a list with one).
        input_keys: kept for Paddle's signature.
        shard_dims: name or number of the mesh axis that splits the batch; the first by default.
        is_dataset_splitted: kept for Paddle's signature: one process reads the whole data set.
        dense_tensor_idx: kept for Paddle's signature.

    Returns:
        A loader of the same length with sharded batches.
    """
    mesh = require_mesh(meshes[0] if isinstance(meshes, list | tuple) and meshes else meshes)
    axis = shard_dims[0] if isinstance(shard_dims, list | tuple) else shard_dims
    return ShardDataloader(dataloader, mesh, axis)
