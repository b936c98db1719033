from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.fluid import dygraph


def test_eager_mode_is_on_inside_and_outside():
    before = proa.get_device()
    with dygraph.guard(proa.CPUPlace()):
        assert dygraph.enabled()
        x = dygraph.to_variable(np.ones((2, 2), np.float32), name="x")
    assert (x.name, x.dtype) == ("x", "float32")
    assert dygraph.to_variable(x) is x
    assert dygraph.to_variable(x, dtype="int64").dtype == "int64"
    assert proa.get_device() == before
    with proa.static.program_guard(proa.static.Program()):
        assert not dygraph.enabled()
        with dygraph.guard():
            assert dygraph.enabled()
            assert (proa.ones([2]) + 1).tolist() == [2, 2]
        assert not dygraph.enabled()


def test_states_are_written_and_read(tmp_path):
    layer = proa.nn.Linear(2, 1)
    adam = proa.optimizer.Adam(parameters=layer.parameters())
    path = str(tmp_path / "net")
    dygraph.save_dygraph(layer.state_dict(), path)
    assert (tmp_path / "net.pdparams").is_file()
    state, nothing = dygraph.load_dygraph(path)
    assert state["weight"].tolist() == layer.weight.tolist()
    assert nothing is None
    layer(proa.ones([1, 2])).sum().backward()
    adam.step()
    dygraph.save_dygraph(adam.state_dict(), path)
    assert dygraph.load_dygraph(f"{path}.pdparams")[1].keys() == adam.state_dict().keys()


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"net\.pdparams"):
        dygraph.load_dygraph(str(tmp_path / "net"))


def test_functions_are_compiled():
    twice = dygraph.declarative(lambda x: x + x)
    assert twice(proa.ones([1])).tolist() == [2.0]
