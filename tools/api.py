"""The public API as text, one name and signature a line: `python tools/api.py --check | --write`.

`api.txt` is committed, so that a change of the API shows in the diff of the change that makes it.
Annotations are left out: names, order, kinds and defaults of parameters are what callers rely on.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import importlib
import inspect
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "proa"
RECORD = ROOT / "api.txt"


def public_packages(package: ModuleType) -> Iterator[ModuleType]:
    """The package and all its public sub-packages, imported, in the order of their names."""
    folder = Path(inspect.getfile(package)).parent
    yield package
    for path in sorted(folder.glob("*/__init__.py")):
        name = path.parent.name
        if not name.startswith("_"):
            yield from public_packages(importlib.import_module(f"{package.__name__}.{name}"))


def signature(value: object) -> str:
    """Parameters of a callable without annotations; defaults that have no stable text are `...`."""
    try:
        parameters = inspect.signature(value).parameters.values()  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return "(...)"
    plain = [
        item.replace(
            annotation=inspect.Parameter.empty,
            default=item.default
            if item.default is inspect.Parameter.empty
            else _Literal(item.default),
        )
        for item in parameters
    ]
    return str(inspect.Signature(plain))


class _Literal:
    """A default that prints the same in every process and Python version."""

    def __init__(self, value: object) -> None:
        text = repr(value)
        self.text = "..." if re.search(r" at 0x|^<", text) else text

    def __repr__(self) -> str:
        return self.text


def describe(name: str, value: object) -> Iterator[str]:
    """Lines for one public name: itself and, for a class of ours, its public members."""
    if not inspect.isclass(value):
        yield f"{name}{signature(value)}" if callable(value) else f"{name}: {type(value).__name__}"
        return
    yield f"class {name}{signature(value)}"
    if not value.__module__.startswith(PACKAGE):
        return
    for member, item in sorted(vars(value).items()):
        if member.startswith("_"):
            continue
        if isinstance(item, classmethod | staticmethod):
            item = item.__func__
        if callable(item):
            yield f"{name}.{member}{signature(item)}"
        elif isinstance(item, property):
            yield f"{name}.{member}: property"


def lines() -> list[str]:
    """The whole public API, sorted."""
    found: set[str] = set()
    # All are imported first: some add methods to classes of others.
    for package in list(public_packages(importlib.import_module(PACKAGE))):
        for name in {*vars(package), *dir(package)}:
            value = getattr(package, name)
            compiler_hint = getattr(value, "__module__", "") == "__future__"
            if name.startswith("_") or inspect.ismodule(value) or compiler_hint:
                continue
            found.update(describe(f"{package.__name__}.{name}", value))
    return sorted(found)


def main(arguments: list[str] | None = None) -> int:
    """Writes `api.txt`, or says how the API differs from it (and returns 1 when it does)."""
    parser = argparse.ArgumentParser(description=__doc__)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="compare with api.txt")
    action.add_argument("--write", action="store_true", help="record in api.txt")
    chosen = parser.parse_args(arguments)
    # The names that Paddle has dropped each say so on their first use: not to whom reads this.
    with contextlib.redirect_stderr(io.StringIO()):
        now = lines()
    if chosen.write:
        RECORD.write_text("\n".join(now) + "\n", encoding="utf-8")
        print(f"{RECORD.name}: {len(now)} names")
        return 0
    recorded = RECORD.read_text(encoding="utf-8").splitlines() if RECORD.exists() else []
    changes = list(difflib.unified_diff(recorded, now, "api.txt", "the code", lineterm="", n=0))
    print("\n".join(changes) or f"tools/api.py: {len(now)} names, as recorded in {RECORD.name}")
    if changes:
        print("The public API changed. If that is wanted, run `make api` and commit api.txt.")
    return 1 if changes else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
