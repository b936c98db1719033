from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import aligned_empty, tensor_over


@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (2, 3, 7)])
def test_memory_begins_where_xla_takes_it_over(shape):
    array = aligned_empty(shape, "float32")
    assert (array.shape, array.dtype) == (shape, "float32")
    assert array.ctypes.data % 64 == 0 or not array.size
    array[...] = 3
    assert tensor_over(array).tolist() == np.full(shape, 3.0).tolist()


def test_a_tensor_lies_on_the_array():
    array = aligned_empty((64,), "float32")
    array[...] = 1
    made = tensor_over(array)
    assert made._data.unsafe_buffer_pointer() == array.ctypes.data


def test_a_constant_while_recording():
    @proa.jit.to_static
    def add(x):
        return x + tensor_over(np.ones(2, "float32"))

    assert add(proa.to_tensor([1.0, 2.0])).tolist() == [2.0, 3.0]
