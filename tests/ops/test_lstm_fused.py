"""The LSTM for inference: the numbers of the LSTM that is recorded."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import jax
import numpy as np
import pytest

from proa.core import get_op, set_flags
from proa.ops._lstm_fused import pack_gates

#: Batch, time, input, state, reverse, time first.
CASES = {
    "one": (1, 6, 5, 8, False, False),
    "odd, reverse": (2, 7, 3, 19, True, False),
    "time first": (3, 4, 2, 5, False, True),
    "with a second thread": (1, 40, 8, 256, False, False),
    "many sequences": (9, 3, 4, 6, True, True),
    "one step": (1, 1, 4, 40, True, False),
}


def arrays(case):
    batch, time, width, hidden, _, time_major = CASES[case]
    random = np.random.default_rng(0)

    def normal(*shape):
        return random.normal(size=shape).astype(np.float32)

    x = normal(time, batch, width) if time_major else normal(batch, time, width)
    scale = np.float32(hidden**-0.5)
    weights = [normal(4 * hidden, width), scale * normal(4 * hidden, hidden)]
    return [x, normal(batch, hidden), normal(batch, hidden), *weights, normal(4 * hidden)]


def run(case, given):
    reverse, time_major = CASES[case][4:]
    x, h, c, w_ih, w_hh, bias = given
    fn = get_op("lstm_fused").array_fn((None, (reverse, time_major)))
    return jax.jit(fn)(x, h, c, w_ih, pack_gates(w_hh), bias)


def expected(case, given):
    reverse, time_major = CASES[case][4:]
    op = get_op("recurrent")
    layout = (True, True, True, True, True, True, False, False, False)
    fn = op.array_fn((layout, ("LSTM", reverse, time_major, False)))
    return jax.jit(fn)(*given)


@pytest.mark.parametrize("case", CASES)
def test_kernel_and_form_give_the_numbers_of_an_lstm(case):
    given = arrays(case)
    wanted = expected(case, given)
    got = [run(case, given)]
    set_flags({"FLAGS_native_kernels": False})
    try:
        got.append(run(case, given))
    finally:
        set_flags({"FLAGS_native_kernels": True})
    for made in got:
        for a, b in zip(made, wanted, strict=True):
            assert a.shape == b.shape
            np.testing.assert_allclose(a, b, atol=3e-6)


def test_extreme_numbers_saturate_and_nan_stays():
    given = arrays("one")
    given[0] = np.zeros_like(given[0])
    given[5] = np.repeat(np.array([200, -200, 200, 200], np.float32), 8)
    given[3][:, 0] = 0.0
    out, _, c = run("one", given)
    assert np.isfinite(out).all()
    np.testing.assert_allclose(c, 1.0, atol=1e-6)
    given[0][0, 3] = np.nan
    given[3][:] = 1.0
    out = np.asarray(run("one", given)[0])
    assert np.isfinite(out[0, :3]).all()
    assert np.isnan(out[0, 3:]).all()


def test_many_threads_get_the_same_numbers():
    case = "with a second thread"
    given = arrays(case)
    wanted = np.asarray(run(case, given)[0])
    with ThreadPoolExecutor(8) as threads:
        for got in threads.map(lambda _: run(case, given)[0], range(24)):
            np.testing.assert_array_equal(got, wanted)
