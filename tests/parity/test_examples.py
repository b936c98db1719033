from __future__ import annotations

import sys
import types
from contextlib import nullcontext

import pytest

from parity._examples import extract, public_modules, run_example

_PACKAGE = '''
def double(x):
    """Doubles.

    >>> import fake
    >>> fake.double(2)
    4
    """
    return 2 * x

class Tensor:
    twice = double

    def half(self):
        """
        >>> for i in range(2):
        ...     print(i)
        """

def bare():
    """No example."""

__all__ = ["double", "bare", "Tensor"]
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "fake"
    (folder / "inner").mkdir(parents=True)
    (folder / "__init__.py").write_text(_PACKAGE)
    (folder / "inner" / "__init__.py").write_text(
        'from .. import double\ndef own():\n    """>>> 1"""\n__all__ = ["own", "double"]\n'
    )
    (folder / "broken.py").write_text("raise ImportError('a library is missing')\n")
    (folder / "_private.py").write_text("raise SystemExit(3)\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("fake")
    yield module
    for name in [name for name in sys.modules if name.partition(".")[0] == "fake"]:
        del sys.modules[name]


def test_modules_that_cannot_be_imported_are_passed_over(package):
    assert [each.__name__ for each in public_modules(package)] == ["fake", "fake.inner"]


def test_examples_are_read_once_under_the_shortest_name(package):
    assert extract(package) == {
        "fake.double": {"room": "fake", "sources": ["import fake\n", "fake.double(2)\n"]},
        "fake.Tensor.half": {"room": "fake", "sources": ["for i in range(2):\n    print(i)\n"]},
        "fake.inner.own": {"room": "fake.inner", "sources": ["1\n"]},
    }


def _platform():
    platform = types.SimpleNamespace(seeds=[])
    platform.seed = platform.seeds.append
    platform.utils = types.SimpleNamespace(unique_name=types.SimpleNamespace(guard=nullcontext))
    setters = "disable_static set_device set_default_dtype set_grad_enabled set_flags"
    for name in (*setters.split(), "set_printoptions"):
        setattr(platform, name, lambda *args, **kwargs: None)
    platform.vision = types.SimpleNamespace(set_image_backend=lambda name: None)
    return platform


@pytest.mark.parametrize(
    ("sources", "status", "printed"),
    [
        (["x = 2\n", "x + 1\n", "print('y')\n"], "ok", ["", "3\n", "y\n"]),
        (["x = 2\n", "1 / 0\n", "x\n"], "error", [""]),
        (["x = (\n"], "error", []),
        (["raise SystemExit(0)\n"], "error", []),
        (["1\n", "2 # doctest: +SKIP\n"], "skipped", ["1\n"]),
    ],
)
def test_an_example_runs_statement_by_statement(sources, status, printed):
    platform = _platform()
    answer = run_example(platform, sources, seed=7)
    assert (answer["status"], answer["printed"]) == (status, printed)
    assert platform.seeds == [7]


def test_an_error_names_its_statement():
    answer = run_example(_platform(), ["x = 2\n", "1 / 0\n"], seed=0)
    assert answer["message"] == "statement 1 (1 / 0): ZeroDivisionError: division by zero"
