from __future__ import annotations

import proa
from proa import device


def test_the_stream_can_be_put_back():
    device.manual_seed(3)
    state = device.get_rng_state()
    drawn = proa.rand([2]).tolist()
    device.cuda.set_rng_state(state)
    assert proa.rand([2]).tolist() == drawn


def test_streams_of_gpus_are_the_one(gpus):
    device.manual_seed(3)
    state = proa.get_cuda_rng_state()
    drawn = proa.rand([2]).tolist()
    proa.set_cuda_rng_state(state)
    assert proa.rand([2]).tolist() == drawn


def test_without_gpu_there_is_no_stream_of_one(monkeypatch):
    monkeypatch.setattr("proa.device._random.devices_of", lambda kind: [])
    assert proa.get_cuda_rng_state() == []
    proa.set_cuda_rng_state([])
