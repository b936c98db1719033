"""Errors of callbacks arrive at the call as they are."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from jax.experimental import io_callback

from proa.core import ProgramError, failure_behind, raise_from_callback, told_plainly


def fail(x):
    raise_from_callback(ProgramError("three", expected="two", fix="subtract one"))


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
