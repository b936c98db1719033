"""The gates of the house rules that neither ruff nor pyright knows: `python tools/check.py`.

A gate is a function from the parsed tree to findings; `GATES` lists them. A finding that must stay
is named in `tools/exceptions.toml` with its reason; an exception that nothing needs is a finding.
Only the standard library is used, so that the gates run before anything is installed.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import time
import tokenize
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

PACKAGE = "proa"
EXCEPTIONS = "tools/exceptions.toml"

# A room imports only rooms listed before it (docs/design.md, "Rooms"). "" is the top package:
# what comes after it may be written with `import proa`, what comes before it may not.
ROOMS = (
    *("version", "core", "native", "ops", "program"),
    "autograd",
    *(
        "framework",
        "device",
        "cuda",
        "random",
        "sysconfig",
        "cost_model",
        "utils",
        "linalg",
        "fft",
        "signal",
        "special",
        "geometric",
    ),
    *("regularizer", "nn", "sparse", "optimizer", "metric", "io", "distribution"),
    *("vision", "text", "audio", "profiler"),
    *("amp", "formats", "jit", "static"),
    *("model", "callbacks"),
    "distributed",
    *("inference", "serving", "slim", "quantization", "onnx", "hub", "incubate"),
    "",
    *("suites", "board", "compat", "functional", "fluid", "base", "cli"),
)
# What `import proa` may pull in at once; every other third party is imported where it is used.
CORE_LIBRARIES = frozenset({"jax", "jaxlib", "ml_dtypes", "numpy"})
# Rooms that `import proa` does not load, and so may import their libraries at the top.
LATE_ROOMS = frozenset({"serving", "board", "cli"})

MODULE_LINES = 500
FUNCTION_LINES = 50
CLASS_METHODS = 40
TEST_FILE_LINES = 800
LINES_PER_TODO = 1000
# Test folders that mirror no room.
FREE_TEST_FOLDERS = frozenset({"e2e", "tools", "bench", "parity"})

_SKIPPED_TOKENS = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    }
)
_TODO = re.compile(r"\b(TODO|FIXME|XXX)\b")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Finding:
    """One breach of one gate; `key` is what `tools/exceptions.toml` names it by."""

    gate: str
    key: str
    line: int
    message: str

    def __str__(self) -> str:
        path = self.key.split("::", maxsplit=1)[0]
        return f"{path}:{self.line}: [{self.gate}] {self.message}"


@dataclass(frozen=True)
class Source:
    """One Python file: its path from the root (with `/`), its text and its syntax tree."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        return ast.parse(self.text, self.path)

    @cached_property
    def tokens(self) -> list[tokenize.TokenInfo]:
        """All tokens, comments included."""
        return list(tokenize.generate_tokens(io.StringIO(self.text).readline))

    @cached_property
    def code_lines(self) -> frozenset[int]:
        """Numbers of the lines that hold a token and are no docstring, comment or blank."""
        lines: set[int] = set()
        for token in self.tokens:
            if token.type not in _SKIPPED_TOKENS:
                lines.update(range(token.start[0], token.end[0] + 1))
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                if isinstance(node.value.value, str):
                    lines.difference_update(range(node.lineno, (node.end_lineno or 0) + 1))
        return frozenset(lines)

    @property
    def num_lines(self) -> int:
        """Number of lines of any kind."""
        return self.text.count("\n")

    @property
    def parts(self) -> tuple[str, ...]:
        """The path split at its slashes."""
        return tuple(self.path.split("/"))

    @property
    def name(self) -> str:
        """The file's name without `.py`."""
        return self.parts[-1].removesuffix(".py")

    @property
    def in_package(self) -> bool:
        """Whether the file is part of what users install."""
        return self.parts[0] == PACKAGE

    @property
    def room(self) -> str:
        """The room the file belongs to; "" for the top package."""
        return self.parts[1] if len(self.parts) > 2 else ""


