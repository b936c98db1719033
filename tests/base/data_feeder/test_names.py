from __future__ import annotations

import pytest

import proa
import proa.base.data_feeder as module
from proa.core import InvalidTypeError
from tests.fluid.names import check_names


def test_names_are_told(monkeypatch, capsys):
    check_names(module, {}, monkeypatch, capsys)


def test_checks_pass_and_refuse():
    x = proa.ones([1])
    module.check_variable_and_dtype(x, "x", ["float32", "float64"], "mine")
    module.check_type(3, "k", (int, float), "mine")
    module.check_dtype("int64", "x", "int64", "mine")
    assert module.convert_dtype(proa.float32) == "float32"
    with pytest.raises(InvalidTypeError, match="`k` of `mine` is 'a'"):
        module.check_type("a", "k", int, "mine")
    with pytest.raises(InvalidTypeError, match="`x` of `mine` has the dtype float32"):
        module.check_variable_and_dtype(x, "x", ["int64"], "mine", "use integers")
