"""Requests of named arrays, whatever protocol brings them."""

from __future__ import annotations

import numpy as np
import pytest

from proa.core import ProaError, UnknownNameError
from proa.jit import save
from proa.serving import Repository, Service
from proa.serving._service import Request
from proa.static import InputSpec


@pytest.fixture
def service(tmp_path):
    folder = tmp_path / "scale" / "4"
    folder.mkdir(parents=True)
    save(lambda x: (x * 2, x.sum(1)), folder / "model", [InputSpec([None, 3], name="x")])
    repository = Repository(tmp_path)
    repository.load_all()
    return Service(repository)


def test_arrays_in_arrays_out(service):
    x = np.arange(6, dtype="float32").reshape(2, 3)
    answer = service.infer(Request("scale", {"x": x}))
    assert (answer.model, answer.version) == ("scale", "4")
    first, second = answer.outputs
    np.testing.assert_array_equal(answer.outputs[first], x * 2)
    np.testing.assert_array_equal(answer.outputs[second], x.sum(1))
    only = service.infer(Request("scale", {"x": x}, "4", [second]))
    assert list(only.outputs) == [second]


def test_failures_are_counted(service):
    with pytest.raises(UnknownNameError, match="has no output 'z'"):
        service.infer(Request("scale", {"x": np.ones((5, 3), "float32")}, outputs=["z"]))
    with pytest.raises(ProaError):
        service.infer(Request("scale", {"x": np.ones((5, 4), "float32")}))
    service.infer(Request("scale", {"x": np.ones((5, 3), "float32")}))
    totals = service.repository.find("scale").statistics.totals
    assert (totals.succeeded, totals.failed, totals.rows) == (1, 2, 5)
    assert totals.success_time > 0