@dataclass(frozen=True)
class Tree:
    """All Python files of the project under one root."""

    root: Path
    sources: tuple[Source, ...]
    by_path: dict[str, Source] = field(default_factory=dict)

    @classmethod
    def read(cls, root: Path) -> Tree:
        """Reads the Python files of the project under `root`."""
        sources = []
        for folder in (PACKAGE, "tests", "tools", "bench", "parity"):
            for path in sorted((root / folder).rglob("*.py")):
                relative = path.relative_to(root).as_posix()
                sources.append(Source(relative, path.read_text(encoding="utf-8")))
        return cls(root, tuple(sources), {source.path: source for source in sources})

    @property
    def package(self) -> Iterator[Source]:
        """The files that users install."""
        return (source for source in self.sources if source.in_package)


def _code_lines(source: Source, node: _Definition) -> int:
    last = node.end_lineno or node.lineno
    if last - node.lineno < FUNCTION_LINES:
        return last - node.lineno + 1
    return sum(node.lineno <= line <= last for line in source.code_lines)


def _named(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, _Definition]]:
    """All functions and classes with their dotted names, outer ones first."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _Definition):
            name = f"{prefix}{node.name}"
            yield name, node
            yield from _named(node, f"{name}.")
        else:
            yield from _named(node, prefix)


def _imports(source: Source) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool, bool]]:
    """Import statements, with: inside a function? for type checkers only?"""

    def walk(node: ast.AST, inner: bool, typing: bool) -> Iterator[tuple]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield child, inner, typing
                continue
            guard = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            yield from walk(child, inner or isinstance(child, _FUNCTIONS), typing or guard)

    yield from walk(source.tree, False, False)


def _targets(source: Source, node: ast.Import | ast.ImportFrom) -> list[str]:
    """Absolute dotted names that an import statement may load."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        package = source.parts[: len(source.parts) - node.level]
        base = ".".join([*package, *([node.module] if node.module else [])])
    if base == PACKAGE:
        return [f"{base}.{alias.name}" for alias in node.names]
    return [base]


def check_rooms(tree: Tree) -> Iterator[Finding]:
    """Rooms are listed, and import only rooms listed before them."""
    rank = {room: position for position, room in enumerate(ROOMS)}
    for source in tree.package:
        if source.room not in rank:
            message = f"room {source.room!r} is not listed: give it its place in ROOMS"
            yield Finding("rooms", source.path, 1, f"{message} (tools/check.py)")
            continue
        if source.path == f"{PACKAGE}/__init__.py":
            continue
        for node, _, typing in _imports(source):
            for target in _targets(source, node):
                parts = target.split(".")
                if parts[0] != PACKAGE or typing:
                    continue
                room = parts[1] if len(parts) > 1 and parts[1] in rank else ""
                if rank[room] > rank[source.room]:
                    upward = f"{source.room!r} imports {target!r}, which stands above it"
                    fix = "move what is shared down, or hand it in from above"
                    yield Finding("rooms", source.path, node.lineno, f"{upward}; {fix}")


def check_imports(tree: Tree) -> Iterator[Finding]:
    """Optional third parties are imported inside functions, everything else at the top."""
    for source in tree.package:
        for node, inner, typing in _imports(source):
            for target in _targets(source, node):
                library = target.split(".", maxsplit=1)[0]
                known = library in CORE_LIBRARIES or library in sys.stdlib_module_names
                if inner and (known or library == PACKAGE):
                    message = f"{target!r} is imported inside a function: import it at the top"
                elif inner or known or typing or library == PACKAGE or source.room in LATE_ROOMS:
                    continue
                else:
                    message = (
                        f"{target!r} is imported at the top: import it in the function that uses "
                        "it, so that `import proa` stays light"
                    )
                yield Finding("imports", source.path, node.lineno, message)


def check_sizes(tree: Tree) -> Iterator[Finding]:
    """Modules, functions, classes and test files keep their limits."""
    for source in tree.sources:
        if source.parts[0] == "tests":
            if source.num_lines > TEST_FILE_LINES:
                message = (
                    f"{source.num_lines} lines, at most {TEST_FILE_LINES}: split the file by idea"
                )
                yield Finding("sizes", source.path, 1, message)
            continue
        # Counting tokens is slow, and most files are below the limit with their blank lines.
        # An export list is no module to split: it is as long as its room has names.
        is_export_list = source.path.endswith("/__init__.py")
        too_long = source.num_lines > MODULE_LINES and len(source.code_lines) > MODULE_LINES
        if too_long and not is_export_list:
            message = f"{len(source.code_lines)} code lines, at most {MODULE_LINES}"
            yield Finding("sizes", source.path, 1, f"{message}: split the module by idea")
        for name, node in _named(source.tree):
            key = f"{source.path}::{name}"
            if isinstance(node, ast.ClassDef):
                methods = sum(isinstance(child, _FUNCTIONS) for child in node.body)
                if methods > CLASS_METHODS:
                    message = f"class {name} has {methods} methods, at most {CLASS_METHODS}"
                    yield Finding("sizes", key, node.lineno, message)
            elif (lines := _code_lines(source, node)) > FUNCTION_LINES:
                message = f"{name} has {lines} code lines, at most {FUNCTION_LINES}"
                yield Finding("sizes", key, node.lineno, message)


