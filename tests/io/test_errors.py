from __future__ import annotations

import pickle

import pytest

from proa.io import SampleError, WorkerError, WorkerTimeoutError


def test_sample_error_keeps_its_fields_in_a_pickle():
    error = SampleError(
        "got", expected="wanted", fix="do", keys=(3,), worker=1, worker_traceback="File x"
    )
    twin = pickle.loads(pickle.dumps(error))
    assert (twin.keys, twin.worker, twin.got) == ((3,), 1, "got")
    assert str(twin) == str(error)
    assert str(error).splitlines() == [
        "got",
        "  Expected: wanted",
        "  Fix: do",
        "",
        "Traceback of worker 1:",
        "File x",
    ]


def test_sample_error_without_a_worker_has_three_lines():
    assert len(str(SampleError("got", expected="wanted", fix="do")).splitlines()) == 3


@pytest.mark.parametrize("builtin", [RuntimeError, TimeoutError, WorkerError])
def test_timeout_is_caught_as_its_built_in_kinds(builtin):
    error = WorkerTimeoutError("slow", expected="fast", fix="wait")
    assert isinstance(error, builtin)
    assert "Fix: wait" in str(error)
