"""Sharding: marks on a mesh as calls of a Program, for XLA's partitioner to go by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from jax.sharding import NamedSharding, PartitionSpec

from proa.core import InvalidArgumentError

from .._printing import layer_of
from .._program import Program, Value
from ._pass import register_pass
from ._rewrite import Builder, Graph, Notes, attribute, count


@register_pass("sharding", inside="nowhere")
def sharding(
    program: Program, mesh: Any = None, placements: Mapping[str, Sequence[Any]] | None = None
) -> tuple[Program, Notes]:
    """Lays inputs, weights and results of layers out on a mesh; values stay as they are.

    Args:
        program: the Program.
        mesh: a `jax.sharding.Mesh` or a `ProcessMesh`.
        placements: by pattern, what each axis is divided over: a name of a mesh axis, several, or
            `None`; with a ProcessMesh also placements such as `[Shard(0)]`. A pattern is matched
            with names of inputs, captures and constants, and with names of layers for what their
            calls give. The first that fits counts.

    Raises:
        InvalidArgumentError: no mesh, an axis that it does not have or that does not divide an
            extent, or a pattern that fits nothing.
    """
    if not placements:
        return program, {}
    if mesh is None:
        raise InvalidArgumentError(
            "the pass sharding was given placements and no mesh",
            expected="mesh=: a jax.sharding.Mesh",
            fix="pass the mesh whose axes the placements name",
        )
    marks = _Marks(program, mesh, placements)
    for value in (*program.inputs, *program.captures, *program.constants):
        marks.mark(value, value.name)
    for call in program.calls:
        marks.builder.keep(call)
        layer = layer_of(call, marks.given)
        if call.op.name != "with_sharding":
            for value in call.outputs:
                marks.mark(value, layer)
    unused = [pattern for pattern in placements if pattern not in marks.used]
    if unused:
        raise InvalidArgumentError(
            f"placements {unused} fit nothing in the Program",
            expected="patterns of " + ", ".join(sorted(marks.seen)[:12]),
            fix="look at the names with print(program)",
        )
    return (marks.builder.finish() if marks.notes else program), marks.notes


class _Marks:
    """The marks of one Program."""

    def __init__(self, program: Program, mesh: Any, placements: Mapping[str, Any]) -> None:
        self.builder, self.graph = Builder(program), Graph.of(program)
        self.process_mesh, self.placements = mesh, placements
        self.mesh = getattr(mesh, "jax_mesh", mesh)
        self.given = {*program.captures, *program.constants}
        self.used: set[str] = set()
        self.seen: set[str] = set()
        self.notes: Notes = {}

    def mark(self, value: Value, name: str) -> None:
        """Adds the mark that belongs to a name."""
        if not name:
            return
        self.seen.add(name)
        pattern = next((p for p in self.placements if fnmatchcase(name, p)), None)
        if pattern is None:
            return
        self.used.add(pattern)
        made = self._sharding(value, self.placements[pattern], name)
        known = [u for u in self.graph.users.get(value, ()) if u.op.name == "with_sharding"]
        if any(attribute(call, "sharding") == made for call in known):
            return
        self.builder.renamed[value] = self.builder.call("with_sharding", value, sharding=made)
        count(self.notes, f"{pattern} laid out")

    def _sharding(self, value: Value, spec: Sequence[Any], name: str) -> NamedSharding:
        if spec and hasattr(spec[0], "is_shard"):
            return self.process_mesh.sharding(spec, len(value.shape))
        sizes = dict(self.mesh.shape)
        if isinstance(spec, str) or len(spec) > len(value.shape):
            raise InvalidArgumentError(
                f"the placement of `{name}` is {spec!r}, its shape {list(value.shape)}",
                expected="a list with an entry per axis at most",
                fix="write ['data', None]",
            )
        for extent, entry in zip(value.shape, spec, strict=False):
            axes = [entry] if isinstance(entry, str) else list(entry or ())
            unknown = [axis for axis in axes if axis not in sizes]
            parts = 1
            for axis in axes:
                parts *= sizes.get(axis, 1)
            if unknown or (isinstance(extent, int) and extent % parts):
                raise InvalidArgumentError(
                    f"the placement of `{name}` is {list(spec)}, its shape {list(value.shape)}, "
                    f"on a mesh {sizes}",
                    expected="names of mesh axes whose sizes divide the extents",
                    fix="name an axis of the mesh, or None to leave the axis whole",
                )
        return NamedSharding(self.mesh, PartitionSpec(*[_entry(each) for each in spec]))


def _entry(entry: Any) -> Any:
    return tuple(entry) if isinstance(entry, list) else entry