def check_asserts(tree: Tree) -> Iterator[Finding]:
    """The package raises its own errors instead of asserting."""
    for source in tree.package:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Assert):
                message = "assert in the package: raise a class of proa/core/_errors.py"
                yield Finding("asserts", source.path, node.lineno, message)


def check_mirror(tree: Tree) -> Iterator[Finding]:
    """`proa/a/_b.py` has `tests/a/test_b.py`, and the other way round.

    A large module may have several test files (`test_b_edges.py`), and the parts that a module was
    split into (`_b_parts.py` beside `_b.py`) may share its test file.
    """
    tests: dict[tuple[str, ...], set[str]] = {}
    modules: dict[tuple[str, ...], set[str]] = {}
    for source in tree.sources:
        folder = source.parts[1:-1]
        if source.parts[0] == "tests" and source.name.startswith("test_"):
            tests.setdefault(folder, set()).add(source.name.removeprefix("test_"))
        elif source.in_package:
            modules.setdefault(folder, set()).add(source.name.strip("_"))
    for source in tree.sources:
        folder = source.parts[1:-1]
        free = bool(folder) and folder[0] in FREE_TEST_FOLDERS
        if source.in_package and source.name != "__init__":
            module = source.name.strip("_")
            names = tests.get(folder, set())
            whole = {part for part in _beginnings(module) if part in modules[folder]}
            if not names & whole and not any(module in _beginnings(name) for name in names):
                wanted = "/".join(("tests", *folder, f"test_{module}.py"))
                yield Finding("mirror", source.path, 1, f"no test file: write {wanted}")
        elif source.parts[0] == "tests" and source.name.startswith("test_") and not free:
            name = source.name.removeprefix("test_")
            if not set(_beginnings(name)) & modules.get(folder, set()):
                wanted = "/".join((PACKAGE, *folder, f"_{name}.py"))
                message = f"tests no module ({wanted} is not there): name it after its module"
                yield Finding("mirror", source.path, 1, message)


def _beginnings(name: str) -> list[str]:
    """`a_b_c` begins with `a`, `a_b` and `a_b_c`."""
    words = name.split("_")
    return ["_".join(words[: count + 1]) for count in range(len(words))]


def check_inits(tree: Tree) -> Iterator[Finding]:
    """`__init__` is one list of `from ._x import name as name`; modules are private."""
    for source in tree.package:
        if source.name not in ("__init__", "__main__") and not source.name.startswith("_"):
            message = f"public module name: call it _{source.name}.py and export from __init__"
            yield Finding("inits", source.path, 1, message)
        if source.name != "__init__":
            continue
        for position, node in enumerate(source.tree.body):
            docstring = (
                position == 0
                and isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
            )
            if docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
                continue
            own = isinstance(node, ast.ImportFrom) and (
                node.level > 0 or (node.module or "").split(".")[0] == PACKAGE
            )
            names = node.names if isinstance(node, ast.ImportFrom) and own else []
            # Only the top package renames: the core's `bool_` is `proa.bool`.
            renamed = source.room and any(alias.name != alias.asname for alias in names)
            if not names or renamed or any(alias.asname is None for alias in names):
                message = f"not a line of the export list: {ast.unparse(node)[:60]!r}"
                fix = "write `from ._module import name as name`"
                yield Finding("inits", source.path, node.lineno, f"{message}; {fix}")


