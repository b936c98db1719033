"""Walks over the tree of layers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proa.core import MissingAttributeError, Parameter, Tensor

from ._layer_members import Members


class Tree(Members):
    """The part of Layer that finds sub-layers, parameters and buffers."""

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """Yields `(name, layer)` of the direct sub-layers, each layer once."""
        seen: set[int] = set()
        for name, layer in self._sub_layers.items():
            if layer is not None and id(layer) not in seen:
                seen.add(id(layer))
                yield name, layer

    def children(self) -> Iterator[Any]:
        """Yields the direct sub-layers, each once."""
        for _, layer in self.named_children():
            yield layer

    def named_sublayers(
        self,
        prefix: str = "",
        include_self: bool = False,
        layers_set: set[Any] | None = None,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        """Yields `(dotted name, layer)` of all layers below, outer ones first.

        Args:
            prefix: put in front of the names.
            include_self: starts with this layer.
            layers_set: layers to leave out; the ones met are added.
            remove_duplicate: a layer that stands at several places comes once.
        """
        seen = set() if layers_set is None else layers_set
        if include_self:
            if remove_duplicate and self in seen:
                return
            seen.add(self)
            yield prefix, self
        for name, layer in self._sub_layers.items():
            if layer is None or (remove_duplicate and layer in seen):
                continue
            path = f"{prefix}.{name}" if prefix else name
            yield from layer.named_sublayers(path, True, seen, remove_duplicate)

    def sublayers(self, include_self: bool = False) -> list[Any]:
        """Returns all layers below, outer ones first.

        Args:
            include_self: starts with this layer.
        """
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def modules(self) -> Iterator[Any]:
        """Yields this layer and all layers below."""
        yield from self.sublayers(include_self=True)

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Yields `(dotted name, layer)` of this layer and all layers below."""
        yield from self.named_sublayers(prefix, True, memo, remove_duplicate)

    def _named_members(
        self, kind: str, prefix: str, include_sublayers: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        walk = (
            self.named_sublayers(prefix, True, None, remove_duplicate)
            if include_sublayers
            else [(prefix, self)]
        )
        seen: set[int] = set()
        for path, layer in walk:
            for name, member in getattr(layer, kind).items():
                if member is None or (remove_duplicate and id(member) in seen):
                    continue
                seen.add(id(member))
                yield (f"{path}.{name}" if path else name), member

    def named_parameters(
        self, prefix: str = "", include_sublayers: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yields `(dotted name, parameter)`.

        Args:
            prefix: put in front of the names.
            include_sublayers: goes down the tree.
            remove_duplicate: a parameter that stands at several places comes once.
        """
        return self._named_members("_parameters", prefix, include_sublayers, remove_duplicate)

    def parameters(self, include_sublayers: bool = True) -> list[Parameter]:
        """Returns the parameters, each once.

        Args:
            include_sublayers: goes down the tree.
        """
        return [p for _, p in self.named_parameters(include_sublayers=include_sublayers)]

    def named_buffers(
        self, prefix: str = "", include_sublayers: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yields `(dotted name, buffer)`, persistable or not.

        Args:
            prefix: put in front of the names.
            include_sublayers: goes down the tree.
            remove_duplicate: a buffer that stands at several places comes once.
        """
        return self._named_members("_buffers", prefix, include_sublayers, remove_duplicate)

    def buffers(self, include_sublayers: bool = True) -> list[Tensor]:
        """Returns the buffers, each once.

        Args:
            include_sublayers: goes down the tree.
        """
        return [b for _, b in self.named_buffers(include_sublayers=include_sublayers)]

    def get_sublayer(self, target: str) -> Any:
        """Returns the layer at a dotted name; `""` is this layer.

        Raises:
            MissingAttributeError: there is no such layer.
        """
        layer: Any = self
        for name in target.split(".") if target else []:
            layer = layer._sub_layers.get(name) if isinstance(layer, Tree) else None
            if layer is None:
                raise _no_such("sub-layer", target, [n for n, _ in self.named_sublayers()])
        return layer

    def get_parameter(self, target: str) -> Parameter:
        """Returns the parameter at a dotted name.

        Raises:
            MissingAttributeError: there is no such parameter.
        """
        return self._get_member("parameter", target, dict(self.named_parameters("", True, False)))

    def get_buffer(self, target: str) -> Tensor:
        """Returns the buffer at a dotted name.

        Raises:
            MissingAttributeError: there is no such buffer.
        """
        return self._get_member("buffer", target, dict(self.named_buffers("", True, False)))

    def _get_member(self, what: str, target: str, found: dict[str, Any]) -> Any:
        if target not in found:
            raise _no_such(what, target, list(found))
        return found[target]

    def set_sublayer(self, target: str, layer: Any, strict: bool = False) -> None:
        """Puts a layer at a dotted name.

        Args:
            target: dotted name; all but its last part must exist.
            layer: the layer.
            strict: the last part must exist as well.

        Raises:
            MissingAttributeError: a part of the name does not exist.
        """
        path, _, name = target.rpartition(".")
        parent = self.get_sublayer(path)
        if strict or not name:
            self.get_sublayer(target if name else "?")
        setattr(parent, name, layer)

    get_submodule = get_sublayer
    set_submodule = set_sublayer


def _no_such(what: str, target: str, names: list[str]) -> MissingAttributeError:
    some = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    return MissingAttributeError(
        f"there is no {what} {target!r}",
        expected=f"one of: {some or 'none here'}",
        fix="check the dotted name",
    )
