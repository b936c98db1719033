from __future__ import annotations

import gc

import jax
import numpy as np
import pytest

import proa
from proa.core import compile_function, get_flags, num_compiled, set_flags, trim_compiled


@pytest.fixture
def small_limit():
    before = get_flags("FLAGS_max_compiled_kernels")
    trim_compiled(0)
    set_flags({"FLAGS_max_compiled_kernels": 16})
    yield 16
    set_flags(before)


def test_compiled_shapes_are_counted_and_those_of_varying_functions_go_first():
    trim_compiled(0)
    steady, varying = compile_function(lambda x: x + 1), compile_function(lambda x: x * 2)
    steady(np.ones(3))
    for size in range(1, 6):
        varying(np.ones(size))
    assert num_compiled() == 6
    trim_compiled(1)
    assert (num_compiled(), varying._cache_size(), steady._cache_size()) == (1, 0, 1)
    assert varying(np.ones(2)).tolist() == [2.0, 2.0]
    del steady, varying
    gc.collect()
    assert num_compiled() == 0


def test_many_shapes_do_not_add_up(small_limit):
    # keras-team/keras#20245, JAX#2072: caches by shape that never shrink.
    step = proa.jit.to_static(lambda x: x * 2, [proa.static.InputSpec([None])])
    for size in range(1, 60):
        (proa.ones([size]) * 2 + 1).sum()
        assert step(proa.ones([size])).sum().item() == 2 * size
    # Looked at each eighth of the limit; a function may add shapes in between.
    assert num_compiled() <= small_limit + 2


def test_options_are_those_of_jit():
    double = compile_function(lambda x: x * 2, donate_argnums=(0,))
    array = jax.numpy.ones(4)
    double(array)
    assert array.is_deleted()
