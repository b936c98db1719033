from __future__ import annotations

from proa.inference import _store
from proa.jit import _executables


def test_predictors_keep_executables_as_compiled_steps_do():
    names = [name for name in vars(_store) if not name.startswith("_") and name != "annotations"]
    assert len(names) == 8
    for name in names:
        assert getattr(_store, name) is getattr(_executables, name)
