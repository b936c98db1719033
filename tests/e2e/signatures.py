"""Reads recorded signatures and compares them with those of our own functions."""

from __future__ import annotations

import ast
import importlib
import inspect
from dataclasses import dataclass, field
from typing import Any

import proa

REQUIRED = "required"


@dataclass
class Shape:
    """What callers rely on: positional parameters in order, keyword-only ones, and stars."""

    positional: list[tuple[str, str]] = field(default_factory=list)
    keyword: dict[str, str] = field(default_factory=dict)
    star: bool = False
    stars: bool = False

    def names(self) -> set[str]:
        return {name for name, _ in self.positional} | set(self.keyword)

    def without(self, dropped: str) -> Shape:
        kept = [pair for pair in self.positional if pair[0] != dropped]
        keyword = {name: value for name, value in self.keyword.items() if name != dropped}
        return Shape(kept, keyword, self.star, self.stars)


def recorded(text: str) -> Shape | None:
    """Parses a recorded signature; `None` where a default has no literal form."""
    try:
        made = ast.parse(f"def f{text.removeprefix('class ')}: pass").body[0]
    except SyntaxError:
        return None
    given = made.args  # type: ignore[attr-defined]
    defaults = [ast.unparse(value) for value in given.defaults]
    padded = [REQUIRED] * (len(given.args) - len(defaults)) + defaults
    keyword = {
        item.arg: REQUIRED if value is None else ast.unparse(value)
        for item, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    }
    names = [item.arg for item in given.args]
    return Shape(
        list(zip(names, padded, strict=True)), keyword, bool(given.vararg), bool(given.kwarg)
    )


def own(target: Any) -> Shape:
    """The signature of one of our callables."""
    found = Shape()
    for item in inspect.signature(target).parameters.values():
        default = REQUIRED if item.default is item.empty else repr(item.default)
        if item.kind is item.VAR_POSITIONAL:
            found.star = True
        elif item.kind is item.VAR_KEYWORD:
            found.stars = True
        elif item.kind is item.KEYWORD_ONLY:
            found.keyword[item.name] = default
        else:
            found.positional.append((item.name, default))
    return found


def lookup(name: str) -> Any:
    """The object that a recorded name of Paddle means here.

    Raises:
        AttributeError: there is none (yet).
    """
    found: Any = proa
    path = "proa"
    for part in name.split(".")[1:]:
        path += f".{part}"
        try:
            found = getattr(found, part)
        except AttributeError:
            if not inspect.ismodule(found):
                raise
            try:
                found = importlib.import_module(path)
            except ModuleNotFoundError as error:
                raise AttributeError(path) from error
    return found


def is_method(name: str, target: Any) -> bool:
    """Whether the first parameter is the object itself, whatever it is called."""
    return name.split(".")[-2][0].isupper() and not inspect.ismethod(target)


def same_default(left: str, right: str) -> bool:
    """Equal defaults; a list and a tuple of equal numbers are equal, as are 0 and 0.0."""
    try:
        a, b = ast.literal_eval(left), ast.literal_eval(right)
    except (SyntaxError, ValueError):
        return left == right
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return list(a) == list(b)
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)


def differences(name: str, text: str, target: Any) -> list[str]:
    """How one of our callables would surprise a caller who knows the recorded signature."""
    theirs = recorded(text)
    if theirs is None or (theirs.star and not theirs.positional):
        return []
    ours = own(target)
    if is_method(name, target):
        theirs.positional, ours.positional = theirs.positional[1:], ours.positional[1:]
    elif inspect.ismethod(target):
        theirs = theirs.without("cls")
    found = [f"no `{given}`" for given in ("name", "out") if _lacks(given, theirs, ours)]
    # Both are given by keyword in practice; where they stand among the parameters is free.
    if theirs.names() & {"name", "out"}:
        for free in ("name", "out"):
            theirs, ours = theirs.without(free), ours.without(free)
    return found + _compare(theirs, ours)


def _lacks(given: str, theirs: Shape, ours: Shape) -> bool:
    return given in theirs.names() and given not in ours.names() and not ours.stars


def _compare(theirs: Shape, ours: Shape) -> list[str]:
    found = []
    for i, (name, default) in enumerate(theirs.positional):
        if i >= len(ours.positional):
            if not ours.star:
                found.append(f"no `{name}`")
            continue
        own_name, own_default = ours.positional[i]
        if own_name != name:
            found.append(f"parameter {i} is `{own_name}`, not `{name}`")
            break
        if default != REQUIRED and not same_default(own_default, default):
            found.append(f"default of `{name}` is {own_default}, not {default}")
    known = dict(ours.positional) | ours.keyword
    for name, default in theirs.keyword.items():
        if name not in known:
            if not ours.stars:
                found.append(f"no keyword `{name}`")
        elif default != REQUIRED and not same_default(known[name], default):
            found.append(f"default of `{name}` is {known[name]}, not {default}")
    extra = [*ours.positional[len(theirs.positional) :], *ours.keyword.items()]
    asked = {name for name, default in extra if default == REQUIRED} - theirs.names()
    return found + [f"`{name}` is required" for name in sorted(asked)]
