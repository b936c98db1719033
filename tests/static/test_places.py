from __future__ import annotations

import pytest

import proa
from proa import static
from proa.core import InvalidArgumentError, UnsupportedError


def test_places_of_the_host(monkeypatch):
    assert static.cpu_places(2) == [proa.CPUPlace(), proa.CPUPlace()]
    monkeypatch.setenv("CPU_NUM", "3")
    assert len(static.cpu_places()) == 3
    monkeypatch.setenv("CPU_NUM", "two")
    with pytest.raises(InvalidArgumentError, match="CPU_NUM is 'two'"):
        static.cpu_places()


def test_places_of_gpus(monkeypatch):
    monkeypatch.setattr("proa.static._places.available_devices", lambda: ["cpu", "gpu:0", "gpu:1"])
    assert static.cuda_places() == [proa.CUDAPlace(0), proa.CUDAPlace(1)]
    assert static.cuda_places(1) == static.cuda_places([1]) == [proa.CUDAPlace(1)]


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (static.cuda_places, "`cuda_places`: this machine has no GPU"),
        (static.xpu_places, "`xpu_places`: this machine has no XPU"),
        (static.IpuStrategy, "`IpuStrategy`: this machine has no IPU"),
        (static.IpuCompiledProgram, "`IpuCompiledProgram`"),
        (static.ipu_shard_guard, "`ipu_shard_guard`"),
        (lambda: static.set_ipu_shard(print), "`set_ipu_shard`"),
    ],
)
def test_devices_that_are_not_there(monkeypatch, call, what):
    monkeypatch.setattr("proa.static._places.available_devices", lambda: ["cpu"])
    with pytest.raises(UnsupportedError, match=what):
        call()
