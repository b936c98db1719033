from __future__ import annotations

import re

import jax
import pytest

import proa
from proa.utils import _memory, _shelf


def test_memory_of_the_host_and_of_each_device(capsys, monkeypatch):
    monkeypatch.setattr(_shelf, "_told", set())
    kept = proa.ones([512, 1024], "float32")
    proa.utils.check_memory()
    told = capsys.readouterr()
    host, *devices = told.out.splitlines()
    assert float(re.fullmatch(r"host: ([\d,.]+) MiB in use", host)[1].replace(",", "")) > 10
    assert len(devices) == jax.local_device_count()
    first = re.fullmatch(r"cpu:0: ([\d,.]+) MiB in use", devices[0])
    assert float(first[1].replace(",", "")) >= 2.0
    assert told.err.count("\n") == 1
    assert kept.shape == [512, 1024]


def test_the_runtime_counts_where_it_can():
    class Device:
        def memory_stats(self):
            return {"bytes_in_use": 5 * 2**20}

    assert _memory._text(_memory._device_bytes(Device())) == "5.0 MiB"


def test_without_proc_the_most_so_far_is_told(monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(_memory.Path, "read_text", lambda *_, **__: "nothing")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert _memory._host_bytes() >= most
    monkeypatch.setattr(_memory, "resource", None)
    assert _memory._host_bytes() == 0
