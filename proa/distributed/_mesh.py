"""Meshes and placements: where the parts of a tensor lie, in Paddle's terms over JAX's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from proa.core import InvalidArgumentError, InvalidTypeError, PreconditionError


class Placement:
    """How one mesh axis deals with a tensor."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether the tensor is split along this mesh axis (along tensor axis `dim`)."""
        return False

    def is_replicated(self) -> bool:
        """Whether every device along this mesh axis holds the whole."""
        return False

    def is_partial(self) -> bool:
        """Whether the devices along this mesh axis hold summands."""
        return False


class Shard(Placement):
    """Splits a tensor axis over a mesh axis.

    Args:
        dim: the tensor axis.

    Raises:
        InvalidTypeError: not an integer.
    """

    def __init__(self, dim: int) -> None:
        if isinstance(dim, bool) or not hasattr(dim, "__index__"):
            raise InvalidTypeError(
                f"`dim` of Shard is {dim!r}"[:200], expected="an integer", fix="write Shard(0)"
            )
        self.dim = dim.__index__()

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether the tensor is split (along `dim`)."""
        return dim is None or dim == self.dim

    def get_dim(self) -> int:
        """Returns the tensor axis."""
        return self.dim

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shard) and other.dim == self.dim

    def __hash__(self) -> int:
        return hash(("shard", self.dim))


class Replicate(Placement):
    """Keeps the whole tensor on every device along a mesh axis."""

    def is_replicated(self) -> bool:
        """Always true."""
        return True

    def __repr__(self) -> str:
        return "Replicate()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Replicate)

    def __hash__(self) -> int:
        return hash("replicate")


class ProcessMesh:
    """Devices in a grid with named axes.

    Args:
        mesh: device numbers as a nested list or array.
        dim_names: a name per axis; `d0`, `d1`, … by default.
        shape: extents of the grid, where `mesh` is not given.
        process_ids: device numbers to fill that grid with.

    Raises:
        InvalidArgumentError: names and axes differ in number, or a device number repeats.
        PreconditionError: this machine has fewer devices.

    Examples:
        >>> import proa.distributed as dist
        >>> dist.ProcessMesh([0], dim_names=["data"]).shape
        [1]
    """

    def __init__(
        self,
        mesh: Any = None,
        dim_names: Sequence[str] | None = None,
        shape: Sequence[int] | None = None,
        process_ids: Sequence[int] | None = None,
    ) -> None:
        grid = _grid(mesh, shape, process_ids)
        names = [f"d{i}" for i in range(grid.ndim)] if dim_names is None else list(dim_names)
        if len(names) != grid.ndim or len(set(names)) != len(names):
            raise InvalidArgumentError(
                f"{len(names)} axis names {names} for a mesh of {grid.ndim} axes",
                expected="one distinct name per axis",
                fix="write ProcessMesh([[0, 1], [2, 3]], dim_names=['data', 'model'])",
            )
        if len(np.unique(grid)) != grid.size:
            raise InvalidArgumentError(
                f"device numbers {grid.ravel().tolist()}",
                expected="distinct numbers",
                fix="name each device once",
            )
        self._grid, self._names = grid, names
        self.jax_mesh = Mesh(_devices(grid), tuple(names))

    @property
    def shape(self) -> list[int]:
        """Number of devices along each axis."""
        return list(self._grid.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._grid.ndim

    @property
    def mesh(self) -> np.ndarray:
        """Device numbers in their grid."""
        return self._grid

    @property
    def dim_names(self) -> list[str]:
        """Names of the axes."""
        return list(self._names)

    @property
    def process_ids(self) -> list[int]:
        """Device numbers, flat."""
        return self._grid.ravel().tolist()

    def get_dim_size(self, dim: str | int) -> int:
        """Returns the number of devices along an axis, given by name or number.

        Raises:
            InvalidArgumentError: there is no such axis.
        """
        known = dim in self._names if isinstance(dim, str) else -self.ndim <= dim < self.ndim
        if not known:
            raise InvalidArgumentError(
                f"axis {dim!r} of {self!r}",
                expected=f"one of {self._names}, or a number below {self.ndim}",
                fix="choose an axis the mesh has",
            )
        return self._grid.shape[self._names.index(dim) if isinstance(dim, str) else dim]

    def sharding(self, placements: Sequence[Placement], ndim: int) -> NamedSharding:
        """Returns JAX's sharding for a tensor of `ndim` axes.

        Raises:
            InvalidArgumentError: more placements than mesh axes, or a tensor axis that the
                tensor does not have.
        """
        if not isinstance(placements, list | tuple):
            raise InvalidTypeError(
                f"`placements` is {placements!r}"[:200],
                expected="a list with one placement per mesh axis",
                fix="write [Shard(0)]",
            )
        if len(placements) > self.ndim:
            raise InvalidArgumentError(
                f"{len(placements)} placements {list(placements)} for a mesh of {self.ndim} axes",
                expected="at most one placement per mesh axis",
                fix=f"give one of Shard(axis), Replicate() for each of {self._names}",
            )
        parts: list[list[str]] = [[] for _ in range(ndim)]
        for name, placement in zip(self._names, placements, strict=False):
            if isinstance(placement, Shard):
                if not -ndim <= placement.dim < ndim:
                    raise InvalidArgumentError(
                        f"{placement} for a tensor of {ndim} axes",
                        expected=f"an axis in [{-ndim}, {ndim})",
                        fix="choose an axis the tensor has",
                    )
                parts[placement.dim].append(name)
            elif not isinstance(placement, Replicate):
                raise InvalidArgumentError(
                    f"placement {placement!r}",
                    expected="Shard(axis) or Replicate()",
                    fix="choose one of them for each mesh axis",
                )
        spec = PartitionSpec(*[tuple(p) if p else None for p in parts])
        return NamedSharding(self.jax_mesh, spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return (ProcessMesh, (self._grid, self._names))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProcessMesh)
            and self._names == other._names
            and np.array_equal(self._grid, other._grid)
        )

    def __hash__(self) -> int:
        return hash((tuple(self._names), self._grid.tobytes(), self._grid.shape))

    def __repr__(self) -> str:
        ids, names = self.process_ids, self._names
        return f"ProcessMesh(shape={self.shape}, process_ids={ids}, dim_names={names})"


def _grid(mesh: Any, shape: Any, process_ids: Any) -> np.ndarray:
    if mesh is None:
        if shape is None or process_ids is None or int(np.prod(shape)) != len(process_ids):
            raise InvalidArgumentError(
                f"a mesh of shape {shape} with device numbers {process_ids}",
                expected="`mesh`, or `shape` with as many `process_ids` as it has places",
                fix="write ProcessMesh([[0, 1], [2, 3]], dim_names=['data', 'model'])",
            )
        mesh = np.asarray(process_ids).reshape(shape)
    try:
        grid = np.asarray(mesh)
    except ValueError:
        grid = np.asarray([])
    if not grid.size or not grid.ndim or grid.dtype.kind not in "iu" or grid.min() < 0:
        raise InvalidArgumentError(
            f"`mesh` is {mesh!r}"[:200],
            expected="device numbers, 0 and more, in rows of equal length",
            fix="write ProcessMesh([[0, 1], [2, 3]], dim_names=['data', 'model'])",
        )
    return grid


def _devices(grid: np.ndarray) -> np.ndarray:
    available = jax.devices()
    highest = int(grid.max())
    if highest >= len(available):
        raise PreconditionError(
            f"a mesh with device number {highest}, on a machine with {len(available)} devices",
            expected=f"device numbers below {len(available)}",
            fix=f"simulate devices: set FLAGS_num_cpu_devices={highest + 1} in the environment",
        )
    return np.array([available[int(i)] for i in grid.ravel()], dtype=object).reshape(grid.shape)


def require_mesh(mesh: Any) -> ProcessMesh:
    """Returns the mesh that was given.

    Raises:
        InvalidTypeError: it is none.
    """
    if not isinstance(mesh, ProcessMesh):
        raise InvalidTypeError(
            f"`mesh` is {mesh!r} ({type(mesh).__name__})"[:200],
            expected="a ProcessMesh",
            fix="write dist.ProcessMesh([0, 1], dim_names=['data'])",
        )
    return mesh


def get_mesh() -> ProcessMesh | None:
    """Returns the mesh set by `set_mesh`, or `None`."""
    return _global_mesh[0]


def set_mesh(mesh: ProcessMesh) -> None:
    """Makes a mesh the default of functions that take one."""
    _global_mesh[0] = mesh


_global_mesh: list[ProcessMesh | None] = [None]
