"""Functions that compiled code calls: they finish, and their errors arrive as they are."""

from __future__ import annotations

import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import io_callback

from proa.core import ProgramError, failure_behind, on_host, told_plainly


@on_host
def fail(x):
    raise ProgramError("three", expected="two", fix="subtract one")


@on_host
def all_are_small(x):
    time.sleep(0.3)  # until all that waits for this computation has been started
    assert type(x) is np.ndarray
    return np.any(x > 10)


def test_it_finishes_while_more_computations_wait_than_may_be_under_way():
    @jax.jit
    def slow(x):
        return x + jax.lax.fori_loop(0, 20, lambda i, m: m @ m * 0, jnp.ones((500, 500)))[0, 0]

    @jax.jit
    def run(x):
        return x + io_callback(all_are_small, jax.ShapeDtypeStruct((), bool), x)

    grow = jax.jit(lambda x: x + 1)
    x = grow(run(slow(jnp.zeros(4)))).block_until_ready()
    x = run(slow(x))
    for _ in range(100):
        x = grow(x)
    np.testing.assert_array_equal(x, np.full(4, 101.0, "float32"))


@jax.jit
def failing(x):
    return io_callback(fail, jax.ShapeDtypeStruct((), np.float32), x)


def test_an_error_passes_through_the_runtime(caplog):
    with pytest.raises(ProgramError, match="three"), told_plainly():
        jax.block_until_ready(failing(np.float32(3)))
    assert "Traceback" not in caplog.text


def test_other_errors_pass_as_they_are():
    with pytest.raises(RuntimeError, match="^another$"), told_plainly():
        raise RuntimeError("another")
    assert failure_behind(RuntimeError("proa failure number 123456789.")) is None
