"""Each gate passes on a tree that keeps the rules and fails on one that breaks them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import check

pytestmark = pytest.mark.smoke

FUTURE = "from __future__ import annotations\n"
CLEAN = {
    "proa/__init__.py": f'"""Top."""\n{FUTURE}from .core import f as f\n',
    "proa/core/__init__.py": f'"""Core."""\n{FUTURE}from ._a import f as f\n',
    "proa/core/_a.py": FUTURE + 'import numpy\n\ndef f():\n    """Does f."""\n    return numpy\n',
    "proa/nn/__init__.py": f"{FUTURE}from ._b import C as C\n",
    "proa/nn/_b.py": (
        f"{FUTURE}from ..core._a import f\n"
        'class C:\n    """A C."""\n    def m(self):\n        """Does m."""\n        return f\n'
    ),
    "tests/core/test_a.py": FUTURE + "def test_f(): pass\n",
    "tests/nn/test_b_edges.py": FUTURE + "def test_c(): pass\n",
    "tests/e2e/test_all.py": FUTURE,
}


def _write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def _body(lines: int, indent: str = "") -> str:
    return "".join(f"{indent}x{number} = {number}\n" for number in range(lines))


BREACHES = {
    "rooms: upward": (
        {"proa/core/_a.py": f"{FUTURE}from ..nn import C\n"},
        [("rooms", "proa/core/_a.py", "'core' imports 'proa.nn', which stands above it")],
    ),
    "rooms: upward, absolute": (
        {"proa/core/_a.py": f"{FUTURE}import proa.nn._b\n"},
        [("rooms", "proa/core/_a.py", "'core' imports 'proa.nn._b'")],
    ),
    "rooms: upward through the top": (
        {"proa/core/_a.py": f"{FUTURE}from .. import nn\n"},
        [("rooms", "proa/core/_a.py", "'core' imports 'proa.nn'")],
    ),
    "rooms: the top package": (
        {"proa/nn/_b.py": f"{FUTURE}import proa\nclass C:\n    'A C.'\n"},
        [("rooms", "proa/nn/_b.py", "'nn' imports 'proa', which stands above it")],
    ),
    "rooms: later in its row": (
        {
            "proa/nn/_b.py": f"{FUTURE}from ..io import D\nclass C:\n    'A C.'\n",
            "proa/io/__init__.py": FUTURE,
        },
        [("rooms", "proa/nn/_b.py", "'nn' imports 'proa.io'")],
    ),
    "rooms: inside a function": (
        {"proa/core/_a.py": f"{FUTURE}def f():\n    'Does f.'\n    from ..nn import C\n"},
        [
            ("rooms", "proa/core/_a.py", "'core' imports 'proa.nn'"),
            ("imports", "proa/core/_a.py", "'proa.nn' is imported inside a function"),
        ],
    ),
    "rooms: unlisted": (
        {"proa/attic/__init__.py": FUTURE},
        [("rooms", "proa/attic/__init__.py", "room 'attic' is not listed")],
    ),
    "imports: standard library inside": (
        {"proa/core/_a.py": f"{FUTURE}def f():\n    'Does f.'\n    import json\n"},
        [("imports", "proa/core/_a.py", "'json' is imported inside a function")],
    ),
    "imports: third party at the top": (
        {"proa/core/_a.py": f"{FUTURE}import scipy.linalg\ndef f():\n    'Does f.'\n"},
        [("imports", "proa/core/_a.py", "'scipy.linalg' is imported at the top")],
    ),
    "sizes: module": (
        {"proa/core/_a.py": FUTURE + _body(500)},
        [("sizes", "proa/core/_a.py", "501 code lines, at most 500")],
    ),
    "sizes: function": (
        {"proa/core/_a.py": FUTURE + "def f():\n    'Does f.'\n" + _body(50, "    ")},
        [("sizes", "proa/core/_a.py::f", "f has 51 code lines, at most 50")],
    ),
    "sizes: method of an inner class": (
        {
            "proa/core/_a.py": f"{FUTURE}class A:\n  class B:\n    def g(self):\n"
            + _body(50, " " * 6)
        },
        [("sizes", "proa/core/_a.py::A.B.g", "A.B.g has 51 code lines")],
    ),
    "sizes: class": (
        {
            "proa/core/_a.py": f"{FUTURE}class A:\n"
            + "".join(f"  def m{number}(self): pass\n" for number in range(41))
        },
        [("sizes", "proa/core/_a.py::A", "class A has 41 methods, at most 40")],
    ),
    "sizes: test file": (
        {"tests/core/test_a.py": FUTURE + _body(800)},
        [("sizes", "tests/core/test_a.py", "801 lines, at most 800")],
    ),
    "asserts": (
        {"proa/core/_a.py": f"{FUTURE}def f(x):\n    'Does f.'\n    assert x\n"},
        [("asserts", "proa/core/_a.py", "assert in the package")],
    ),
    "mirror: no test": (
        {"proa/core/_lone.py": FUTURE},
        [("mirror", "proa/core/_lone.py", "write tests/core/test_lone.py")],
    ),
    "mirror: part of no module": (
        {"proa/core/_b_parts.py": FUTURE, "tests/core/test_a_parts.py": FUTURE},
        [("mirror", "proa/core/_b_parts.py", "write tests/core/test_b_parts.py")],
    ),
    "mirror: no module": (
        {"tests/core/test_gone.py": FUTURE},
        [("mirror", "tests/core/test_gone.py", "tests no module (proa/core/_gone.py")],
    ),
    "inits: another name": (
        {"proa/core/__init__.py": f"{FUTURE}from ._a import f as g\n"},
        [("inits", "proa/core/__init__.py", "not a line of the export list")],
    ),
    "inits: code": (
        {"proa/core/__init__.py": f"{FUTURE}from ._a import f as f\nx = 1\n"},
        [("inits", "proa/core/__init__.py", "not a line of the export list: 'x = 1'")],
    ),
    "inits: public module": (
        {"proa/core/loud.py": FUTURE, "tests/core/test_loud.py": FUTURE},
        [("inits", "proa/core/loud.py", "call it _loud.py")],
    ),
    "docstrings: function": (
        {"proa/core/_a.py": f"{FUTURE}def f(): pass\n"},
        [("docstrings", "proa/core/_a.py::f", "f is public and has no docstring")],
    ),
    "docstrings: method": (
        {"proa/nn/_b.py": f"{FUTURE}class C:\n    'A C.'\n    def m(self): pass\n"},
        [("docstrings", "proa/nn/_b.py::C.m", "C.m is public")],
    ),
    "docstrings: op": (
        {"proa/core/_a.py": f"{FUTURE}def f(): 'F.'\n@op(method='g')\ndef g(x): pass\n"},
        [("docstrings", "proa/core/_a.py::g", "g is public")],
    ),
    "todos: no issue": (
        {"proa/core/_a.py": f"{FUTURE}def f(): 'F.'\n# TODO: later\n"},
        [("todos", "proa/core/_a.py", "a TODO names its issue")],
    ),
    "todos: flood": (
        {"proa/core/_a.py": f"{FUTURE}def f(): 'F.'\n# TODO(#1): a\n# TODO(#2): b\n"},
        [("todos", "proa/core/_a.py", "2 TODOs, at most 1")],
    ),
}


def test_a_clean_tree_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check.run(_write(tmp_path, CLEAN)) == []
    assert check.main([str(tmp_path)]) == 0
    assert "8 gates, clean" in capsys.readouterr().out


def test_each_gate_has_a_breach_here() -> None:
    assert {case.split(":")[0] for case in BREACHES} == set(check.GATES)


@pytest.mark.parametrize("case", BREACHES)
def test_a_breach_is_found(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files, expected = BREACHES[case]
    root = _write(tmp_path, {**CLEAN, **files})
    found = check.run(root)
    assert [(item.gate, item.key) for item in found] == [(gate, key) for gate, key, _ in expected]
    for item, (_, _, message) in zip(found, expected, strict=True):
        assert message in item.message
    assert check.main([str(root)]) == 1
    assert f"[{expected[0][0]}]" in capsys.readouterr().out


ALLOWED = {
    "type checkers may look up": {
        "proa/core/_a.py": (
            f"{FUTURE}from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    from ..nn import C\ndef f(): 'F.'\n"
        )
    },
    "an optional library inside": {
        "proa/core/_a.py": f"{FUTURE}def f():\n    'F.'\n    import scipy\n"
    },
    "a late room": {
        "proa/cli/__init__.py": f"{FUTURE}from ._main import main as main\n",
        "proa/cli/_main.py": f"{FUTURE}import typer\nimport proa\ndef main(): 'M.'\n",
        "tests/cli/test_main.py": FUTURE,
    },
    "docstrings, comments and blanks are no code lines": {
        "proa/core/_a.py": f'{FUTURE}def f():\n    """F.\n{"x" * 9}\n    """\n' + "\n# why\n" * 600
    },
    "parts of a module share its test file": {"proa/core/_a_parts.py": FUTURE},
    "names of other rooms": {"proa/nn/__init__.py": f"{FUTURE}from proa.core import f as f\n"},
    "an export list without annotations": {"proa/nn/__init__.py": "from ._b import C as C\n"},
    "setters and private ops say nothing": {
        "proa/nn/_b.py": (
            f"{FUTURE}class C:\n    'A C.'\n    @p.setter\n    def p(self, v): pass\n"
            "@op\ndef _g(x): pass\n"
        )
    },
    "one TODO": {"proa/core/_a.py": f"{FUTURE}def f(): 'F.'\n# TODO(#1): a\n"},
}


@pytest.mark.parametrize("case", ALLOWED)
def test_allowed(case: str, tmp_path: Path) -> None:
    assert check.run(_write(tmp_path, {**CLEAN, **ALLOWED[case]})) == []


def test_exceptions_need_a_use_and_a_reason(tmp_path: Path) -> None:
    files, _ = BREACHES["asserts"]
    allow = '[asserts]\n"proa/core/_a.py" = "it is the sample of a test"\n'
    root = _write(tmp_path, {**CLEAN, **files, check.EXCEPTIONS: allow})
    assert check.run(root) == []
    _write(root, CLEAN)
    assert ["no longer needed" in item.message for item in check.run(root)] == [True]
    _write(root, {**files, check.EXCEPTIONS: '[asserts]\n"proa/core/_a.py" = ""\n'})
    assert ["gives no reason" in item.message for item in check.run(root)] == [True]
