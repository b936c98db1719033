from __future__ import annotations

import pytest

import proa
from proa.core import InvalidArgumentError, UnsupportedError


def test_the_names_are_those_of_device():
    assert proa.cuda.Stream is proa.device.Stream
    assert proa.cuda.stream is proa.device.stream_guard is proa.cuda.StreamContext
    assert proa.cuda.manual_seed_all is proa.device.manual_seed
    assert proa.cuda.is_available() == (proa.cuda.device_count() > 0) == proa.cuda.is_initialized()
    assert proa.cuda.current_device() == 0


def test_the_runtime_is_xla_business():
    with pytest.raises(UnsupportedError, match="XLA, which owns the CUDA runtime"):
        proa.cuda.cudart()


def test_error_codes_are_raised():
    assert proa.cuda.check_error(0) is None
    with pytest.raises(InvalidArgumentError, match="error code 2 of the CUDA runtime"):
        proa.cuda.check_error(2)
