from __future__ import annotations

import pytest

import proa
from proa.core import PreconditionError
from proa.utils import _check as module
from proa.utils import check_installation, loaded_libraries, run_check


def test_all_checks_pass_here_and_say_what_they_found():
    items = {item.name: item for item in check_installation()}
    assert all(item.passed for item in items.values())
    assert items["one gradient"].measured == "x^3 at 3: 27, 18"
    assert "jaxlib" in items["libraries"].measured
    assert items["libraries"].measured.count("site-packages") == 1
    assert f"proa {proa.__version__}" in items["versions"].measured
    assert any("jaxlib" in file for file in loaded_libraries())


def test_a_check_that_raises_is_a_failed_item_with_what_to_do(monkeypatch):
    def broken():
        raise OSError("libcudnn.so.9: cannot open")

    checks = (("libraries", broken, "a library that loads", "pip install something"),)
    monkeypatch.setattr(module, "_CHECKS", checks)
    (item,) = check_installation()
    assert not item.passed
    assert item.measured == "OSError: libcudnn.so.9: cannot open"
    with pytest.raises(PreconditionError, match=r"libcudnn(.|\n)*Fix: pip install something"):
        run_check()


def test_run_check_prints_a_line_per_check(capsys):
    run_check()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ok   interpreter: Python 3")
    assert lines[-1].startswith("Proa works on this machine: 4 device(s)")
