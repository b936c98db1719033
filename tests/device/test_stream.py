from __future__ import annotations

import pytest

import proa
from proa import device
from proa.core import PreconditionError, UnknownNameError, UnsupportedError


def test_events_measure_milliseconds(monkeypatch):
    times = iter([1.0, 1.25])
    monkeypatch.setattr("proa.device._stream.time.perf_counter", lambda: next(times))
    start = device.Stream().record_event()
    end = device.Stream().record_event(device.Event())
    assert start.elapsed_time(end) == 250.0
    assert start.query()
    end.synchronize()


def test_an_event_that_was_not_recorded_has_no_time():
    with pytest.raises(PreconditionError, match="was not recorded"):
        device.Event().elapsed_time(device.Event())


def test_there_is_one_stream():
    stream = device.current_stream()
    stream.wait_stream(device.Stream())
    stream.wait_event(device.Event())
    with device.stream_guard(stream) as used:
        assert used is stream
        y = proa.ones([2]) * 2
    assert stream.query()
    assert y.tolist() == [2.0, 2.0]
    assert device.set_stream(stream) is stream
    assert repr(device.set_stream()) == "Stream(cpu)"


def test_a_guard_puts_the_former_device_back(monkeypatch):
    chosen = []
    monkeypatch.setattr("proa.device._stream.set_device", chosen.append)
    with device.device_guard("gpu:1"), device.device(None):
        pass
    assert [repr(place) for place in chosen] == ["Place(gpu:1)", "Place(cpu)", "Place(cpu)"]


def test_a_guard_on_a_device_that_is_not_there():
    with pytest.raises(UnknownNameError, match="gpu"), device.device_guard("gpu:0"):
        pass
    assert device.get_device() == "cpu"


def test_streams_from_outside_are_refused():
    with pytest.raises(UnsupportedError, match="a stream from outside"):
        device.get_stream_from_external(1)
    assert not device.is_current_stream_capturing()
    assert device.StreamContext is device.stream_guard
