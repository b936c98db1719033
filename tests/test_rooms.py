from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import proa
from proa import _rooms


def declared() -> set[tuple[str, str]]:
    """Pairs of (where from, name) that type checkers are told of."""
    tree = ast.parse(Path(inspect.getfile(proa)).read_text())
    (block,) = (
        node for node in tree.body if isinstance(node, ast.If) and "CHECK" in ast.unparse(node.test)
    )
    return {(node.module, node.names[0].name) for node in block.body}


def test_type_checkers_are_told_of_the_same_names():
    rooms = {("proa", name) for name in _rooms.ROOMS}
    names = {(f"proa.{room}", name) for name, room in _rooms.NAMES.items()}
    assert declared() == rooms | names


@pytest.mark.parametrize("name", [*_rooms.ROOMS, *_rooms.NAMES])
def test_every_name_loads(name):
    assert getattr(proa, name) is not None
    assert name in dir(proa)


def test_rooms_are_loaded_when_they_are_used():
    code = (
        "import sys, proa; before = 'proa.nn' in sys.modules; proa.nn.Linear; "
        "print(before, 'proa.nn' in sys.modules, 'proa.distributed' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "False"]


def test_a_missing_name_is_told_with_near_ones():
    with pytest.raises(AttributeError, match="proa has no 'reshap'(.|\n)*reshape"):
        _ = proa.reshap
