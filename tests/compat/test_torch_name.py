from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

import proa
from proa.core import MissingAttributeError, PreconditionError, UnsupportedError


@pytest.fixture
def renamed(monkeypatch) -> Iterator[None]:
    for name in [n for n in sys.modules if n == "torch" or n.startswith("torch.")]:
        monkeypatch.delitem(sys.modules, name)
    proa.enable_compat()
    proa.enable_compat()
    yield
    proa.disable_compat()
    assert not [n for n in sys.modules if n == "torch" or n.startswith("torch.")]


def test_the_name_torch_means_proa(renamed):
    torch = importlib.import_module("torch")
    functional = importlib.import_module("torch.nn.functional")
    assert torch.sin is proa.sin
    assert torch.__version__ == proa.__version__
    assert torch.split is proa.compat.split
    assert torch.nn.Linear is proa.compat.nn.Linear
    assert torch.nn.Conv2D is proa.nn.Conv2D
    assert functional is torch.nn.functional
    assert functional.softmax is proa.compat.nn.functional.softmax
    assert functional.relu is proa.nn.functional.relu
    assert "sin" in dir(torch)
    parts = torch.split(torch.arange(5), 2, dim=0)
    assert [p.tolist() for p in parts] == [[0, 1], [2, 3], [4]]
    with pytest.raises(MissingAttributeError, match=r"torch\.nn\.Nothing: proa has no 'Nothing'"):
        torch.nn.Nothing
    with pytest.raises(MissingAttributeError, match=r"torch\.install"):
        torch.install
    with pytest.raises(ModuleNotFoundError, match=r"torch\.nothing"):
        importlib.import_module("torch.nothing")


def test_what_cannot_be_renamed(monkeypatch):
    with pytest.raises(UnsupportedError, match="scope='triton'"):
        proa.enable_compat(scope="triton")
    with pytest.raises(UnsupportedError, match="backend='numpy'"):
        proa.enable_compat(backend="numpy")
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    with pytest.raises(PreconditionError, match="torch from an unknown place is imported already"):
        proa.enable_compat()
    assert proa.disable_compat() is None
    assert "torch" in sys.modules
