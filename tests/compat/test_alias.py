from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

import proa
import proa.nn
from proa.compat import install, is_installed, uninstall
from proa.core import MissingAttributeError, MissingModuleError, PreconditionError


@pytest.fixture(name="alias")
def _alias() -> Iterator[None]:
    install()
    yield
    uninstall()


@pytest.mark.smoke
@pytest.mark.usefixtures("alias")
def test_modules_are_the_same_objects_under_both_names() -> None:
    import paddle
    import paddle.nn as nn
    import paddle.vision.datasets
    from paddle.nn import functional as F
    from paddle.optimizer.lr import LRScheduler

    assert paddle is proa
    assert nn is proa.nn
    assert F is sys.modules["proa.nn.functional"]
    assert LRScheduler is sys.modules["proa.optimizer.lr"].LRScheduler
    assert paddle.vision.datasets is sys.modules["proa.vision.datasets"]


@pytest.mark.usefixtures("alias")
def test_modules_keep_their_own_names_and_specs() -> None:
    nn = importlib.import_module("paddle.nn")
    assert nn.__name__ == "proa.nn"
    assert nn.__spec__.name == "proa.nn"
    assert nn.__package__ == "proa.nn"
    assert pickle.loads(pickle.dumps(nn.Layer)) is proa.nn.Layer
    assert proa.nn.Layer.__module__.startswith("proa.")


@pytest.mark.usefixtures("alias")
@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("import paddle.gazebo", r"no module or name 'paddle.gazebo'"),
        (
            "import paddle.nn.functionall",
            r"'paddle.nn.functionall'(.|\n)*did you mean 'functional'",
        ),
        ("from paddle.nn import Layers", r"'paddle.nn.Layers'(.|\n)*did you mean 'Layer"),
        ("from paddle import gazebo", r"'paddle.gazebo'(.|\n)*docs/compat.md"),
    ],
)
def test_an_unknown_import_names_what_is_missing_and_what_is_near(
    statement: str, message: str
) -> None:
    with pytest.raises(MissingModuleError, match=message):
        exec(statement)
    with pytest.raises(ImportError):
        exec(statement)


@pytest.mark.usefixtures("alias")
def test_an_unknown_attribute_names_what_is_missing_and_what_is_near() -> None:
    import paddle

    with pytest.raises(MissingAttributeError, match=r"paddle.nn.layerr(.|\n)*did you mean 'Layer'"):
        paddle.nn.layerr
    with pytest.raises(AttributeError, match=r"paddle.to_tensors(.|\n)*did you mean 'to_tensor'"):
        paddle.to_tensors
    assert not hasattr(paddle, "no_such_name")
    assert getattr(paddle.nn, "NoSuchLayer", None) is None


@pytest.mark.usefixtures("alias")
def test_other_imports_are_left_alone() -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_package'"):
        importlib.import_module("no_such_package")
    assert importlib.import_module("json.decoder").__name__ == "json.decoder"


def test_after_uninstall_the_name_is_free_again() -> None:
    install()
    importlib.import_module("paddle.nn")
    uninstall()
    assert not is_installed()
    assert not [name for name in sys.modules if name.partition(".")[0] == "paddle"]
    assert type(proa.nn) is ModuleType
    uninstall()


def test_installing_twice_is_installing_once() -> None:
    finders = len(sys.meta_path)
    install()
    install()
    assert is_installed()
    assert len(sys.meta_path) == finders + 2
    uninstall()
    assert len(sys.meta_path) == finders


def test_the_real_paddle_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    real = ModuleType("paddle")
    real.__version__ = "3.3.1"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "paddle", real)
    with pytest.raises(PreconditionError, match=r"paddle 3.3.1 from .* is imported already"):
        install()
    assert sys.modules["paddle"] is real
    assert not is_installed()
