from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.amp.debugging._statistics import measure, parse

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 0.0, 2.0], (3, 0, 0, 1, 2.0, 0.0, 1.0)),
        ([INF, -1.0], (2, 0, 1, 0, INF, -1.0, INF)),
        ([NAN, 1.0], (2, 1, 0, 0, NAN, NAN, NAN)),
        ([], (0, 0, 0, 0, 0.0, 0.0, 0.0)),
    ],
)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_counts_and_extremes(values, expected, dtype):
    found = measure(proa.to_tensor(values, dtype=dtype)._data, "add", "x", "cpu")
    known = (found.numel, found.num_nan, found.num_inf, found.num_zero)
    np.testing.assert_equal((*known, found.max, found.min, found.mean), expected)
    assert found.is_finite is not any(v != v or abs(v) == INF for v in values)


def test_a_line_is_read_back():
    found = measure(np.asarray([1.0, 3.0], np.float32), "add", "x", "cpu")
    assert parse(found.line()) == found
    assert "[ERROR]" not in found.line()
    bad = measure(np.asarray([INF], np.float32), "add", "x", "cpu")
    assert parse(bad.line()) == bad
    assert "[PRECISION] [ERROR] in [device=cpu, op=add, tensor=x, dtype=fp32]" in bad.line()
    assert parse("something else") is None


def test_complex_numbers_are_measured_by_magnitude():
    assert measure(np.asarray([3 + 4j], np.complex64), "fft", "x", "cpu").max == 5.0