def check_docstrings(tree: Tree) -> Iterator[Finding]:
    """Exported names, methods of exported root classes, and ops say what they do."""
    exported: dict[str, set[str]] = {}
    for source in tree.package:
        if source.name != "__init__":
            continue
        for node in source.tree.body:
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
                path = "/".join((*source.parts[:-1], *node.module.split("."))) + ".py"
                exported.setdefault(path, set()).update(alias.name for alias in node.names)
    for source in tree.package:
        names = exported.get(source.path, set())
        for node in source.tree.body:
            if not isinstance(node, _Definition):
                continue
            decorators = [ast.unparse(item).split("(")[0] for item in node.decorator_list]
            derived = "op" in decorators and not node.name.startswith("_")
            if node.name not in names and not derived:
                continue
            for name, item in _needing_docstring(node):
                if not ast.get_docstring(item):
                    key = f"{source.path}::{name}"
                    message = f"{name} is public and has no docstring"
                    yield Finding("docstrings", key, item.lineno, message)


def _needing_docstring(node: _Definition) -> Iterator[tuple[str, _Definition]]:
    yield node.name, node
    # A class with bases may inherit the description of its methods.
    if isinstance(node, ast.ClassDef) and not node.bases:
        for item in node.body:
            if not isinstance(item, _FUNCTIONS) or item.name.startswith("_"):
                continue
            if not any(ast.unparse(mark).endswith(".setter") for mark in item.decorator_list):
                yield f"{node.name}.{item.name}", item


def check_todos(tree: Tree) -> Iterator[Finding]:
    """A TODO names its issue, and there are few."""
    found = []
    for source in tree.package:
        if not _TODO.search(source.text):
            continue
        for token in source.tokens:
            if token.type == tokenize.COMMENT and _TODO.search(token.string):
                found.append((source, token))
                if not re.search(r"\bTODO\(#?\d+\)", token.string):
                    message = "a TODO names its issue: write TODO(#12) and what is to be done"
                    yield Finding("todos", source.path, token.start[0], message)
    allowed = 1 + sum(source.num_lines for source in tree.package) // LINES_PER_TODO
    for source, token in found[allowed:]:
        message = f"{len(found)} TODOs, at most {allowed} for this much code: do one or file it"
        yield Finding("todos", source.path, token.start[0], message)


Gate = Callable[[Tree], Iterator[Finding]]
GATES: dict[str, Gate] = {
    "rooms": check_rooms,
    "imports": check_imports,
    "sizes": check_sizes,
    "asserts": check_asserts,
    "mirror": check_mirror,
    "inits": check_inits,
    "docstrings": check_docstrings,
    "todos": check_todos,
}


def read_exceptions(root: Path) -> dict[tuple[str, str], str]:
    """Reads `tools/exceptions.toml`: (gate, key) to the reason."""
    path = root / EXCEPTIONS
    if not path.exists():
        return {}
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {(gate, key): reason for gate, rows in table.items() for key, reason in rows.items()}


def run(root: Path) -> list[Finding]:
    """Runs all gates on the tree under `root`; what `tools/exceptions.toml` allows is left out."""
    tree = Tree.read(root)
    exceptions = read_exceptions(root)
    used: set[tuple[str, str]] = set()
    findings = []
    for gate in GATES.values():
        for finding in gate(tree):
            entry = (finding.gate, finding.key)
            if entry in exceptions:
                used.add(entry)
            else:
                findings.append(finding)
    for gate, key in sorted(exceptions.keys() - used):
        message = f"the {gate} exception for {key!r} is no longer needed: remove it"
        findings.append(Finding("exceptions", EXCEPTIONS, 1, message))
    for (gate, key), reason in sorted(exceptions.items()):
        if not isinstance(reason, str) or len(reason.split()) < 3:
            message = f"the {gate} exception for {key!r} gives no reason"
            findings.append(Finding("exceptions", EXCEPTIONS, 1, message))
    return findings


def main(arguments: list[str] | None = None) -> int:
    """Prints all findings; returns 1 when there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).resolve().parents[1]
    parser.add_argument("root", nargs="?", type=Path, default=default, help="the project's folder")
    root = parser.parse_args(arguments).root
    start = time.perf_counter()
    findings = run(root)
    for finding in findings:
        print(finding)
    seconds = time.perf_counter() - start
    verdict = f"{len(findings)} findings" if findings else "clean"
    print(f"tools/check.py: {len(GATES)} gates, {verdict} ({seconds:.1f} s)")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
