from __future__ import annotations

import pytest

import proa
from proa import device
from proa.core import UnsupportedError

COUNTED = [
    ("memory_allocated", 100),
    ("max_memory_allocated", 700),
    ("memory_reserved", 1000),
    ("max_memory_reserved", 2000),
]


@pytest.mark.parametrize(("name", "expected"), COUNTED)
def test_what_the_runtime_counts(gpus, name, expected):
    assert getattr(device, name)("gpu:1") == expected
    assert getattr(device.cuda, name)() == expected


def test_a_runtime_that_reserves_nothing_reports_what_is_held(gpus):
    gpus[0].memory_stats = lambda: {"bytes_in_use": 3, "peak_bytes_in_use": 4}
    assert (device.memory_reserved(0), device.max_memory_reserved(0)) == (3, 4)


@pytest.mark.parametrize("name", [name for name, _ in COUNTED])
def test_the_host_counts_nothing(name):
    with pytest.raises(UnsupportedError, match=f"`{name}` of the host"):
        getattr(device, name)()


RESETS = ["reset_max_memory_allocated", "reset_max_memory_reserved", "reset_peak_memory_stats"]


@pytest.mark.parametrize("name", RESETS)
def test_counters_cannot_be_reset(gpus, name):
    with pytest.raises(UnsupportedError, match=f"`{name}`\n.*goes up only"):
        getattr(device, name)()


def test_summary_lists_all_counters(gpus):
    lines = device.memory_summary().splitlines()
    assert len(lines) == 6
    assert lines[1].split() == ["bytes_in_use", "100"]


def test_waiting_and_emptying_work_on_the_host():
    x = proa.ones([4]) + 1
    device.synchronize()
    device.empty_cache()
    assert x._data.is_ready()


def test_free_and_total_memory(gpus):
    assert device.mem_get_info() == (4900, 5000)


def test_xla_moves_no_memory():
    with pytest.raises(UnsupportedError, match="an allocator that can move"):
        device.cuda.vmm_compact()
    assert device.ipc_collect() is None
