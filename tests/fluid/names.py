"""What the tests of all modules of old names share."""

from __future__ import annotations

from types import ModuleType

from proa.utils import _shelf


def check_names(module: ModuleType, same: dict[str, object], monkeypatch, capsys) -> None:
    """Takes every name of a module down twice; one line each, and `same` are today's objects."""
    monkeypatch.setattr(_shelf, "_told", set())
    names = module.__dir__()
    capsys.readouterr()
    for name in [*names, *names]:
        assert getattr(module, name) is not None
    room = module.__name__.replace("proa", "paddle", 1)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" ")[1] for line in lines] == [f"{room}.{name}" for name in names]
    for name, expected in same.items():
        assert getattr(module, name) is expected
