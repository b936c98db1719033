from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.inference import Config, create_predictor
from proa.inference._idle import IdleTrim
from proa.jit import save
from proa.static import InputSpec


def test_it_trims_once_after_the_last_run_and_again_after_the_next():
    times, done = [], threading.Event()

    def trim():
        times.append(time.monotonic())
        done.set()

    idle = IdleTrim(0.08, trim)
    for _ in range(2):
        done.clear()
        for _ in range(5):
            with idle:
                time.sleep(0.02)
        ended = time.monotonic()
        assert done.wait(5)
        assert times[-1] - ended >= 0.07
    time.sleep(0.1)
    assert len(times) == 2


def test_a_run_that_lasts_is_not_idle():
    done = threading.Event()
    idle = IdleTrim(0.02, done.set)
    with idle:
        pass
    with idle:
        assert not done.wait(0.08)
    assert done.wait(5)


def test_a_predictor_gives_its_compiled_shapes_back(tmp_path):
    config = Config(save(lambda x: x * 2, tmp_path / "net", [InputSpec([None], name="x")]))
    config.set_idle_trim(0.05)
    predictor = create_predictor(config)
    assert predictor.run([np.ones(2, np.float32)])[0].tolist() == [2.0, 2.0]
    for _ in range(100):
        if "compiled       0 shapes" in predictor.explain():
            break
        time.sleep(0.02)
    assert "compiled       0 shapes" in predictor.explain()
    assert predictor.run([proa.ones([3])])[0].tolist() == [2.0] * 3
    assert "idle trim" in config.summary()
    with pytest.raises(InvalidArgumentError, match="`seconds` is 0"):
        config.set_idle_trim(0)
